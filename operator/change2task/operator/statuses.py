"""What status says after a look: conditions that kstatus understands, written once. Pure.

Progress and stalls are told here; verdicts come as the pipeline made them.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from change2task.api.conditions import Condition, ConditionType
from change2task.api.modernbase import ModernBase, ModernBaseStatus
from change2task.api.progress import BaseProgress, Progress
from change2task.api.reasons import Reason
from change2task.api.taskcandidate import TaskCandidate, TaskCandidateStatus
from change2task.operator.bases import BaseDecision
from change2task.operator.candidates import Decision, Keep, Tell
from change2task.pipeline import status

_ON_THE_WAY = {ConditionType.READY, ConditionType.RECONCILING, ConditionType.STALLED, ConditionType.ISOLATED}


def isolated(conditions: Sequence[Condition], generation: int, now: datetime) -> tuple[Condition, ...]:
    """The conditions of what has run in pods that were found closed."""
    return status.put(conditions, ConditionType.ISOLATED, "True", Reason.SUCCEEDED, generation, now)


def after(
    candidate: TaskCandidate, decision: Decision, progress: Progress | None, now: datetime
) -> TaskCandidateStatus:
    """The status of a candidate without a verdict, or with one that stands, after a decision was carried out."""
    was, generation = candidate.status, candidate.metadata.generation
    if isinstance(decision.action, Keep) and decision.reason is Reason.COMPLETE:
        if status.is_suspended(candidate) and not candidate.spec.suspend:
            return status.resumed_candidate(candidate, now).status
        return was
    if isinstance(decision.action, Keep) and decision.reason is Reason.BASE_REPLACED:
        return was.replacing(
            conditions=status.put(
                was.conditions, ConditionType.READY, "True", Reason.BASE_REPLACED, generation, now, decision.message
            )
        )
    if decision.reason is Reason.SUSPENDED:
        return status.suspended_candidate(candidate, now).status.replacing(progress=progress)
    stalled = isinstance(decision.action, Tell) and decision.action.stalled
    return TaskCandidateStatus(
        observed_generation=generation,
        conditions=_working(was.conditions, decision, generation, now, stalled=stalled),
        base_key=was.base_key,
        progress=progress,
    )


def after_base(base: ModernBase, decision: BaseDecision, progress: BaseProgress, now: datetime) -> ModernBaseStatus:
    """The status of a base on its way, after a decision was carried out; one that has come to an end keeps its own."""
    was, generation = base.status, base.metadata.generation
    if isinstance(decision.action, Keep) and decision.reason is not Reason.IN_PROGRESS:
        return was
    stalled = isinstance(decision.action, Tell) and decision.action.stalled
    return ModernBaseStatus(
        observed_generation=generation,
        conditions=_working(was.conditions, decision, generation, now, stalled=stalled),
        progress=progress,
    )


def _working(
    conditions: Sequence[Condition], decision: Decision | BaseDecision, generation: int, now: datetime, *, stalled: bool
) -> tuple[Condition, ...]:
    kept: Sequence[Condition] = [one for one in conditions if one.type in _ON_THE_WAY]
    if decision.reason is Reason.NOT_ISOLATED:
        kept = status.put(kept, ConditionType.ISOLATED, "False", decision.reason, generation, now, decision.message)
    for kind, state in (
        (ConditionType.READY, "False"),
        (ConditionType.RECONCILING, "False" if stalled else "True"),
        (ConditionType.STALLED, "True" if stalled else "False"),
    ):
        kept = status.put(
            kept, kind, "True" if state == "True" else "False", decision.reason, generation, now, decision.message
        )
    return tuple(kept)
