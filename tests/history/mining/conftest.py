from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from change2task.api.metadata import ObjectMeta
from change2task.api.modernbase import ModernBase, ModernBaseSpec, Scope
from change2task.history.mining.selection import Wish
from change2task.history.mining.survey import Span
from change2task.pipeline.mining import Mined, head_of, mine
from change2task.vcs.repository import Repository
from tests.support.repos import RepoBuilder

SOURCE = "def f(x):\n    return x\n\n\ndef g(x):\n    return -x\n"
TESTS = "from pkg.core import f\n\n\ndef test_f():\n    assert f(1) == 1\n"


@pytest.fixture
def project(tmp_path: Path) -> RepoBuilder:
    """A repository with one commit of a package and its tests."""
    repo = RepoBuilder(tmp_path / "project")
    repo.commit(
        {"pkg/__init__.py": "", "pkg/core.py": SOURCE, "tests/test_core.py": TESTS, "README.md": "hi\n"}, "Begin"
    )
    return repo


def fix(project: RepoBuilder, name: str, message: str | None = None, *, author: str = "Ada") -> str:
    """A commit that adds a function and a test of it."""
    source, tests = (project.git("show", f"HEAD:{path}").decode() for path in ("pkg/core.py", "tests/test_core.py"))
    return project.commit(
        {
            "pkg/core.py": source + f"\n\ndef {name}(x):\n    return x + 1\n",
            "tests/test_core.py": tests + f"\n\ndef test_{name}():\n    assert {name!r}\n",
        },
        message or f"Handle the {name} properly",
        author=author,
    )


Mine = Callable[..., Mined]


@pytest.fixture
def mined(project: RepoBuilder) -> Mine:
    """Mine the project's main branch."""

    def run(*, scope: Scope | None = None, span: Span | None = None, **wish: object) -> Mined:
        base = ModernBase(
            metadata=ObjectMeta(name="project"),
            spec=ModernBaseSpec.model_validate(
                {"repository": {"url": project.url}, "scope": (scope or Scope()).document()}
            ),
        )
        with Repository.open(project.path) as repository:
            head, _ = head_of(repository, base.spec.revision)
            return mine(repository, base, head, Wish(**wish), span or Span())  # type: ignore[arg-type]

    return run


def day(number: int) -> datetime:
    """The time of the number-th commit of a builder."""
    return datetime.fromtimestamp(1_600_000_000 + number * 86_400, UTC)
