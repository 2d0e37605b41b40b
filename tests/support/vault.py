"""A small real project whose history holds a change of every task family, and candidates for them.

What `tests.support.story` is for whole runs, this is for families: weaknesses, a migration and a repair, with checks
stated and derived, and with checks that cannot work. The project needs nothing but pytest.
"""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent
from typing import Any

from tests.support.repos import RepoBuilder
from tests.support.world import candidate

URL = "https://example.org/ada/vault"

STORE = '''
"""Files of a vault."""

import os


def read(root, name):
    """The text of the file of this name."""
    path = os.path.join(root, name)
    with open(path) as file:
        return file.read()


def names(root):
    """The names of all files."""
    return sorted(os.listdir(root))
'''
UNCHECKED = """    path = os.path.join(root, name)
    with open(path) as file:
"""
CHECKED = """    path = os.path.realpath(os.path.join(root, name))
    if os.path.commonpath([path, os.path.realpath(root)]) != os.path.realpath(root):
        raise ValueError(name)
    with open(path) as file:
"""
TEST_STORE = """
from vault import store


def test_read(tmp_path):
    (tmp_path / "a").write_text("text")
    assert store.read(tmp_path, "a") == "text"


def test_names(tmp_path):
    (tmp_path / "b").write_text("")
    assert store.names(tmp_path) == ["b"]
"""
LABEL = '''
"""Labels."""

import re

_LABEL = re.compile(r"([a-z]+)+$")


def is_label(text):
    """Whether a text is made of small letters."""
    return _LABEL.match(text) is not None
'''
TEST_LABEL = """
from vault.label import is_label


def test_a_label_is_small_letters():
    assert is_label("abc")
    assert not is_label("a b")
"""
TEST_LABEL_MORE = """
from vault.label import is_label


def test_nothing_is_no_label():
    assert not is_label("")
"""
LABEL_NEWS = "- Labels are matched in linear time, however long.\n"
TEST_LABEL_TIME = """

def test_a_long_text_is_answered_at_once():
    started = time.process_time()
    assert not is_label("a" * 22 + "!")
    assert time.process_time() - started < 0.1
"""
PRICE = '''
"""Prices in cents."""


def total(prices):
    """The sum of all prices."""
    result = 0
    for price in prices:
        result = price
    return result


def shown(cents):
    """A price as it is written."""
    return f"{cents // 100}.{cents % 100:02}"
'''
TEST_PRICE = """
from vault.price import shown, total


def test_one_price():
    assert total([5]) == 5


def test_shown():
    assert shown(1005) == "10.05"
"""
TEST_PRICE_TOTAL = """

def test_more_than_one_price():
    assert total([5, 6]) == 11
"""
CLI = '''
"""The command line."""

import optparse


def parse(words):
    """Whether the words ask for quiet."""
    parser = optparse.OptionParser(prog="vault")
    parser.add_option("--quiet", action="store_true", default=False)
    options, _ = parser.parse_args(words)
    return options.quiet
'''
CLI_NEW = '''
"""The command line."""

import argparse


def parse(words):
    """Whether the words ask for quiet."""
    parser = argparse.ArgumentParser(prog="vault")
    parser.add_argument("--quiet", action="store_true", default=False)
    options = parser.parse_args(words)
    return options.quiet
'''
TEST_CLI = """
from vault.cli import parse


def test_quiet():
    assert parse(["--quiet"])
    assert not parse([])
"""
EXPLOIT = """
import subprocess, sys, tempfile
from pathlib import Path

outside = Path(tempfile.mkdtemp())
(outside / "secret").write_text("the secret")
(outside / "root").mkdir()
attack = "import sys; from vault import store; print(store.read(sys.argv[1], '../secret'))"
done = subprocess.run([sys.executable, "-c", attack, outside / "root"], capture_output=True, text=True)
sys.exit(0 if "ValueError" in done.stderr else f"not refused: {done.stdout}")
"""
HELP = """
import subprocess, sys

done = subprocess.run([sys.executable, "-c", "from vault import store; print(store.__doc__)"], capture_output=True)
sys.exit(done.returncode != 0 or b"vault" not in done.stdout)
"""


def source(text: str) -> str:
    """A source as it is written here, without its first line."""
    return dedent(text).lstrip("\n")


