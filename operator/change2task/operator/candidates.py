"""What is done about a candidate: a chain of policies over one observation; the first that has an answer decides.

Pure. Every policy is a sentence about the world, in the order in which they matter; each answers with one action at
most, so that a crash after any of them leaves something the next look goes on from. What is common to all work is in
``work``.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from change2task.api.reasons import Reason
from change2task.operator import work
from change2task.operator.actions import Conclude, Decision, Keep, Publish, Reject, decided, first, tells
from change2task.operator.observed import SeenCandidate
from change2task.pipeline.keys import VERDICT

STEPS = 40
"""More than any candidate needs; a candidate that goes on beyond is a defect of ours."""
Policy = Callable[[SeenCandidate, datetime], Decision | None]


def decide(seen: SeenCandidate, now: datetime) -> Decision:
    """The decision of the first policy that has one."""
    return first(POLICIES, seen, now)


def verdict_stands(seen: SeenCandidate, now: datetime) -> Decision | None:
    """A verdict stands as long as its key; one that rests on a base since replaced stands for that base."""
    status = seen.candidate.status
    if status.accepted is None or VERDICT not in status.stages:
        return None
    if seen.verdict_key is None or status.stages[VERDICT] == seen.verdict_key:
        action = Keep() if seen.lost is None else Publish(outcome=seen.lost)
        return Decision(action=action, reason=Reason.COMPLETE)
    if status.base_key is not None and seen.base.key is not None and status.base_key != seen.base.key:
        message = f"made on base {status.base_key[:12]}; {seen.base.name} is now {seen.base.key[:12]}"
        return Decision(action=Keep(), reason=Reason.BASE_REPLACED, message=message)
    return None


def suspended(seen: SeenCandidate, now: datetime) -> Decision | None:
    """While a candidate is suspended nothing new begins; what has ended is still kept, and what hangs ended."""
    if not seen.candidate.spec.suspend:
        return None
    ending = work.result_is_there(seen, now) or work.job_hangs(seen, now)
    return ending or tells(Reason.SUSPENDED, "spec.suspend is true")


def finished(seen: SeenCandidate, now: datetime) -> Decision | None:
    """The last step's outcome is kept: conclude, unless somebody else's object stands where its variant must."""
    if seen.outcome is None:
        return None
    return work.foreign_object(seen, now) or decided(Conclude(outcome=seen.outcome), "the verdict is being written")


def base_decides(seen: SeenCandidate, now: datetime) -> Decision | None:
    """Without a healthy base nothing is worth beginning; a base that failed is the candidate's verdict."""
    base = seen.base
    if base.phase == "missing":
        return tells(Reason.BASE_NOT_FOUND, f"ModernBase {base.name} is not in this namespace; apply it")
    if base.phase in {"working", "stalled"}:
        told = f"ModernBase {base.name}: {base.reason.value} {base.message}".strip()
        return tells(Reason.WAITING_FOR_BASE, told)
    if base.phase == "failed":
        message = f"base {base.name} is not healthy: {base.reason.value}: {base.message or base.reason.sentence}"
        return Decision(action=Reject(reason=Reason.BASE_NOT_READY, message=message))
    if not base.isolated and not seen.allow_unisolated:
        return work.stalled(Reason.NOT_ISOLATED, base.message)
    return None


def next_step(seen: SeenCandidate, now: datetime) -> Decision | None:
    """See ``work``."""
    return work.next_step(seen, now, STEPS)


POLICIES: tuple[Policy, ...] = (
    verdict_stands,
    suspended,
    finished,
    base_decides,
    work.foreign_object,
    work.result_is_there,
    work.job_hangs,
    work.job_goes_on,
    work.job_failed,
    next_step,
)
