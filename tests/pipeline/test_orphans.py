"""A task stays published exactly as long as a candidate stands for it, whenever a run ends."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from change2task.api.manifests import Resource
from change2task.api.taskcandidate import TaskCandidate
from change2task.api.taskvariant import TaskVariant
from change2task.corpus.doubtful import doubt, settle
from change2task.corpus.errors import StoreDamaged
from change2task.corpus.store import Store
from change2task.pipeline.run import Run
from tests.support.runs import Listening, run, session_of
from tests.support.world import World


@pytest.fixture
def store(world: World, tmp_path: Path) -> Store:
    """A copy of the world's store with all its verdicts."""
    return Store.open(world.copy(tmp_path), create=False)


def variant_of(store: Store, name: str) -> str:
    candidate = store.candidate(name)
    assert candidate is not None
    assert candidate.status.variant_ref is not None
    return candidate.status.variant_ref.name


def test_a_doubted_task_that_a_candidate_stands_for_stays(store: Store) -> None:
    name = variant_of(store, "fix")
    doubt(store, name)
    assert settle(store) == ()
    assert store.variant(name) is not None


def test_a_doubted_task_that_nobody_stands_for_goes_and_is_doubted_once(store: Store) -> None:
    name = variant_of(store, "fix")
    (store.path / "candidates" / "fix.yaml").unlink()
    doubt(store, name)
    assert settle(store) == (name,)
    assert store.variant(name) is None
    assert settle(store) == ()


def test_a_task_that_no_run_has_doubted_is_never_touched(store: Store) -> None:
    name = variant_of(store, "fix")
    (store.path / "candidates" / "fix.yaml").unlink()
    assert settle(store) == ()
    assert store.variant(name) is not None


def test_nothing_goes_while_a_candidate_cannot_be_read(store: Store) -> None:
    name = variant_of(store, "fix")
    doubt(store, name)
    (store.path / "candidates" / "fix.yaml").write_text("kind: [")
    with pytest.raises(StoreDamaged):
        settle(store)
    assert store.variant(name) is not None
    (store.path / "candidates" / "fix.yaml").unlink()
    assert settle(store) == (name,), "the doubt is still known"


def test_a_task_two_candidates_stand_for_stays_when_one_of_them_leaves(store: Store) -> None:
    name = variant_of(store, "fix")
    fix = store.candidate("fix")
    assert fix is not None
    store.put(fix.replacing(metadata=fix.metadata.replacing(name="twin")))
    (store.path / "candidates" / "fix.yaml").unlink()
    doubt(store, name)
    assert settle(store) == ()


class _Killed(BaseException):
    """The machine went away."""


def test_a_run_killed_before_its_verdict_and_then_decided_otherwise_leaves_no_task(
    world: World, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = variant_of(store, "fix")
    (store.path / "candidates" / "fix.yaml").unlink()
    store.remove_variant(name)
    put = Store.put

    def until_the_verdict(self: Store, resource: Resource) -> Path:
        if isinstance(resource, TaskCandidate):
            raise _Killed
        return put(self, resource)

    with monkeypatch.context() as patched:
        patched.setattr(Store, "put", until_the_verdict)
        with pytest.raises(_Killed):
            run(world, store, ("fix",), told=Listening())
    assert store.names(TaskVariant).count(name) == 1
    run(world, store, ("docs",), told=Listening())
    assert store.variant(name) is None


def test_a_candidate_turned_to_another_change_and_suspended_takes_its_task_along(world: World, store: Store) -> None:
    fix, docs = store.candidate("fix"), store.candidate("docs")
    assert fix is not None
    assert docs is not None
    name = variant_of(store, "fix")
    with session_of(world, store, Listening(), threading.Event()) as session:
        session.candidates.suspended(fix.replacing(spec=docs.spec.replacing(suspend=True), status=type(fix.status)()))
        session.candidates.settle()
    left = store.candidate("fix")
    assert left is not None
    assert left.status.variant_ref is None
    assert left.status.accepted is None
    assert store.variant(name) is None


def test_two_candidates_of_one_task_may_leave_it_side_by_side_or_one_by_one(world: World, store: Store) -> None:
    name, fix, docs = variant_of(store, "fix"), store.candidate("fix"), store.candidate("docs")
    base = store.base("toolbox")
    assert fix is not None
    assert docs is not None
    assert base is not None
    unjudged = fix.replacing(status=type(fix.status)())
    names = [fix.metadata.replacing(name=f"twin-{number}") for number in range(3)]
    twins = [unjudged.replacing(metadata=metadata) for metadata in names]
    elsewhere = [twin.replacing(spec=docs.spec) for twin in twins]

    def drive(*candidates: TaskCandidate) -> None:
        stop, told = threading.Event(), Listening()
        with session_of(world, store, told, stop, candidates) as session:
            whole = Run(session.bases, session.candidates, reporter=told, jobs=2, cancel=stop)
            assert not whole.run([base.replacing(status=type(base.status)())], candidates).faults

    drive(*twins, elsewhere[0].replacing(metadata=fix.metadata))
    assert {variant_of(store, twin.metadata.name) for twin in twins} == {name}
    assert store.variant(name) is not None, "the first has left, three have come"
    drive(elsewhere[0], twins[1], twins[2])
    assert store.variant(name) is not None
    drive(elsewhere[1], elsewhere[2])
    assert store.variant(name) is None


def test_settling_that_is_killed_half_way_is_ended_by_the_next(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = [variant_of(store, name) for name in ("fix", "feature")]
    for name in ("fix", "feature"):
        (store.path / "candidates" / f"{name}.yaml").unlink()
    for name in gone:
        doubt(store, name)
    remove = Store.remove_variant

    def once(self: Store, name: str) -> None:
        remove(self, name)
        raise _Killed

    with monkeypatch.context() as patched:
        patched.setattr(Store, "remove_variant", once)
        with pytest.raises(_Killed):
            settle(store)
    assert settle(store) == tuple(sorted(gone))
    assert [store.variant(name) for name in gone] == [None, None]


def test_a_candidate_that_cannot_be_read_is_told_at_the_end_and_costs_no_outcome(world: World, store: Store) -> None:
    doubt(store, variant_of(store, "fix"))
    (store.path / "candidates" / "fix.yaml").write_text("kind: [")
    outcome = run(world, store, ("docs",), told=Listening())
    assert [one.metadata.name for one in outcome.candidates] == ["docs"]
    assert len(outcome.faults) == 1
    assert "candidates/fix.yaml" in outcome.faults[0]


def test_what_a_killed_write_left_is_no_doubt_and_goes(store: Store) -> None:
    doubt(store, variant_of(store, "fix"))
    (store.path / "doubtful/.tmp-1").write_text("")
    assert settle(store) == ()
    assert not (store.path / "doubtful").exists()


def test_an_empty_folder_of_doubts_is_nothing(store: Store) -> None:
    (store.path / "doubtful").mkdir()
    assert settle(store) == ()
    assert not (store.path / "doubtful").exists()
