"""Assignments made of three versions of a few files, in a real repository."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from change2task.construct.models import Assignment, SourceFile
from change2task.vcs.repository import Repository
from change2task.vcs.trees import Entry, Tree
from change2task.vcs.workbench import Workbench
from tests.support.repos import RepoBuilder

Files = Mapping[str, bytes]


class Scene:
    """A repository to construct in, and the assignment made of the versions given."""

    def __init__(self, repository: Repository) -> None:
        self.repository = repository

    def tree(self, files: Files) -> str:
        entries = {p.encode(): Entry(0o100644, self.repository.write_blob(data)) for p, data in files.items()}
        return self.repository.write_tree(Tree(entries))

    def files(self, tree: str) -> dict[str, bytes]:
        return {p.decode(): self.repository.blob(e.oid) for p, e in self.repository.tree(tree).items()}

    def assignment(
        self, before: Files, after: Files, healthy: Files, moved: Mapping[str, str | None] | None = None
    ) -> Assignment:
        paths = sorted(p for p in {*before, *after} if before.get(p) != after.get(p))
        files = tuple(
            SourceFile(
                before=p if p in before else None,
                after=p if p in after else None,
                modern=(moved or {}).get(p, p if p in healthy else None),
            )
            for p in paths
        )
        return Assignment(
            healthy_tree=self.tree(healthy),
            before_tree=self.tree(before),
            after_tree=self.tree(after),
            files=files,
        )


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    builder = RepoBuilder(tmp_path / "repo")
    builder.commit({"README": b"x\n"})
    return Scene(Workbench(Repository.open(builder.path), tmp_path / "bench"))


@pytest.fixture
def proposed(scene: Scene) -> Callable[..., list[dict[str, bytes] | str]]:
    """What a strategy proposes, as files, or its refusal's sentence."""

    def run(strategy, before: Files, after: Files, healthy: Files, **more) -> list[dict[str, bytes] | str]:
        answers = strategy.propose(scene.repository, scene.assignment(before, after, healthy, **more))
        return [a.why if hasattr(a, "why") else scene.files(a.tree) for a in answers]

    return run