def tell(path: Path) -> dict[str, str]:
    """The repository's history; gives the commit of each change by its name."""
    repo = RepoBuilder(path)
    repo.commit(
        {
            "vault/__init__.py": "",
            "vault/store.py": source(STORE),
            "vault/label.py": source(LABEL),
            "vault/price.py": source(PRICE),
            "vault/cli.py": source(CLI),
            "tests/test_store.py": source(TEST_STORE),
            "tests/test_label.py": source(TEST_LABEL),
            "tests/test_price.py": source(TEST_PRICE),
            "tests/test_cli.py": source(TEST_CLI),
            "README.md": "# Vault\n",
            "CHANGES.md": "# Changes\n",
        },
        "Begin",
    )
    slow_test = "import time\n\n" + source(TEST_LABEL) + TEST_LABEL_TIME
    return {
        "traversal": repo.commit(
            {"vault/store.py": source(STORE).replace(UNCHECKED, CHECKED)}, "Names cannot climb out of the vault"
        ),
        "redos": repo.commit(
            {
                "vault/label.py": source(LABEL).replace('"([a-z]+)+$"', '"[a-z]+$"'),
                "tests/test_label.py": slow_test,
                "tests/test_label_more.py": source(TEST_LABEL_MORE),
                "tests/attacks.txt": "aaaaaaaaaa!\n",
                "CHANGES.md": f"# Changes\n\n{LABEL_NEWS}",
            },
            "Long texts are matched in linear time (CVE-2021-12345)",
        ),
        "total": repo.commit(
            {
                "vault/price.py": source(PRICE).replace("result = price\n", "result += price\n"),
                "tests/test_price.py": source(TEST_PRICE) + TEST_PRICE_TOTAL,
                "CHANGES.md": f"# Changes\n\n- Totals count every price.\n{LABEL_NEWS}",
            },
            "Fix the total of more than one price",
        ),
        "migration": repo.commit({"vault/cli.py": source(CLI_NEW)}, "Migrate from optparse to argparse"),
    }


def script(name: str, text: str, role: str = "target") -> dict[str, Any]:
    """A Python script as a stated check."""
    files = {"check.py": source(text)}
    return {"id": name, "kind": "script", "role": role, "script": {"command": ["python", "check.py"], "files": files}}


def static(name: str, **oracle: Any) -> dict[str, Any]:
    """A static oracle as a stated check."""
    return {"id": name, "kind": "static", "static": oracle}


def candidates(commits: dict[str, str]) -> list[dict[str, Any]]:
    """A candidate for every family and way of stating its checks, and those that cannot become tasks."""

    def of(name: str, change: str, **spec: Any) -> dict[str, Any]:
        return candidate(name, {"commit": commits[change]}, of="vault", **spec)

    exploit = script("exploit", EXPLOIT)
    large = {**exploit["script"], "files": {**exploit["script"]["files"], "data/large.txt": "line\n" * 3000}}
    return [
        of("exploit", "traversal", family="SecurityRepair",
           checks=[{**exploit, "script": large}, script("help", HELP, "regression")],
           validation={"taskRepeats": 2, "healthyRepeats": 2}),
        of("advisory", "redos"),
        of("migration", "migration"),
        of("stated", "migration", family="APIMigration", checks=[static("api", gone=["optparse"], used=["argparse"])]),
        of("tests", "total", family="TestGeneration"),
        of("blind", "traversal", family="SecurityRepair", checks=[script("blind", "print('fine')\n")]),
        of("unfit", "traversal", family="SecurityRepair", checks=[script("unfit", "raise SystemExit(1)\n")]),
        of("mute", "traversal", family="SecurityRepair", checks=[script("mute", "raise SystemExit(3)\n")]),
        of("nowhere", "migration", checks=[static("api", gone=["optparse"], paths=["src/**"])]),
        of("unheld", "migration", checks=[static("api", gone=["argparse"])]),
        of("unknown", "total", checks=[{"id": "tests/test_price.py::test_totals"}]),
        of("guard", "total", checks=[{"id": "tests/test_gone.py::test_x", "role": "regression"}]),
        of("namesake", "total", checks=[script("tests/test_price.py::test_shown", "pass\n")]),
        of("no-oracle", "total", family="APIMigration"),
        of("no-exploit", "traversal", family="SecurityRepair"),
        of("unshowable", "migration", family="TestGeneration", checks=[static("api", gone=["optparse"])]),
        of("contrary", "migration", family="APIMigration",
           checks=[static("api", gone=["optparse"], used=["optparse.OptionParser"])]),
    ]  # fmt: skip
