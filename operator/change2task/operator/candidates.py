"""What is done about a candidate: a chain of policies over one observation; the first that has an answer decides.

Pure. Every policy is a sentence about the world, in the order in which they matter; each answers with one action at
most, so that a crash after any of them leaves something the next look goes on from. A fault of the cluster is never a
verdict: it is tried again, or told as Stalled with the way out.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Literal

from change2task.api.model import Model
from change2task.api.reasons import Reason
from change2task.operator import work
from change2task.operator.observed import SeenCandidate, SeenJob
from change2task.operator.work import Capture, Conclude, Keep, StartStep, Tell
from change2task.pipeline.keys import VERDICT

STEPS = 40
"""More than any candidate needs; a candidate that goes on beyond is a defect of ours."""
__all__ = ["POLICIES", "Action", "Capture", "Conclude", "Decision", "Keep", "Reject", "StartStep", "Tell", "decide"]


class Reject(Model):
    """Write a verdict that needed no step."""

    do: Literal["reject"] = "reject"
    reason: Reason
    message: str


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
    told = work.foreign(seen.job)
    return None if told is None else _told(told)


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
    action, message, again = work.goes_on(job, f"step {seen.step + 1}", now, work.WAYS_OUT)
    reason = action.reason if isinstance(action, Tell) else Reason.IN_PROGRESS
    return Decision(action=action, reason=reason, message=message, again=again)


def job_failed(seen: SeenCandidate, now: datetime) -> Decision | None:
    """A fault of the cluster is tried again where that is safe and may help, else told with the way out."""
    job = seen.job
    if job is None:
        return None
    action, message, again = work.failed(
        job, f"step {seen.step + 1}", seen.step, seen.attempts, now, work.WAYS_OUT, room=seen.room
    )
    reason = action.reason if isinstance(action, Tell) else Reason.IN_PROGRESS
    return Decision(action=action, reason=reason, message=message, again=again)


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
    action = work.capture(job)
    return None if action is None else Decision(action=action, message=f"the result of {action.job} is being kept")


def _tell(reason: Reason, message: str) -> Decision:
    return _told(Tell(reason=reason, message=message))


def _stalled(reason: Reason, message: str) -> Decision:
    return _told(work.stalled(reason, message))


def _told(action: Tell) -> Decision:
    return Decision(action=action, reason=action.reason, message=action.message)
