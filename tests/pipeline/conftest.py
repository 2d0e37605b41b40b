"""The world's base on hand, so that tasks are graded without a process and a preparation each."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from change2task.api.taskcandidate import Profile
from change2task.api.taskvariant import TaskVariant
from change2task.cli.choices import Runtime
from change2task.cli.inputs import Inputs
from change2task.cli.sessions import open_session
from change2task.corpus.grading import Grade
from change2task.corpus.store import Store
from change2task.pipeline.grading import grade_patch
from change2task.pipeline.ports import BaseOnHand
from tests.support.silent import Silent
from tests.support.world import URL, World, variables, world

__all__ = ["variables", "world"]


@dataclass(frozen=True)
class Hand:
    """A store of one's own and its base, ready to run passes."""

    world: World
    store: Store
    base: BaseOnHand

    def variant(self, name: str) -> TaskVariant:
        """The task of a candidate."""
        candidate = self.store.candidate(name)
        assert candidate is not None
        assert candidate.status.variant_ref is not None
        found = self.store.variant(candidate.status.variant_ref.name)
        assert found is not None
        return found

    def restoration(self, name: str) -> bytes:
        """G of a task."""
        return self.store.patch(self.variant(name).spec.restoration_patch)

    def seen(self, name: str, path: str) -> str:
        """A file as the agent sees it."""
        return self.world.file(self.variant(name).spec.trees.agent, path)

    def grade(self, name: str, patch: bytes | str) -> Grade:
        """The grade of a patch."""
        content = patch.encode() if isinstance(patch, str) else patch
        return grade_patch(self.store, self.base, self.variant(name), content)


@pytest.fixture(scope="module")
def hand(world: World, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hand]:
    folder: Path = tmp_path_factory.mktemp("hand")
    store = Store.open(world.copy(folder), create=False)
    base = store.base("toolbox")
    assert base is not None
    inputs = Inputs(bases={"toolbox": base}, candidates=(), forge={}, mirrors={URL: str(world.repository)})
    with pytest.MonkeyPatch.context() as patched:
        for name, value in world.env.items():
            patched.setenv(name, value)
        with open_session(
            store, Runtime.PROCESS, Profile.FULL, inputs, reporter=Silent(), cancel=threading.Event(), notice=print
        ) as session:
            yield Hand(world, store, session.bases.reopen(base))
