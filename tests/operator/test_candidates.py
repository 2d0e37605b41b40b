"""What is done about a candidate, as a table: every phase by every observation that matters."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from change2task.api.conditions import ConditionType
from change2task.api.metadata import ObjectMeta, Reference
from change2task.api.reasons import Reason
from change2task.api.taskcandidate import Change, TaskCandidate, TaskCandidateSpec, TaskCandidateStatus
from change2task.cluster.failures import Failure
from change2task.operator import candidates
from change2task.operator.actions import Capture, Conclude, Decision, EndJob, Keep, Publish, Reject, StartStep, Tell
from change2task.operator.candidates import decide
from change2task.operator.observed import SeenBase, SeenCandidate, SeenJob
from change2task.pipeline import status

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
SPEC = TaskCandidateSpec(base_ref=Reference(name="base"), change=Change(pull_request=603))
CANDIDATE = TaskCandidate(metadata=ObjectMeta(name="one"), spec=SPEC)
SUSPENDED = CANDIDATE.replacing(spec=SPEC.replacing(suspend=True))
READY = SeenBase(name="base", phase="ready", key="k" * 64)
JOB = SeenJob(name="c2t-one-0-1", attempt=1, since=NOW)
DONE = JOB.replacing(phase="succeeded", result="f" * 64)


def seen(**facts: object) -> SeenCandidate:
    return SeenCandidate.model_validate({"candidate": CANDIDATE, "base": READY, "verdict_key": "v" * 64, **facts})


def with_verdict(key: str = "v" * 64, base_key: str = "k" * 64) -> TaskCandidate:
    told = TaskCandidateStatus(accepted=True, stages={"verdict": key}, base_key=base_key)
    return CANDIDATE.replacing(status=told)


def failed(reason: Reason, attempt: int = 1) -> dict[str, object]:
    failure = Failure(reason=reason, message="its last words", container="task-0")
    return {"job": JOB.replacing(phase="failed", failure=failure, attempt=attempt), "attempts": attempt}


def waiting(reason: Reason, minutes: float) -> dict[str, object]:
    since = NOW - timedelta(minutes=minutes)
    return {"job": JOB.replacing(since=since, waits_for=Failure(reason=reason, message="0/3 nodes")), "attempts": 1}


STARVED = Failure(reason=Reason.OUT_OF_MEMORY, message="ended with 0", container="slot-1")
UNPLACED = CANDIDATE.replacing(
    status=TaskCandidateStatus(conditions=status.put((), ConditionType.READY, "False", Reason.UNSCHEDULABLE, 1, NOW))
)
TABLE: list[tuple[str, dict[str, object], type, Reason, str]] = [
    ("nothing yet", {}, StartStep, Reason.IN_PROGRESS, "step 1 begins"),
    ("no room", {"room": False}, Tell, Reason.QUEUED, "waits for room"),
    ("no base", {"base": SeenBase(name="base", phase="missing")}, Tell, Reason.BASE_NOT_FOUND, "apply it"),
    ("base working", {"base": SeenBase(name="base", phase="working")}, Tell, Reason.WAITING_FOR_BASE, "Pending"),
    ("base stalled", {"base": SeenBase(name="base", phase="stalled")}, Tell, Reason.WAITING_FOR_BASE, "base"),
    (
        "base failed",
        {"base": SeenBase(name="base", phase="failed", reason=Reason.NO_CHECKS)},
        Reject,
        Reason.IN_PROGRESS,
        "",
    ),
    ("network open", {"base": READY.replacing(isolated=False)}, Tell, Reason.NOT_ISOLATED, "allowUnisolated"),
    (
        "network open, risk taken",
        {"base": READY.replacing(isolated=False), "allow_unisolated": True},
        StartStep,
        Reason.IN_PROGRESS,
        "",
    ),
    ("foreign Job", {"job": JOB.replacing(ours=False)}, Tell, Reason.FOREIGN_OBJECT, "not ours"),
    ("foreign Job that ended", {"job": DONE.replacing(ours=False)}, Tell, Reason.FOREIGN_OBJECT, "remove that object"),
    ("pending", {"job": JOB, "attempts": 1}, Keep, Reason.IN_PROGRESS, "is pending"),
    ("running", {"job": JOB.replacing(phase="running"), "attempts": 1}, Keep, Reason.IN_PROGRESS, "is running"),
    ("no node takes it", waiting(Reason.UNSCHEDULABLE, 1), Tell, Reason.UNSCHEDULABLE, "0/3 nodes"),
    ("no node takes it for long", waiting(Reason.UNSCHEDULABLE, 15), Tell, Reason.UNSCHEDULABLE, "add or free nodes"),
    ("admission refuses", waiting(Reason.ADMISSION_REFUSED, 0), Tell, Reason.ADMISSION_REFUSED, "restricted"),
    ("step done", {"job": DONE, "attempts": 1}, Capture, Reason.IN_PROGRESS, "is being kept"),
    ("done, result lost", {"job": JOB.replacing(phase="succeeded"), "attempts": 1}, StartStep, Reason.IN_PROGRESS,
     "ResultLost"),
    ("evicted", failed(Reason.EVICTED), StartStep, Reason.IN_PROGRESS, "tried again"),
    ("evicted, no room", {**failed(Reason.EVICTED), "room": False}, Tell, Reason.QUEUED, "to be tried again"),
    ("evicted too often", failed(Reason.EVICTED, 4), Tell, Reason.EVICTED, "its last words"),
    ("out of memory once", failed(Reason.OUT_OF_MEMORY), StartStep, Reason.IN_PROGRESS, "container task-0"),
    ("out of memory twice", failed(Reason.OUT_OF_MEMORY, 2), Tell, Reason.OUT_OF_MEMORY, "a new ModernBase"),
    ("no image", failed(Reason.IMAGE_PULL_FAILED), Tell, Reason.IMAGE_PULL_FAILED, "pull secrets"),
    ("hangs", {"job": JOB.replacing(phase="running", hangs=STARVED), "attempts": 1}, EndJob, Reason.IN_PROGRESS,
     "slot-1"),
    ("hangs, suspended", {"candidate": SUSPENDED, "job": JOB.replacing(hangs=STARVED)}, EndJob, Reason.IN_PROGRESS,
     "slot-1"),
    ("being ended", {"job": JOB.replacing(phase="running", hangs=STARVED, ending=STARVED), "attempts": 1}, Keep,
     Reason.IN_PROGRESS, "is being ended"),
    ("never begun in its time", {**failed(Reason.DEADLINE_EXCEEDED), "candidate": UNPLACED}, Tell,
     Reason.UNSCHEDULABLE, "add or free nodes"),
    ("Jobs gone", {"attempts": 3}, StartStep, Reason.IN_PROGRESS, "begins"),
    ("Jobs gone again and again", {"attempts": 4}, Tell, Reason.RESULT_LOST, "who deletes Jobs"),
    ("foreign variant", {"step": 3, "outcome": "e" * 64, "foreign": "TaskVariant x"}, Tell, Reason.FOREIGN_OBJECT,
     "TaskVariant x"),
    ("verdict, variant deleted", {"candidate": with_verdict(), "lost": "e" * 64}, Publish, Reason.COMPLETE, ""),
    ("the next step", {"step": 1, "attempts": 0}, StartStep, Reason.IN_PROGRESS, "step 2 begins"),
    ("too many steps", {"step": 40}, Tell, Reason.INFRASTRUCTURE, "report"),
    ("outcome known", {"step": 3, "outcome": "e" * 64}, Conclude, Reason.IN_PROGRESS, ""),
    (
        "outcome known, base gone",
        {"step": 3, "outcome": "e" * 64, "base": SeenBase(name="base", phase="missing")},
        Conclude,
        Reason.IN_PROGRESS,
        "",
    ),
    ("suspended", {"candidate": SUSPENDED}, Tell, Reason.SUSPENDED, ""),
    ("suspended while running", {"candidate": SUSPENDED, "job": JOB}, Tell, Reason.SUSPENDED, ""),
    ("suspended, step done", {"candidate": SUSPENDED, "job": DONE}, Capture, Reason.IN_PROGRESS, ""),
    ("verdict", {"candidate": with_verdict()}, Keep, Reason.COMPLETE, ""),
    (
        "verdict, base deleted",
        {"candidate": with_verdict(), "verdict_key": None, "base": SeenBase(name="base", phase="missing")},
        Keep,
        Reason.COMPLETE,
        "",
    ),
    ("verdict on another base", {"candidate": with_verdict("w" * 64, "j" * 64)}, Keep, Reason.BASE_REPLACED, "made on"),
    ("verdict asked for again", {"candidate": with_verdict("w" * 64)}, StartStep, Reason.IN_PROGRESS, ""),
]  # fmt: skip


@pytest.mark.parametrize(("facts", "does", "reason", "said"), [row[1:] for row in TABLE], ids=[row[0] for row in TABLE])
def test_each_observation_has_its_answer(facts: dict[str, object], does: type, reason: Reason, said: str) -> None:
    decision = decide(seen(**facts), NOW)
    assert isinstance(decision.action, does)
    assert decision.reason is reason
    assert said in decision.message


def test_only_what_a_person_must_mend_is_stalled() -> None:
    stalled = {
        name
        for name, facts, does, *_ in TABLE
        if does is Tell and getattr(decide(seen(**facts), NOW).action, "stalled", False)
    }
    assert stalled == {
        "network open",
        "foreign Job",
        "foreign Job that ended",
        "no node takes it for long",
        "admission refuses",
        "evicted too often",
        "out of memory twice",
        "no image",
        "too many steps",
        "never begun in its time",
        "Jobs gone again and again",
        "foreign variant",
    }


def test_a_failed_base_is_the_candidates_verdict_with_the_bases_reason() -> None:
    action = decide(seen(base=SeenBase(name="base", phase="failed", reason=Reason.NO_CHECKS)), NOW).action
    assert isinstance(action, Reject)
    assert action.reason is Reason.BASE_NOT_READY
    assert "NoChecks" in action.message


def test_another_attempt_has_another_number_and_the_same_step() -> None:
    action = decide(seen(step=2, **failed(Reason.NODE_LOST, 2)), NOW).action
    assert action == StartStep(step=2, attempt=3)


def test_what_waits_for_a_place_is_looked_at_again_when_its_time_is_over() -> None:
    assert decide(seen(**waiting(Reason.UNSCHEDULABLE, 5)), NOW).again == 600


def test_the_same_observation_gives_the_same_decision() -> None:
    for _, facts, *_ in TABLE:
        assert decide(seen(**facts), NOW) == decide(seen(**facts), NOW)


def test_every_policy_decides_something_in_the_table() -> None:
    used = set()
    for _, facts, *_ in TABLE:
        used.add(next(p for p in candidates.POLICIES if isinstance(p(seen(**facts), NOW), Decision)))
    assert used == set(candidates.POLICIES)
