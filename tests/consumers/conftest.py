"""The programs that read exports, each from its own wheel in an environment of its own, kept in the user's cache.

They are never installed beside this project. What is exported is the store of the world's run, or the one that
``C2T_STORE`` names (``make demo`` makes one at .demo/store). What cannot be had is said loudly, and fails in CI.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import pytest
from filelock import FileLock
from packaging.version import Version

from change2task.api.taskvariant import TaskVariant
from change2task.base.toolchains import installed
from change2task.corpus.store import Store
from tests.support.commands import PROGRAM
from tests.support.world import variables, world

__all__ = ["variables", "world"]

VERSIONS = {"harbor": "harbor==0.26.0", "swebench": "swebench==5.0.2", "verifiers": "verifiers[harbor]==0.4.0"}
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "change2task" / "consumers"
OLDEST = Version("3.12")
SECONDS = 1800


def did_not_run(why: str) -> NoReturn:
    """End the test loudly."""
    if os.environ.get("CI") == "true":
        pytest.fail(why, pytrace=False)
    warnings.warn(f"!!! DID NOT RUN: {why} !!!", stacklevel=2)
    pytest.skip(f"!!! DID NOT RUN: {why} !!!")


@dataclass(frozen=True)
class Consumer:
    """One consumer's environment."""

    folder: Path

    def run(self, program: str, *words: str | Path, code: int = 0) -> str:
        """What a program of the environment prints on standard output."""
        done = subprocess.run(
            [self.folder / "bin" / program, *words], capture_output=True, text=True, check=False, timeout=SECONDS
        )
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout

    def ask(self, script: str, *words: str | Path) -> object:
        """What a script prints as its last line, which is JSON."""
        return json.loads(self.run("python", "-c", script, *words).splitlines()[-1])


def _python() -> Path:
    """An interpreter of this machine that all consumers know."""
    known = [one for one in installed() if Version(one.version) >= OLDEST]
    if not known:
        did_not_run(f"the consumers need Python {OLDEST} or newer, and this machine has none")
    return min(known, key=lambda one: Version(one.version)).executable


def _made(name: str) -> Consumer:
    folder = CACHE / VERSIONS[name].replace("==", "-").replace("[harbor]", "")
    uv = Path(sys.executable).with_name("uv")
    CACHE.mkdir(parents=True, exist_ok=True)
    with FileLock(f"{folder}.lock"):
        if not (folder / "done").is_file():
            shutil.rmtree(folder, ignore_errors=True)
            for words in (
                ("venv", "-q", "--no-project", "--python", _python(), folder),
                ("pip", "install", "-q", "--python", folder, VERSIONS[name]),
            ):
                done = subprocess.run([uv, *words], capture_output=True, text=True, check=False, timeout=SECONDS)
                if done.returncode:
                    did_not_run(f"{VERSIONS[name]} cannot be installed here: {done.stderr.strip()[-500:]}")
            (folder / "done").write_text("")
    return Consumer(folder)


@pytest.fixture(scope="session")
def harbor() -> Consumer:
    return _made("harbor")


@pytest.fixture(scope="session")
def swebench() -> Consumer:
    return _made("swebench")


@pytest.fixture(scope="session")
def verifiers() -> Consumer:
    return _made("verifiers")


@dataclass(frozen=True)
class Corpus:
    """A store, and change2task over it."""

    path: Path
    env: dict[str, str]
    mirror: tuple[str, ...]

    def run(self, *words: str | Path, stdin: bytes = b"") -> bytes:
        """What a command prints."""
        done = subprocess.run(
            [PROGRAM, *words], input=stdin, capture_output=True, env=self.env, check=False, timeout=SECONDS
        )
        assert done.returncode == 0, done.stderr.decode(errors="replace")
        return done.stdout

    def tasks(self) -> dict[str, TaskVariant]:
        """All tasks by name."""
        store = Store.open(self.path, create=False)
        found = {name: store.variant(name) for name in store.names(TaskVariant)}
        return {name: one for name, one in found.items() if one is not None}


@pytest.fixture
def corpus(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Corpus]:
    named = os.environ.get("C2T_STORE")
    if named:
        yield Corpus(Path(named).absolute(), dict(os.environ), ())
        return
    made = request.getfixturevalue("world")
    yield Corpus(made.copy(tmp_path), made.env, made.mirror)


@pytest.fixture
def exported(corpus: Corpus, tmp_path: Path) -> Callable[..., Path]:
    """Exports in a format, with further words."""

    def run(form: str, *words: str | Path) -> Path:
        out = tmp_path / form
        corpus.run("export", "--format", form, "--store", corpus.path, *words, out)
        return out

    return run
