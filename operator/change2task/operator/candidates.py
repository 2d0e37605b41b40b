"""What is done about a candidate: a chain of policies over one observation; the first that has an answer decides.

Pure. Every policy is a sentence about the world, in the order in which they matter; each answers with one action at
most, so that a crash after any of them leaves something the next look goes on from. A fault of the cluster is never a
verdict: it is tried again, or told as Stalled with the way out.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Literal

from change2task.api.model import Model
from change2task.api.reasons import Reason
from change2task.cluster.failures import Failure
from change2task.operator.observed import SeenCandidate, SeenJob
from change2task.pipeline.keys import VERDICT

MOST_ATTEMPTS = 4
"""Jobs that one step may use up before a person is asked."""
STEPS = 40
"""More than any candidate needs; a candidate that goes on beyond is a defect of ours."""
UNSTARTED = timedelta(minutes=15)
"""How long a Job may wait for a place or an image before that is told as Stalled."""
_RETRIED = frozenset(
    {
        Reason.EVICTED,
        Reason.PREEMPTED,
        Reason.NODE_LOST,
        Reason.RESULT_LOST,
        Reason.START_FAILED,
        Reason.INFRASTRUCTURE,
    }
)
_RETRIED_ONCE = frozenset({Reason.OUT_OF_MEMORY, Reason.DEADLINE_EXCEEDED})
"""Another node may be faster or emptier; what fails so twice will fail so again."""
_WAYS_OUT = {
    Reason.IMAGE_PULL_FAILED: "check the image's name and the pull secrets of the base's podTemplate",
    Reason.UNSCHEDULABLE: "add nodes, or ask for less in the base's podTemplate.resources",
    Reason.QUOTA_EXCEEDED: "raise the namespace's quota, or lower the operator's caps",
    Reason.ADMISSION_REFUSED: "let the namespace take pods of Pod Security level restricted made by the operator",
    Reason.OUT_OF_MEMORY: "raise resources.memory of the base's podTemplate",
    Reason.DEADLINE_EXCEEDED: "raise the base's checks.timeoutSeconds",
    Reason.FOREIGN_OBJECT: "rename or remove that object",
    Reason.NOT_ISOLATED: "install a network plug-in that enforces policies, or set allowUnisolated and accept the risk",
}


class StartStep(Model):
    """Create the Job of a step; one that is there already is success after its owner and hash are checked."""

    do: Literal["startStep"] = "startStep"
    step: int
    attempt: int


class Capture(Model):
    """Keep a finished step's result where the next step finds it; only then may its Job go."""

    do: Literal["capture"] = "capture"
    job: str
    result: str


class Conclude(Model):
    """Read the last step's outcome: publish its variant if there is one, and write the verdict to status."""

    do: Literal["conclude"] = "conclude"
    outcome: str


class Reject(Model):
    """Write a verdict that needed no step."""

    do: Literal["reject"] = "reject"
    reason: Reason
    message: str


class Tell(Model):
    """Only status says something: ``ready`` what is waited for, or ``stalled`` what a person must do."""

    do: Literal["tell"] = "tell"
    stalled: bool = False
    reason: Reason
    message: str


class Keep(Model):
    """All is as it should be."""

    do: Literal["keep"] = "keep"


Action = StartStep | Capture | Conclude | Reject | Tell | Keep


class Decision(Model):
    """One action, what status says meanwhile, and the seconds after which to look again unasked."""

    action: Action
    reason: Reason = Reason.IN_PROGRESS
    message: str = ""
    again: float | None = None


Policy = Callable[[SeenCandidate, datetime], Decision | None]


def decide(seen: SeenCandidate, now: datetime) -> Decision:
    """The decision of the first policy that has one."""
    for policy in POLICIES:
        decision = policy(seen, now)
        if decision is not None:
            return decision
    raise ValueError(f"no policy for step {seen.step} of {seen.candidate.metadata.name}")


def verdict_stands(seen: SeenCandidate, now: datetime) -> Decision | None:
    """A verdict stands as long as its key; one that rests on a base since replaced stands for that base."""
    status = seen.candidate.status
    if status.accepted is None or VERDICT not in status.stages:
        return None
    if seen.verdict_key is None or status.stages[VERDICT] == seen.verdict_key:
        return Decision(action=Keep(), reason=Reason.COMPLETE)
    if status.base_key is not None and seen.base.key is not None and status.base_key != seen.base.key:
        message = f"made on base {status.base_key[:12]}; {seen.base.name} is now {seen.base.key[:12]}"
        return Decision(action=Keep(), reason=Reason.BASE_REPLACED, message=message)
    return None


def suspended(seen: SeenCandidate, now: datetime) -> Decision | None:
    """While a candidate is suspended nothing new begins; what has ended is still kept."""
    if not seen.candidate.spec.suspend:
        return None
    return _captured(seen.job) or _tell(Reason.SUSPENDED, "spec.suspend is true")


