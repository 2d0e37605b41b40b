from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from change2task.api.taskcandidate import Change
from change2task.history.forge import ForgeRecord
from change2task.history.models import ChangeUnusable, MergedChange
from change2task.history.references import resolve_change
from change2task.vcs.repository import Repository
from tests.support.repos import RepoBuilder

LINES = "".join(f"line {n}\n" for n in range(30))


@pytest.fixture
def project(tmp_path: Path) -> RepoBuilder:
    """A repository with one commit of a package, its tests and a change log."""
    repo = RepoBuilder(tmp_path / "project")
    repo.commit(
        {
            "pkg/__init__.py": "",
            "pkg/core.py": "def f(x):\n    return x\n\n\ndef g(x):\n    return -x\n",
            "pkg/text.py": LINES,
            "tests/test_core.py": "from pkg.core import f\n\n\ndef test_f():\n    assert f(1) == 1\n",
            "CHANGES.md": "# Changes\n",
        },
        "Begin",
    )
    return repo


@pytest.fixture
def opened(project: RepoBuilder) -> Iterator[Repository]:
    with Repository.open(project.path) as repo:
        yield repo


Resolve = Callable[..., MergedChange]


@pytest.fixture
def resolve(project: RepoBuilder, opened: Repository) -> Resolve:
    """Resolve a reference on the tip of main, or on another head."""

    def run(*, head: str | None = None, record: ForgeRecord | None = None, **change: object) -> MergedChange:
        return resolve_change(opened, Change.model_validate(change), head or project.tip("main"), record)

    return run


Refused = Callable[..., ChangeUnusable]


@pytest.fixture
def refused(resolve: Resolve) -> Refused:
    """The refusal that a reference meets."""

    def run(**change: object) -> ChangeUnusable:
        with pytest.raises(ChangeUnusable) as caught:
            resolve(**change)
        return caught.value

    return run
