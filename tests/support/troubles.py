"""Repositories, setups and suites that must not spoil a run: each is told as the outcome of its own base.

All are run at once, beside one base whose suite does everything a suite must not do and still carries a task.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.commands import Ended
from tests.support.repos import RepoBuilder
from tests.support.story import source
from tests.support.world import World, base, candidate, documents, once

HOSTILE = """
import os
import signal
import time
from pathlib import Path

import pytest


def test_never_ends():
    while True:
        time.sleep(1)


def test_prints_a_gigabyte():
    block = b"x" * (1 << 20)
    for _ in range(1024):
        os.write(1, block)


def test_kills_its_parent():
    os.kill(os.getppid(), signal.SIGKILL)
    time.sleep(60)


def test_leaves_as_if_all_were_well():
    os._exit(0)


def test_goes_elsewhere():
    os.chdir("/")


def test_cannot_write_outside():
    for folder in ("/", "/usr", "/c2t", "/c2t/env", "/c2t/plan"):
        with pytest.raises(OSError):
            Path(folder, "left").write_text("x")


def test_asks():
    with pytest.raises((EOFError, OSError)):
        input()


def test_at_the_end():
    assert True
"""
GOOD = "from answer import answer\n\n\ndef test_type():\n    assert isinstance(answer(), int)\n"
ANSWER = '"""The answer."""\n\n\ndef answer():\n    """It."""\n    return {}\n'
SLOW = (
    "import time\n\nimport pytest\n\n\n@pytest.mark.parametrize('n', range(9))\ndef test_slow(n):\n    time.sleep(60)\n"
)


def hostile(folder: Path) -> RepoBuilder:
    """A project with one change that makes a task, and a suite that does what it likes."""
    repo = RepoBuilder(folder)
    suite = {"tests/test_hostile.py": source(HOSTILE), "slow/test_slow.py": SLOW}
    repo.commit({"answer/__init__.py": ANSWER.format(41), "tests/test_answer.py": GOOD, **suite}, "Begin")
    test = GOOD + "\n\ndef test_answer():\n    assert answer() == 42\n"
    repo.commit({"answer/__init__.py": ANSWER.format(42), "tests/test_answer.py": test}, "Fix the answer")
    return repo


def setup(*steps: str, **more: Any) -> dict[str, Any]:
    """An environment made by these steps."""
    return {**base()["spec"]["environment"], "setup": list(steps), **more}


def troubled(folder: Path) -> list[dict[str, Any]]:
    """A base for each trouble, by the name of the trouble."""
    repo = hostile(folder / "hostile")
    RepoBuilder(folder / "empty")
    (folder / "no-repository").mkdir()
    bare = RepoBuilder(folder / "bare")
    bare.commit({"README.md": "# Nothing to install\n"})
    here: dict[str, Any] = {"repository": {"url": repo.url}, "scope": {}}
    quick = {"timeoutSeconds": 5, "testTimeoutSeconds": 5}
    return [
        base("hostile", **here, checks={"command": ["python", "-m", "pytest", "tests"], "testTimeoutSeconds": 3}),
        base("no-repository", repository={"url": (folder / "no-repository").as_uri()}),
        base("empty", repository={"url": (folder / "empty").as_uri()}),
        base("bare", repository={"url": bare.url}, environment={}),
        base("missing-revision", **here, revision={"healthy": "v9.9.9", "strict": True}),
        base("setup-fails", **here, environment=setup("echo it does not work >&2; exit 3")),
        base("setup-hangs", **here, environment=setup("echo waiting; sleep 1000", setupTimeoutSeconds=1)),
        base("setup-asks", **here, environment=setup("printf 'your name? '; read name")),
        base("no-tests", **here, checks={"command": ["python", "-m", "pytest", "-k", "nothing_has_this_name"]}),
        base("no-end", **here, checks={"command": ["python", "-m", "pytest", "slow"], **quick}),
    ]


@pytest.fixture(scope="session")
def troubles(world: World, tmp_path_factory: pytest.TempPathFactory) -> World:
    """All troubles, run at once."""

    def run(made: World) -> Ended:
        bases = troubled(made.folder)
        changes = [
            candidate(f"of-{b['metadata']['name']}", {"commit": "main"}, of=b["metadata"]["name"]) for b in bases
        ]
        made.manifest.write_text(documents(*bases, *changes))
        return made.run("run", made.manifest, "--store", made.store, "-o", "json", seconds=280)

    return once("troubles", tmp_path_factory, world.env, run)


def row(troubles: World, kind: str, name: str) -> dict[str, Any]:
    """A base or candidate of what was printed."""
    found: dict[str, Any] = next(one for one in json.loads(troubles.ended.out)[kind] if one["name"] == name)
    return found
