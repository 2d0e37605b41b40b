"""One whole run over the story's repository, made once a session and shared by every worker.

What a test may not change is the shared store; a test that writes takes a copy, which costs links and no environment.
"""

from __future__ import annotations

import difflib
import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from filelock import FileLock

from tests.support import story
from tests.support.commands import Ended, change2task, environment
from tests.support.packages import package_index
from tests.support.repos import git

URL = "https://example.org/ada/toolbox"
PYTEST = ("pytest", "pluggy", "iniconfig", "packaging", "pygments")
PYTHON = f"python:{sys.version_info.major}.{sys.version_info.minor}"


def base(name: str = "toolbox", **spec: Any) -> dict[str, Any]:
    """A ModernBase as a document; given fields of the spec replace those of the story's own base."""
    whole = {
        "repository": {"url": URL},
        "environment": {"image": PYTHON, "setup": ["uv pip install -q pytest"]},
        "checks": {"timeoutSeconds": 60, "testTimeoutSeconds": 10},
        "scope": {"source": ["toolbox/**", "toolbox/*.bin"]},
        **spec,
    }
    return {"apiVersion": "change2task.dev/v1alpha1", "kind": "ModernBase", "metadata": {"name": name}, "spec": whole}


def candidate(name: str, change: dict[str, Any], *, of: str = "toolbox", **spec: Any) -> dict[str, Any]:
    """A TaskCandidate as a document; states are run once unless the spec says otherwise."""
    whole = {
        "baseRef": {"name": of}, "change": change, "validation": {"taskRepeats": 1, "healthyRepeats": 1}, **spec
    }  # fmt: skip
    return {
        "apiVersion": "change2task.dev/v1alpha1",
        "kind": "TaskCandidate",
        "metadata": {"name": name},
        "spec": whole,
    }


def documents(*resources: dict[str, Any]) -> str:
    """The documents as one manifest."""
    return yaml.safe_dump_all(resources, sort_keys=False)


def changed(path: str, before: str, after: str) -> str:
    """A patch that changes one file; an empty text is a file that is not there."""
    old, new = (f"a/{path}" if before else "/dev/null"), (f"b/{path}" if after else "/dev/null")
    lines = difflib.unified_diff(before.splitlines(True), after.splitlines(True), old, new, n=3)
    mode = "" if before and after else f"{'deleted' if before else 'new'} file mode 100644\n"
    return f"diff --git a/{path} b/{path}\n{mode}{''.join(lines)}"


def candidates(told: story.Story) -> list[dict[str, Any]]:
    """A candidate for every change of the story, and for changes it does not hold."""
    commits = told.commits

    def of(name: str, **spec: Any) -> dict[str, Any]:
        return candidate(name, {"commit": commits[name]}, **spec)

    return [
        of("fix", validation={"taskRepeats": 2, "healthyRepeats": 2}),
        candidate("feature", {"pullRequest": 7}),
        candidate("tests", {"commit": commits["fix"]}, family="TestGeneration"),
        of("migration"),
        of("security"),
        of("superseded", construction={"profile": "paper"}),
        of("entangled"),
        *(of(name) for name in ("docs", "tests-only", "binary", "empty", "untested", "forgotten", "reverted")),
        of("bundle"),
        of("aside"),
        candidate("absent", {"commit": "0123456789abcdef"}),
        candidate("range", {"range": f"{commits['fix']}^..{commits['fix']}"}, construction={"levels": [2]}),
        candidate("waiting", {"commit": commits["fix"]}, suspend=True),
    ]


