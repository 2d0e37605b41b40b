"""One run over several resources: what fails alone fails alone, and what ends the whole run ends it for all."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from change2task.api.taskcandidate import TaskCandidate
from change2task.checks.passes import Cancelled
from change2task.construct.models import Assignment, NotApplicable, Proposal
from change2task.corpus.errors import StoreDamaged
from change2task.corpus.store import Store
from change2task.vcs.repository import Repository
from tests.support.runs import Listening, run
from tests.support.world import World


@dataclass(frozen=True)
class Broken:
    """A strategy with a defect for one file."""

    name: str = "broken"
    level: int = 1
    path: str = "toolbox/clock.py"

    def propose(self, repository: Repository, assignment: Assignment) -> Iterator[Proposal | NotApplicable]:
        if self.path in {file.modern for file in assignment.files}:
            raise ZeroDivisionError("division by zero")
        yield NotApplicable(strategy=self.name, level=self.level, why="not this one")


@pytest.fixture
def store(world: World, tmp_path: Path) -> Store:
    """A store whose base stands and whose candidates are all to be judged."""
    opened = Store.open(world.copy(tmp_path), create=False)
    for name in opened.names(TaskCandidate):
        (opened.path / "candidates" / f"{name}.yaml").unlink()
    return opened


def test_a_defect_in_one_candidate_leaves_no_verdict_and_the_others_go_on(world: World, store: Store) -> None:
    told = Listening()
    outcome = run(world, store, ("superseded", "entangled", "docs"), told=told, strategies=(Broken(),))
    assert told.of == 3
    assert told.ended_as == {
        "base toolbox": "ready",
        "candidate superseded": "no verdict",
        "candidate entangled": "ConstructionExhausted",
        "candidate docs": "NoSourceChange",
    }
    assert outcome.faults == (
        "candidate superseded: a defect of change2task, please report it: ZeroDivisionError: division by zero",
    )
    assert [one.status.accepted for one in outcome.candidates] == [None, False, False]
    assert store.names(TaskCandidate) == ("docs", "entangled")


def test_a_run_that_is_stopped_says_so_and_keeps_what_was_finished(world: World, store: Store) -> None:
    stop = threading.Event()
    told = Listening(stop=stop)
    with pytest.raises(Cancelled):
        run(world, store, ("docs", "empty", "binary", "fix", "security"), told=told, cancel=stop)
    assert store.candidate("fix") is None
    assert told.ended_as["candidate docs"] == "NoSourceChange"


def test_a_store_that_cannot_be_used_ends_the_whole_run(world: World, store: Store) -> None:
    (store.path / "candidates").rmdir()
    (store.path / "candidates").write_text("in the way")
    told = Listening()
    with pytest.raises(StoreDamaged, match="it cannot be read"):
        run(world, store, ("docs", "empty"), told=told)
    assert told.ended_as == {"base toolbox": "ready"}