def base_decides(seen: SeenCandidate, now: datetime) -> Decision | None:
    """Without a healthy base nothing is worth beginning; a base that failed is the candidate's verdict."""
    base = seen.base
    if base.phase == "missing":
        return _tell(Reason.BASE_NOT_FOUND, f"ModernBase {base.name} is not in this namespace; apply it")
    if base.phase in {"working", "stalled"}:
        return _tell(Reason.WAITING_FOR_BASE, f"ModernBase {base.name}: {base.reason.value} {base.message}".strip())
    if base.phase == "failed":
        message = f"base {base.name} is not healthy: {base.reason.value}: {base.message or base.reason.sentence}"
        return Decision(action=Reject(reason=Reason.BASE_NOT_READY, message=message))
    if not base.isolated and not seen.allow_unisolated:
        return _stalled(Reason.NOT_ISOLATED, base.message)
    return None


def foreign_object(seen: SeenCandidate, now: datetime) -> Decision | None:
    """An object that only has our name is nobody's business of ours."""
    if seen.job is None or seen.job.ours:
        return None
    return _stalled(Reason.FOREIGN_OBJECT, f"Job {seen.job.name} is not ours")


def finished(seen: SeenCandidate, now: datetime) -> Decision | None:
    """The last step's outcome is kept: conclude."""
    if seen.outcome is None:
        return None
    return Decision(action=Conclude(outcome=seen.outcome), message="the verdict is being written")


def result_is_there(seen: SeenCandidate, now: datetime) -> Decision | None:
    """A step's result is kept before anything else happens to its Job."""
    return _captured(seen.job)


def job_goes_on(seen: SeenCandidate, now: datetime) -> Decision | None:
    """A Job that waits or runs is waited for; one that cannot begin for long is told."""
    job = seen.job
    if job is None or job.phase not in {"pending", "running"}:
        return None
    if job.phase == "running" or job.waits_for is None:
        return Decision(action=Keep(), message=f"step {seen.step + 1}: Job {job.name} is {job.phase}")
    waits, left = job.waits_for, UNSTARTED - (now - job.since)
    if left <= timedelta(0) or waits.reason is Reason.ADMISSION_REFUSED:
        return _stalled(waits.reason, f"Job {job.name}: {waits.message}")
    decision = _tell(waits.reason, f"Job {job.name}: {waits.message}")
    return decision.replacing(again=max(1.0, left.total_seconds()))


def job_failed(seen: SeenCandidate, now: datetime) -> Decision | None:
    """A fault of the cluster is tried again where that is safe and may help, else told with the way out."""
    job = seen.job
    if job is None:
        return None
    failure = job.failure or Failure(reason=Reason.RESULT_LOST, message="the Job ended and left no result")
    told = f"step {seen.step + 1}, attempt {job.attempt}: {_words(failure)}"
    most = MOST_ATTEMPTS if failure.reason in _RETRIED else 2 if failure.reason in _RETRIED_ONCE else 0
    if seen.attempts >= most:
        return _stalled(failure.reason, told)
    if not seen.room:
        return _tell(Reason.QUEUED, f"to be tried again: {told}")
    return Decision(action=StartStep(step=seen.step, attempt=job.attempt + 1), message=f"tried again: {told}")


def next_step(seen: SeenCandidate, now: datetime) -> Decision | None:
    """Nothing runs and nothing is known to be enough: the next step begins, as far as there is room."""
    if seen.step >= STEPS:
        return _stalled(Reason.INFRASTRUCTURE, f"{seen.step} steps gave no verdict; please report this as a defect")
    if not seen.room:
        return _tell(Reason.QUEUED, f"step {seen.step + 1} waits for room")
    return Decision(action=StartStep(step=seen.step, attempt=seen.attempts + 1), message=f"step {seen.step + 1} begins")


POLICIES: tuple[Policy, ...] = (
    verdict_stands,
    suspended,
    finished,
    base_decides,
    foreign_object,
    result_is_there,
    job_goes_on,
    job_failed,
    next_step,
)


def _captured(job: SeenJob | None) -> Decision | None:
    if job is None or not job.ours or job.phase != "succeeded" or job.result is None:
        return None
    return Decision(action=Capture(job=job.name, result=job.result), message=f"the result of {job.name} is being kept")


def _tell(reason: Reason, message: str) -> Decision:
    return Decision(action=Tell(reason=reason, message=message), reason=reason, message=message)


def _stalled(reason: Reason, message: str) -> Decision:
    way_out = _WAYS_OUT.get(reason)
    told = f"{message}; {way_out}" if way_out and message else way_out or message
    return Decision(action=Tell(stalled=True, reason=reason, message=told), reason=reason, message=told)


def _words(failure: Failure) -> str:
    where = f"container {failure.container}: " if failure.container else ""
    return f"{failure.reason.value}: {where}{failure.message}"
