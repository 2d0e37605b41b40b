"""Runs and sessions of the product inside of a test's own process, over a copy of the world's store."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

import pytest

from change2task.api.modernbase import ModernBase
from change2task.api.taskcandidate import Profile, TaskCandidate
from change2task.cli.choices import Runtime
from change2task.cli.inputs import Inputs
from change2task.cli.sessions import Session, open_session
from change2task.construct.strategy import Strategy
from change2task.corpus.store import Store
from change2task.pipeline.progress import Kind
from change2task.pipeline.run import Run, RunOutcome
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


def stored_before(world: World, *names: str) -> tuple[ModernBase, list[TaskCandidate]]:
    """The world's base and candidates as they were given."""
    earlier = Store.open(world.store, create=False)
    base = earlier.base("toolbox")
    assert base is not None
    found = [earlier.candidate(name) for name in names]
    return base.replacing(status=type(base.status)()), [
        one.replacing(status=type(one.status)()) for one in found if one is not None
    ]


@contextmanager
def session_of(
    world: World, store: Store, told: Listening, stop: threading.Event, candidates: Sequence[TaskCandidate] = ()
) -> Iterator[Session]:
    """A session that reads the world's repository."""
    base, _ = stored_before(world)
    inputs = Inputs(
        bases={"toolbox": base}, candidates=tuple(candidates), forge={}, mirrors={URL: str(world.repository)}
    )
    with pytest.MonkeyPatch.context() as patched:
        for name, value in world.env.items():
            patched.setenv(name, value)
        with open_session(
            store, Runtime.PROCESS, Profile.FULL, inputs, reporter=told, cancel=stop, notice=print
        ) as session:
            yield session


def run(
    world: World,
    store: Store,
    names: tuple[str, ...],
    *,
    told: Listening,
    cancel: threading.Event | None = None,
    strategies: Sequence[Strategy] = (),
) -> RunOutcome:
    """A whole run over these candidates of the world, with its own strategies or the product's."""
    base, candidates = stored_before(world, *names)
    stop = cancel or threading.Event()
    with session_of(world, store, told, stop, candidates) as session:
        drivers = session.candidates
        if strategies:
            drivers = replace(drivers, ladder=lambda _profile, _levels: strategies)
        whole = Run(bases=session.bases, candidates=drivers, reporter=told, jobs=2, cancel=stop)
        return whole.run([base], candidates)