@dataclass(frozen=True)
class World:
    """Where the story was run, with what, and what it said."""

    folder: Path
    env: dict[str, str]
    ended: Ended

    @property
    def url(self) -> str:
        """What the world calls the repository."""
        return URL

    @property
    def repository(self) -> Path:
        """The story's repository."""
        return self.folder / "toolbox"

    @property
    def store(self) -> Path:
        """The store of the run; not to be written."""
        return self.folder / "store"

    @property
    def manifest(self) -> Path:
        """The manifest of the run."""
        return self.folder / "manifest.yaml"

    @property
    def mirror(self) -> tuple[str, str]:
        """The option that says where the repository is really read."""
        return ("--mirror", f"{URL}={self.repository}")

    @property
    def document(self) -> dict[str, Any]:
        """What ``run -o json`` printed."""
        found: dict[str, Any] = json.loads(self.ended.out)
        return found

    def row(self, name: str) -> dict[str, Any]:
        """The candidate of this name in what was printed."""
        return next(row for row in self.document["candidates"] if row["name"] == name)

    def change(self, name: str) -> dict[str, Any]:
        """The change of one of the run's candidates."""
        found: dict[str, Any] = self.stored("candidates", name)["spec"]["change"]
        return found

    def stored(self, kind: str, name: str, store: Path | None = None) -> dict[str, Any]:
        """A resource as it lies in the store; ``kind`` is its folder."""
        path = (store or self.store) / kind / f"{name}.yaml"
        found: dict[str, Any] = yaml.safe_load(path.read_text())
        return found

    def variant(self, name: str, store: Path | None = None) -> dict[str, Any]:
        """The task of a candidate, as it lies in the store."""
        reference = self.stored("candidates", name, store)["status"]["variantRef"]["name"]
        return self.stored("variants", reference, store)

    def file(self, tree: str, path: str) -> str:
        """A file of a tree that the run has made, read by git itself."""
        [mirror] = (self.store / "cache/mirrors").glob("*.git")
        objects = self.store / "cache/bench" / mirror.name / "objects"
        content = git(mirror, "cat-file", "blob", f"{tree}:{path}", env={"GIT_OBJECT_DIRECTORY": str(objects)})
        return content.decode()

    def copy(self, folder: Path) -> Path:
        """A store of one's own with everything this run has won; environments are shared by links."""
        target = folder / "store"
        shutil.copytree(self.store, target, copy_function=_link_environments, symlinks=True)
        return target

    def run(self, *words: str | Path, cwd: Path | None = None, **how: Any) -> Ended:
        """A command in this world."""
        return change2task(*words, env=how.pop("env", self.env), cwd=cwd or self.folder, **how)


def _link_environments(source: str, target: str) -> str:
    if "/cache/environments/" in source or "/cache/pool/" in source or "/cache/uv/" in source:
        os.link(source, target, follow_symlinks=False)
        return target
    return str(shutil.copy2(source, target, follow_symlinks=False))


@pytest.fixture(scope="session")
def variables(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """A user's variables, with an index on the loopback that serves what is installed beside the tests."""
    with package_index() as served:
        for name in PYTEST:
            served.add_installed(name, uploaded="2020-01-01")
        home = tmp_path_factory.mktemp("home")
        yield environment(home, UV_DEFAULT_INDEX=served.url)


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory, variables: dict[str, str]) -> World:
    """The story, told and run."""

    def run(made: World) -> Ended:
        history = story.tell(made.repository)
        made.manifest.write_text(documents(base(), *candidates(history)))
        return made.run("run", made.manifest, *made.mirror, "--store", made.store, "-o", "json", seconds=280)

    return once("world", tmp_path_factory, variables, run)


def once(name: str, factory: pytest.TempPathFactory, variables: dict[str, str], run: Callable[[World], Ended]) -> World:
    """A world that is made by whichever worker comes first."""
    own = factory.getbasetemp()
    folder = (own.parent if os.environ.get("PYTEST_XDIST_WORKER") else own) / name
    made = World(folder, variables, Ended(0, "", ""))
    with FileLock(f"{folder}.lock"):
        told = folder / "ended.json"
        if not told.is_file():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            ended = run(made)
            told.write_text(json.dumps([ended.code, ended.out, ended.err]))
        return replace(made, ended=Ended(*json.loads(told.read_text())))
