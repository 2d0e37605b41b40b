"""One run over several resources: what fails alone fails alone, and what ends the whole run ends it for all."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from change2task.api.modernbase import ModernBase
from change2task.api.taskcandidate import Profile, TaskCandidate
from change2task.checks.passes import Cancelled
from change2task.cli.inputs import Inputs
from change2task.cli.sessions import Runtime, Session, open_session
from change2task.construct.models import Assignment, NotApplicable, Proposal
from change2task.corpus.errors import StoreDamaged
from change2task.corpus.store import Store
from change2task.pipeline.progress import Kind
from change2task.pipeline.run import Run, RunOutcome
from change2task.vcs.repository import Repository
from tests.support.world import URL, World


@dataclass
class Listening:
    """Remembers what was told; can set an event when it is."""

    ended_as: dict[str, str] = field(default_factory=dict)
    of: int = 0
    stop: threading.Event | None = None

    def planned(self, candidates: int) -> None:
        self.of = candidates

    def stage(self, kind: Kind, name: str, stage: str, detail: str = "") -> None:
        if self.stop is not None and stage == "alignment":
            self.stop.set()

    def ended(self, kind: Kind, name: str, outcome: str, detail: str = "") -> None:
        self.ended_as[f"{kind} {name}"] = outcome


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


def stored_before(world: World, *names: str) -> tuple[ModernBase, list[TaskCandidate]]:
    """The world's base and candidates as they were given."""
    earlier = Store.open(world.store, create=False)
    base = earlier.base("toolbox")
    assert base is not None
    found = [earlier.candidate(name) for name in names]
    return base.replacing(status=type(base.status)()), [
        one.replacing(status=type(one.status)()) for one in found if one is not None
    ]


def run(
    world: World,
    store: Store,
    names: tuple[str, ...],
    *,
    told: Listening,
    cancel: threading.Event | None = None,
    strategies: tuple[Broken, ...] = (),
) -> RunOutcome:
    base, candidates = stored_before(world, *names)
    stop = cancel or threading.Event()
    inputs = Inputs(
        bases={"toolbox": base}, candidates=tuple(candidates), forge={}, mirrors={URL: str(world.repository)}
    )
    with pytest.MonkeyPatch.context() as patched:
        for name, value in world.env.items():
            patched.setenv(name, value)
        with open_session(
            store, Runtime.PROCESS, Profile.FULL, inputs, reporter=told, cancel=stop, notice=print
        ) as session:
            return driven(session, base, candidates, told, stop, strategies)


def driven(
    session: Session,
    base: ModernBase,
    candidates: list[TaskCandidate],
    told: Listening,
    stop: threading.Event,
    strategies: tuple[Broken, ...],
) -> RunOutcome:
    drivers = session.candidates
    if strategies:
        drivers = replace(drivers, ladder=lambda _profile, _levels: strategies)
    whole = Run(bases=session.bases, candidates=drivers, reporter=told, jobs=2, cancel=stop)
    return whole.run([base], candidates)


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
