from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from change2task.api.modernbase import Scope
from change2task.api.taskcandidate import Family
from change2task.api.taskvariant import (
    OutputContract,
    TaskVariant,
    Trees,
)
from change2task.checks.naming import naming
from change2task.corpus.submission import Submission, submission
from change2task.history.files import roles_of
from change2task.validate.checkfiles import CheckFiles
from change2task.vcs.repository import Repository
from change2task.vcs.workbench import Workbench
from tests.support.repos import Content, RepoBuilder
from tests.support.variants import variant

HEALTHY: dict[str, Content] = {
    "src/pkg/__init__.py": "",
    "src/pkg/core.py": "def one():\n    return 1\n",
    "src/pkg/crlf.py": b"X = 1\r\nY = 2\r\n",
    "src/pkg/more/a.py": "A = 1\n",
    "src/pkg/more/b.py": "B = 1\n",
    "tests/test_core.py": "from pkg.core import one\n\n\ndef test_old():\n    assert one()\n\n\n"
    "def test_hidden():\n    assert one() == 1\n",
    "tests/data/x.json": "{}\n",
    "docs/index.rst": "Documents\n",
    "README.md": "# pkg\n",
    "pyproject.toml": "[project]\nname = 'pkg'\n",
}
TASK: dict[str, Content] = {"src/pkg/core.py": "def one():\n    return 2\n"}
AGENT: dict[str, Content] = {
    **TASK,
    "tests/test_core.py": "from pkg.core import one\n\n\ndef test_old():\n    assert one()\n",
}
MODULES = frozenset({"pytest", "json", "random"})


@dataclass
class Task:
    """A task whose answer is a patch, or tests, with its trees in a repository."""

    repo: RepoBuilder
    repository: Repository
    variant: TaskVariant
    tests: TaskVariant
    checks: list[str] = field(
        default_factory=lambda: [f"tests/test_core.py::{name}" for name in ("test_old", "test_hidden")]
    )

    def patch(self, files: dict[str, Content] | dict[bytes, Content], of: str = "agent") -> bytes:
        """The patch that changes these files of the agent's tree."""
        self.repo.switch("answer", at=self.repo.tip(of))
        self.repo.commit(files)  # type: ignore[arg-type]
        return self.repo.git("diff", "--binary", "--full-index", of, "answer")

    def submitted(self, answer: bytes | dict[str, Content], *, tests: bool = False) -> Submission:
        """What of an answer is graded."""
        patch = answer if isinstance(answer, bytes) else self.patch(answer)
        variant = self.tests if tests else self.variant
        healthy = variant.spec.trees.healthy
        roles = roles_of(self.repository, self.repository.tree(healthy), Scope())
        checks = CheckFiles(self.repository, healthy, self.checks, naming("pytest"))
        return submission(self.repository, variant, patch, roles, checks, MODULES)

    def with_files(self, files: dict[str, Content]) -> None:
        """Have these files in every tree of the task."""
        trees = {}
        for branch in ("healthy", "task", "agent"):
            self.repo.switch(branch)
            self.repo.commit(files)
            trees[branch] = self.repo.tree(branch)
        for name in ("variant", "tests"):
            variant = getattr(self, name)
            made = variant.spec.trees.replacing(**trees)
            setattr(self, name, variant.replacing(spec=variant.spec.replacing(trees=made)))

    def taken_out(self, path: str, content: Content, *, hidden: bool) -> None:
        """Have this file in every tree but the agent's, from which it is taken out."""
        self.with_files({path: content})
        self.repo.switch("agent")
        self.repo.commit({path: None})
        spec = self.variant.spec
        trees = spec.trees.replacing(agent=self.repo.tree("agent"))
        checks, traces = spec.checks, dict(spec.traces)
        if hidden:
            checks = checks.replacing(hidden_files={**checks.hidden_files, path: "3" * 40})
        else:
            traces[path] = "removed"
        self.variant = self.variant.replacing(spec=spec.replacing(trees=trees, checks=checks, traces=traces))

    def text(self, tree: str, path: str) -> bytes | None:
        """A file of a tree, None when it is not in it."""
        entry = self.repository.entry(tree, path.encode())
        return None if entry is None else self.repository.blob(entry.oid)

    @property
    def agent_tree(self) -> str:
        """V."""
        return self.variant.spec.trees.agent


@pytest.fixture
def task(tmp_path: Path) -> Iterator[Task]:
    repo = RepoBuilder(tmp_path / "repo", branch="healthy")
    healthy = repo.commit(HEALTHY)
    for branch, files in (("task", TASK), ("agent", AGENT)):
        repo.switch(branch, at=healthy)
        repo.commit(files)
    trees = Trees(healthy=repo.tree("healthy"), task=repo.tree("task"), agent=repo.tree("agent"))
    patch = OutputContract(output="patch", permitted=("src/**",), protected=("tests/**", "pyproject.toml"))
    tests = OutputContract(output="tests", permitted=("tests/**",), protected=("pyproject.toml",))
    with Repository.open(repo.path) as upstream:
        yield Task(
            repo=repo,
            repository=Workbench(upstream, tmp_path / "bench"),
            variant=variant(trees, patch, Family.BUG_FIX),
            tests=variant(trees, tests, Family.TEST_GENERATION),
        )
