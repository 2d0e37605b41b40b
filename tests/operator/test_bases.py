"""What is done about a base, as a table: every phase by every observation that matters."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from change2task.api.conditions import ConditionType
from change2task.api.metadata import ObjectMeta
from change2task.api.modernbase import Build, ModernBase, ModernBaseSpec, ModernBaseStatus, Repository, Retention
from change2task.api.progress import BaseProgress, BuiltEnvironmentImage
from change2task.api.reasons import Reason
from change2task.base.faults import BaseFault
from change2task.cluster.failures import Failure
from change2task.operator import bases
from change2task.operator.actions import Capture, Conclude, Decision, EndJob, Keep, StartStep, Tell
from change2task.operator.bases import decide_base
from change2task.operator.observed import SeenJob
from change2task.operator.observed_bases import SeenModernBase, next_work, progress_of
from change2task.pipeline import status
from change2task.pipeline.keys import base_work_key

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
BASE = ModernBase(
    metadata=ObjectMeta(name="base"),
    spec=ModernBaseSpec(repository=Repository(url="https://example.org/x.git")),
)
KEY = "k" * 64
FETCH = BaseProgress(key=KEY)
BUILD = FETCH.replacing(step=1, history="r/histories@sha256:aa")
BUILT = (BuiltEnvironmentImage(key="e" * 64, image="r/bases@sha256:bb"),)
STEP = BUILD.replacing(step=2, ground="r/grounds@sha256:cc", built=BUILT)
AGAIN = STEP.replacing(step=3, builds=True)
PHASES = {"fetch": FETCH, "build": BUILD, "step": STEP, "build again": AGAIN}
JOB = SeenJob(name="base-0123", attempt=1, since=NOW - timedelta(hours=1))


def with_conditions(fault: BaseFault | None, progress: BaseProgress | None) -> ModernBase:
    if fault is None:
        conditions = status.ready_base_conditions((), 1, NOW, dated=True, dated_detail="")
    else:
        conditions = status.failed_base_conditions((), fault, 1, NOW)
    return BASE.replacing(status=ModernBaseStatus(conditions=conditions, progress=progress))


OTHER_BUILDER = BASE.replacing(spec=BASE.spec.replacing(build=Build(builder="podman")))
DIND = BASE.replacing(spec=BASE.spec.replacing(build=Build(builder="dind")))
READY = with_conditions(None, None)
STARVED = Failure(reason=Reason.OUT_OF_MEMORY, message="ended with 0", container="slot-1")
ASKED_AGAIN = with_conditions(None, FETCH).replacing(
    metadata=ObjectMeta(name="base", annotations={"change2task.dev/retry": "2"})
)
BEGUN_WHEN_ASKED = with_conditions(None, FETCH.replacing(retry="2")).replacing(metadata=ASKED_AGAIN.metadata)
FAILED = with_conditions(
    BaseFault(reason=Reason.SETUP_FAILED, message="no wheel", condition=ConditionType.BUILT),
    STEP.replacing(outcome="o"),
)


def seen(**facts: object) -> SeenModernBase:
    return SeenModernBase.model_validate({"base": BASE, "progress": FETCH, **facts})


def failed(reason: Reason, attempt: int = 1, minutes: float = 60) -> dict[str, object]:
    failure = Failure(reason=reason, message="its last words", container="main")
    job = JOB.replacing(phase="failed", failure=failure, attempt=attempt, since=NOW - timedelta(minutes=minutes))
    return {"job": job, "attempts": attempt}


def waiting(reason: Reason, minutes: float) -> dict[str, object]:
    since = NOW - timedelta(minutes=minutes)
    return {"job": JOB.replacing(since=since, waits_for=Failure(reason=reason, message="its words")), "attempts": 1}


EVERYWHERE: list[tuple[str, dict[str, object], type, Reason, str]] = [
    ("nothing yet", {}, StartStep, Reason.IN_PROGRESS, "begins"),
    ("no room", {"room": False}, Tell, Reason.QUEUED, "waits for room"),
    ("foreign Job", {"job": JOB.replacing(ours=False)}, Tell, Reason.FOREIGN_OBJECT, "remove that object"),
    ("pending", {"job": JOB, "attempts": 1}, Keep, Reason.IN_PROGRESS, "is pending"),
    ("running", {"job": JOB.replacing(phase="running"), "attempts": 1}, Keep, Reason.IN_PROGRESS, "is running"),
    ("image not pulled yet", waiting(Reason.IMAGE_PULL_FAILED, 1), Tell, Reason.IMAGE_PULL_FAILED, "its words"),
    ("quota", waiting(Reason.QUOTA_EXCEEDED, 1), Tell, Reason.QUOTA_EXCEEDED, "its words"),
    ("done", {"job": JOB.replacing(phase="succeeded", result="f" * 64)}, Capture, Reason.IN_PROGRESS, "being kept"),
    ("done, result lost", {"job": JOB.replacing(phase="succeeded"), "attempts": 1}, StartStep, Reason.IN_PROGRESS,
     "ResultLost"),
    ("evicted", failed(Reason.EVICTED), StartStep, Reason.IN_PROGRESS, "tried again"),
    ("preempted, no room", {**failed(Reason.PREEMPTED), "room": False}, Tell, Reason.QUEUED, "to be tried again"),
    ("node lost too often", failed(Reason.NODE_LOST, 4), Tell, Reason.NODE_LOST, "its last words"),
    ("a service away", failed(Reason.INFRASTRUCTURE, 1, 0), Tell, Reason.INFRASTRUCTURE, "to be tried again"),
    ("a service away for a while", failed(Reason.INFRASTRUCTURE, 2, 3), StartStep, Reason.IN_PROGRESS, "tried again"),
    ("a service away for long", failed(Reason.INFRASTRUCTURE, 4), Tell, Reason.INFRASTRUCTURE, "/retry"),
    ("out of memory once", failed(Reason.OUT_OF_MEMORY), StartStep, Reason.IN_PROGRESS, "container main"),
    ("out of memory twice", failed(Reason.OUT_OF_MEMORY, 2), Tell, Reason.OUT_OF_MEMORY, "its last words"),
    ("too long twice", failed(Reason.DEADLINE_EXCEEDED, 2), Tell, Reason.DEADLINE_EXCEEDED, "its last words"),
    ("Jobs gone", {"attempts": 3}, StartStep, Reason.IN_PROGRESS, "begins"),
    ("Jobs gone again and again", {"attempts": 4}, Tell, Reason.RESULT_LOST, "/retry"),
    ("hangs", {"job": JOB.replacing(phase="running", hangs=STARVED)}, EndJob, Reason.IN_PROGRESS, "slot-1"),
    ("being ended", {"job": JOB.replacing(phase="running", ending=STARVED)}, Keep, Reason.IN_PROGRESS, "being ended"),
    ("ready", {"base": READY}, Keep, Reason.COMPLETE, ""),
    ("ready, asked for again", {"base": ASKED_AGAIN}, Keep, Reason.RETRY_IGNORED, "make a new ModernBase"),
    ("ready, begun when asked for", {"base": BEGUN_WHEN_ASKED}, Keep, Reason.COMPLETE, ""),
    ("ready, its Job still there", {"base": READY, "job": JOB}, Keep, Reason.COMPLETE, ""),
    ("failed", {"base": FAILED}, Keep, Reason.SETUP_FAILED, "no wheel"),
]  # fmt: skip
LONG: list[tuple[str, dict[str, object], Reason, str]] = [
    ("image not pulled for long", waiting(Reason.IMAGE_PULL_FAILED, 15), Reason.IMAGE_PULL_FAILED, "pull secrets"),
    ("no node for long", waiting(Reason.UNSCHEDULABLE, 15), Reason.UNSCHEDULABLE, "add"),
    ("admission refuses", waiting(Reason.ADMISSION_REFUSED, 0), Reason.ADMISSION_REFUSED, "Pod Security"),
]
TABLE = [
    (f"{phase}: {name}", {"progress": progress, **facts}, does, reason, said)
    for phase, progress in PHASES.items()
    for name, facts, does, reason, said in EVERYWHERE
] + [
    (f"{phase}: {name}", {"progress": progress, **facts}, Tell, reason, said)
    for phase, progress in PHASES.items()
    for name, facts, reason, said in LONG
    if phase != "fetch"
] + [
    (f"fetch: {name}", facts, EndJob, Reason.IN_PROGRESS, "is ended")
    for name, facts, *_ in LONG
] + [
    ("a fetch ended for what it waited for", failed(Reason.UNSCHEDULABLE), Tell, Reason.UNSCHEDULABLE, "/retry"),
    ("credentials refused", failed(Reason.CREDENTIALS_REFUSED), Tell, Reason.CREDENTIALS_REFUSED, "mend the Secret"),
    ("a history too large", failed(Reason.OUT_OF_MEMORY, 2), Tell, Reason.OUT_OF_MEMORY, "spec.history.depth"),
    ("a setup too slow", {"progress": BUILD, **failed(Reason.DEADLINE_EXCEEDED, 2)}, Tell, Reason.DEADLINE_EXCEEDED,
     "spec.environment"),
    ("a suite too slow", {"progress": STEP, **failed(Reason.DEADLINE_EXCEEDED, 2)}, Tell, Reason.DEADLINE_EXCEEDED,
     "checks.timeoutSeconds"),
    ("a network open once", {"progress": STEP, **failed(Reason.NOT_ISOLATED)}, StartStep, Reason.IN_PROGRESS,
     "tried again"),
    ("an open network", {"progress": STEP, **failed(Reason.NOT_ISOLATED, 2)}, Tell, Reason.NOT_ISOLATED,
     "allowUnisolated"),
    ("outcome known", {"progress": STEP.replacing(outcome="o@sha256:ee")}, Conclude, Reason.IN_PROGRESS, ""),
    ("failed under another key", {"base": FAILED, "progress": BaseProgress(key="j")}, StartStep, Reason.IN_PROGRESS,
     "fetch"),
    ("a builder that is not offered", {"base": OTHER_BUILDER}, Tell, Reason.TOOLCHAIN_MISSING, "podman"),
    ("the builder that is", {"base": DIND}, StartStep, Reason.IN_PROGRESS, "fetch"),
    ("a builder of elsewhere", {"base": DIND, "offered": "external"}, Tell, Reason.TOOLCHAIN_MISSING, "external"),
    ("another that is", {"base": OTHER_BUILDER, "offered": "podman"}, StartStep, Reason.IN_PROGRESS, "fetch"),
    ("too many steps", {"progress": STEP.replacing(step=60)}, Tell, Reason.INFRASTRUCTURE, "report"),
]  # fmt: skip


@pytest.mark.parametrize(("facts", "does", "reason", "said"), [row[1:] for row in TABLE], ids=[row[0] for row in TABLE])
def test_each_observation_has_its_answer(facts: dict[str, object], does: type, reason: Reason, said: str) -> None:
    decision = decide_base(seen(**facts), NOW)
    assert isinstance(decision.action, does)
    assert decision.reason is reason
    assert said in decision.message


def test_only_what_a_person_must_mend_is_stalled() -> None:
    stalled = {
        name.partition(": ")[2] or name
        for name, facts, does, *_ in TABLE
        if does is Tell and getattr(decide_base(seen(**facts), NOW).action, "stalled", False)
    }
    assert stalled == {
        "foreign Job",
        "image not pulled for long",
        "no node for long",
        "admission refuses",
        "node lost too often",
        "a service away for long",
        "out of memory twice",
        "too long twice",
        "credentials refused",
        "a history too large",
        "a setup too slow",
        "a suite too slow",
        "an open network",
        "a builder that is not offered",
        "a builder of elsewhere",
        "too many steps",
        "Jobs gone again and again",
        "a fetch ended for what it waited for",
    }


@pytest.mark.parametrize(
    ("progress", "work"), [(FETCH, "fetch"), (BUILD, "build"), (STEP, "step"), (AGAIN, "build")], ids=PHASES
)
def test_what_comes_next_is_told_by_what_there_is(progress: BaseProgress, work: str) -> None:
    assert next_work(progress) == work


def test_another_attempt_has_another_number_and_the_same_step() -> None:
    action = decide_base(seen(progress=STEP, **failed(Reason.NODE_LOST, 2)), NOW).action
    assert action == StartStep(step=2, attempt=3)


def test_a_service_that_is_away_is_given_more_time_each_time() -> None:
    pauses = [decide_base(seen(**failed(Reason.INFRASTRUCTURE, attempt, 0)), NOW).again for attempt in (1, 2, 3)]
    assert pauses == [20, 120, 300]


def test_another_spec_or_another_retry_is_other_work_and_another_retention_is_not() -> None:
    def key(base: ModernBase) -> str:
        return base_work_key(base, {"base": "1"})

    retried = BASE.replacing(metadata=ObjectMeta(name="base", annotations={"change2task.dev/retry": "once"}))
    other = BASE.spec.replacing(repository=Repository(url="https://example.org/y.git"))
    kept = BASE.spec.replacing(retention=Retention(finished_jobs_seconds=1))
    assert key(BASE.replacing(spec=kept)) == key(BASE)
    assert len({key(BASE), key(retried), key(BASE.replacing(spec=other)), base_work_key(BASE, {"base": "2"})}) == 4


def test_progress_under_another_key_is_forgotten() -> None:
    base = BASE.replacing(status=ModernBaseStatus(progress=STEP))
    assert progress_of(base, KEY) == STEP
    assert progress_of(base, "j") == BaseProgress(key="j")


def test_every_policy_decides_something_in_the_table() -> None:
    used = set()
    for _, facts, *_ in TABLE:
        used.add(next(p for p in bases.POLICIES if isinstance(p(seen(**facts), NOW), Decision)))
    assert used == set(bases.POLICIES)
