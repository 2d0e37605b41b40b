"""The pipeline from pass to pass: the same verdict as in one go, in a few steps, whatever runs the passes."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

from change2task.api.taskcandidate import TaskCandidate
from change2task.checks.passes import PassRecord
from change2task.cli.sessions import Session
from change2task.corpus.store import Store
from change2task.pipeline.ports import BaseOnHand
from change2task.pipeline.stepwise import step
from tests.support.runs import Listening, session_of
from tests.support.world import World

NAMES = ("fix", "superseded", "entangled", "docs")


@pytest.fixture
def ground(world: World, tmp_path: Path) -> Iterator[tuple[Session, BaseOnHand]]:
    """A session over a copy of the world's store without verdicts, with its base on hand."""
    store = Store.open(world.copy(tmp_path), create=False)
    base = store.base("toolbox")
    assert base is not None
    for name in store.names(TaskCandidate):
        (store.path / "candidates" / f"{name}.yaml").unlink()
    with session_of(world, store, Listening(), threading.Event()) as session:
        on_hand = session.bases.drive(base.replacing(status=type(base.status)())).on_hand
        assert on_hand is not None
        yield session, on_hand


@pytest.mark.parametrize("name", NAMES)
def test_the_verdict_is_that_of_a_run_in_one_go(world: World, ground: tuple[Session, BaseOnHand], name: str) -> None:
    session, base = ground
    earlier = Store.open(world.store, create=False).candidate(name)
    assert earlier is not None
    asked = earlier.replacing(status=type(earlier.status)())
    answers: dict[str, list[PassRecord]] = defaultdict(list)
    steps = []
    for _ in range(12):
        done = step(session.candidates, asked, base, answers)
        if done.candidate is not None:
            break
        steps.append(len(done.needs))
        for order in done.needs:
            answers[order.key()].append(base.runner.run(order))
    assert done.candidate is not None
    assert _told(done.candidate) == _told(earlier)
    assert len(steps) <= 4, steps


def test_what_is_left_of_the_repeats_after_screening_is_needed_in_one_step(
    world: World, ground: tuple[Session, BaseOnHand]
) -> None:
    session, base = ground
    earlier = Store.open(world.store, create=False).candidate("fix")
    assert earlier is not None
    asked = earlier.replacing(status=type(earlier.status)())
    answers: dict[str, list[PassRecord]] = defaultdict(list)
    while not (done := step(session.candidates, asked, base, answers)).candidate and len(done.needs) == 1:
        answers[done.needs[0].key()].append(base.runner.run(done.needs[0]))
    assert {order.label.rpartition("/")[2] for order in done.needs} == {
        f"{state}-{repeat}-{part}"
        for state, repeat in (("task", 1), ("restored", 0), ("restored", 1))
        for part in ("hidden", "open")
    }


def _told(candidate: TaskCandidate) -> tuple[object, ...]:
    status = candidate.status
    attempts = [(one.strategy, one.outcome, one.reason, one.tree) for one in status.attempts]
    return status.accepted, status.reason, status.message, status.variant_ref, status.checks, attempts
