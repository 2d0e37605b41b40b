"""What status says after a look: conditions that kstatus understands, written once. Pure.

Progress and stalls are told here; verdicts come as the pipeline made them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, Literal, NamedTuple

from pydantic import ValidationError

from change2task.api.conditions import Condition, ConditionType, condition
from change2task.api.modernbase import ModernBase, ModernBaseStatus
from change2task.api.progress import BaseProgress, Progress
from change2task.api.reasons import Reason
from change2task.api.taskcandidate import TaskCandidate, TaskCandidateStatus
from change2task.api.taskvariant import TaskVariantStatus
from change2task.operator.actions import Decision, Keep, Publish, Tell
from change2task.pipeline import status
from change2task.vcs import errors

_State = Literal["True", "False"]
_WORKING: tuple[tuple[ConditionType, _State], ...] = (
    (ConditionType.READY, "False"),
    (ConditionType.RECONCILING, "True"),
    (ConditionType.STALLED, "False"),
)
_STUCK: tuple[tuple[ConditionType, _State], ...] = (
    (ConditionType.READY, "False"),
    (ConditionType.RECONCILING, "False"),
    (ConditionType.STALLED, "True"),
)
_ON_THE_WAY = {ConditionType.READY, ConditionType.RECONCILING, ConditionType.STALLED, ConditionType.ISOLATED}


class Said(NamedTuple):
    """What people are told by an event."""

    reason: Reason
    message: str
    warning: bool = False


Told = ModernBaseStatus | TaskCandidateStatus | TaskVariantStatus


def masked(told: Told) -> Told:
    """A status that repeats nobody's secrets, as far as they can be told for such, whoever worded it."""
    conditions = tuple(one.replacing(message=errors.masked(one.message)) for one in told.conditions)
    if isinstance(told, TaskCandidateStatus):
        return told.replacing(conditions=conditions, message=errors.masked(told.message))
    return told.replacing(conditions=conditions)


def isolated(conditions: Sequence[Condition], generation: int, now: datetime) -> tuple[Condition, ...]:
    """The conditions of what has run in pods that were found closed."""
    return status.put(conditions, ConditionType.ISOLATED, "True", Reason.SUCCEEDED, generation, now)


def with_way_out(conditions: Sequence[Condition], way_out: str, now: datetime) -> tuple[Condition, ...]:
    """Conditions whose Stalled one says what to do beside why; the verdict's own words stay as they are in Ready."""
    stalled = condition(conditions, ConditionType.STALLED)
    if stalled is None or stalled.status != "True":
        return tuple(conditions)
    said = f"{stalled.message}; {way_out}" if stalled.message else way_out
    return status.put(conditions, ConditionType.STALLED, "True", stalled.reason, stalled.observed_generation, now, said)


def after(
    candidate: TaskCandidate, decision: Decision, progress: Progress | None, now: datetime
) -> TaskCandidateStatus:
    """The status of a candidate without a verdict, or with one that stands, after a decision was carried out."""
    was, generation = candidate.status, candidate.metadata.generation
    if isinstance(decision.action, Keep | Publish) and decision.reason is Reason.COMPLETE:
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


def after_base(base: ModernBase, decision: Decision, progress: BaseProgress, now: datetime) -> ModernBaseStatus:
    """The status of a base on its way, after a decision was carried out; one that has come to an end keeps its own."""
    was, generation = base.status, base.metadata.generation
    if isinstance(decision.action, Keep) and decision.reason in {Reason.COMPLETE, Reason.RETRY_IGNORED}:
        told = status.put(
            was.conditions, ConditionType.READY, "True", Reason.COMPLETE, generation, now, decision.message
        )
        return was.replacing(observed_generation=generation, conditions=told)
    if isinstance(decision.action, Keep) and decision.reason is not Reason.IN_PROGRESS:
        return was
    stalled = isinstance(decision.action, Tell) and decision.action.stalled
    return ModernBaseStatus(
        observed_generation=generation,
        conditions=_working(was.conditions, decision, generation, now, stalled=stalled),
        progress=progress,
    )


def _working(
    conditions: Sequence[Condition], decision: Decision, generation: int, now: datetime, *, stalled: bool
) -> tuple[Condition, ...]:
    kept: Sequence[Condition] = [one for one in conditions if one.type in _ON_THE_WAY]
    if decision.reason is Reason.NOT_ISOLATED:
        kept = status.put(kept, ConditionType.ISOLATED, "False", decision.reason, generation, now, decision.message)
    if stalled:
        return stuck(kept, decision.reason, decision.message, generation, now)
    for kind, state in _WORKING:
        kept = status.put(kept, kind, state, decision.reason, generation, now, decision.message)
    return tuple(kept)


def stuck(
    conditions: Sequence[Condition], reason: Reason, message: str, generation: int, now: datetime
) -> tuple[Condition, ...]:
    """The conditions of what goes on only once a person has done something."""
    for kind, state in _STUCK:
        conditions = status.put(conditions, kind, state, reason, generation, now, message)
    return tuple(conditions)


def readable(conditions: Iterable[Any]) -> tuple[Condition, ...]:
    """Those conditions of an object of the API that are ours."""
    found = []
    for one in conditions:
        try:
            found.append(Condition.model_validate(one))
        except ValidationError:
            continue
    return tuple(found)
