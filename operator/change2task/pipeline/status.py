"""Verdicts as status: conditions that kstatus understands, attempts, and the reason that ends a candidate."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Literal

from change2task.api.conditions import Condition, ConditionType, condition, with_condition
from change2task.api.modernbase import ModernBase
from change2task.api.reasons import Reason, RejectionClass
from change2task.api.taskcandidate import Attempt, CheckCounts, TaskCandidate, TaskCandidateStatus
from change2task.api.taskvariant import TaskVariant, TaskVariantStatus
from change2task.base.faults import BaseFault
from change2task.construct.models import NotApplicable, Proposal
from change2task.validate.qualification import Qualification
from change2task.validate.verdict import Verdict, refused

_ORDER = (ConditionType.ALIGNED, ConditionType.CONSTRUCTED, ConditionType.VALIDATED)
_FAILS_AT = {
    RejectionClass.ENVIRONMENT: 0,
    RejectionClass.ALIGNMENT: 0,
    RejectionClass.CONSTRUCTION: 1,
    RejectionClass.LIFECYCLE: 2,
    RejectionClass.QUALIFICATION: 2,
    RejectionClass.HARNESS: 2,
}
_SUCCESS = {
    ConditionType.ALIGNED: Reason.ALIGNED,
    ConditionType.CONSTRUCTED: Reason.CONSTRUCTED,
    ConditionType.VALIDATED: Reason.VALIDATED,
}


def rejection(reason: Reason, message: str) -> Verdict:
    """A refusal before any gate was reached."""
    return refused("alignment", reason, message)


def not_applicable(answer: NotApplicable) -> Attempt:
    """A strategy's own refusal, for the record."""
    return Attempt(
        level=answer.level,
        strategy=answer.strategy,
        outcome="duplicate" if answer.duplicate else "notApplicable",
        reason=Reason.CONSTRUCTION_EXHAUSTED,
        message=answer.why[:2000],
    )


def furthest(refusals: Sequence[tuple[int, Verdict]]) -> Verdict:
    """The refusal that ends a candidate: of the proposal that came furthest, the first of several."""
    return max(refusals, key=lambda refusal: refusal[0])[1]


def gates_document(proposal: Proposal, qualification: Qualification) -> bytes:
    """Everything the gates looked at for one proposal, as canonical JSON."""
    document = {
        "proposal": proposal.document(),
        "gates": [gate.document() for gate in qualification.gates],
        "roles": [role.document() for role in qualification.roles],
        "targets": list(qualification.targets),
        "observers": list(qualification.observers),
        "hiddenFiles": qualification.hidden_files,
        "shared": list(qualification.shared),
        "traces": {"removed": qualification.traces, "left": qualification.stays},
        "runs": qualification.runs,
    }
    if qualification.fidelity is not None:
        document["fidelity"] = qualification.fidelity.document()
    return json.dumps(document, sort_keys=True, separators=(",", ":")).encode()


def candidate_conditions(
    candidate: TaskCandidate, verdict: Verdict, *, accepted: bool, now: datetime
) -> tuple[Condition, ...]:
    """Conditions of a candidate that has its verdict: Ready whatever it is, Accepted by it."""
    generation = candidate.metadata.generation
    failed_at = len(_ORDER) if accepted else _FAILS_AT[verdict.reason.rejection or RejectionClass.HARNESS]
    outcome = Reason.ACCEPTED if accepted else verdict.reason
    rows: list[tuple[ConditionType, Literal["True", "False", "Unknown"], Reason, str]] = []
    for place, kind in enumerate(_ORDER):
        if place < failed_at:
            rows.append((kind, "True", _SUCCESS[kind], ""))
        elif place == failed_at:
            rows.append((kind, "False", verdict.reason, verdict.message))
        else:
            rows.append((kind, "Unknown", Reason.SKIPPED, ""))
    rows += [
        (ConditionType.ACCEPTED, "True" if accepted else "False", outcome, verdict.message),
        (ConditionType.READY, "True", Reason.COMPLETE, f"verdict: {outcome.value}"),
        (ConditionType.RECONCILING, "False", Reason.COMPLETE, ""),
        (ConditionType.STALLED, "False", Reason.COMPLETE, ""),
    ]
    conditions: tuple[Condition, ...] = candidate.status.conditions
    for kind, state, reason, message in rows:
        conditions = put(conditions, kind, state, reason, generation, now, message)
    return conditions


def refused_candidate(
    candidate: TaskCandidate, verdict: Verdict, base_key: str | None, now: datetime
) -> TaskCandidateStatus:
    """The status of a candidate that was refused before it was looked into."""
    return TaskCandidateStatus(
        observed_generation=candidate.metadata.generation,
        conditions=candidate_conditions(candidate, verdict, accepted=False, now=now),
        base_key=base_key,
        accepted=False,
        reason=verdict.reason,
        rejection=verdict.reason.rejection,
        message=verdict.message,
    )


def published_variant(variant: TaskVariant, counts: CheckCounts, now: datetime) -> TaskVariant:
    """A variant as it is stored: verified by the gates it comes from, and published."""
    conditions: tuple[Condition, ...] = ()
    rows: tuple[tuple[ConditionType, Literal["True", "False"], Reason], ...] = (
        (ConditionType.VERIFIED, "True", Reason.VALIDATED),
        (ConditionType.PUBLISHED, "True", Reason.ACCEPTED),
        (ConditionType.READY, "True", Reason.COMPLETE),
        (ConditionType.RECONCILING, "False", Reason.COMPLETE),
        (ConditionType.STALLED, "False", Reason.COMPLETE),
    )
    generation = variant.metadata.generation
    for kind, state, reason in rows:
        conditions = put(conditions, kind, state, reason, generation, now)
    return variant.replacing(
        status=TaskVariantStatus(observed_generation=generation, conditions=conditions, checks=counts)
    )


def stalled_candidate(candidate: TaskCandidate, message: str, now: datetime) -> TaskCandidate:
    """A candidate whom the machine failed: no verdict, Stalled with the way out in the message."""
    conditions = _stalled(candidate.status.conditions, candidate.metadata.generation, message, now)
    return candidate.replacing(status=candidate.status.replacing(conditions=conditions))


def stalled_base(base: ModernBase, message: str, now: datetime) -> ModernBase:
    """A base whom the machine failed."""
    conditions = _stalled(base.status.conditions, base.metadata.generation, message, now)
    return base.replacing(status=base.status.replacing(conditions=conditions))


def suspended_candidate(candidate: TaskCandidate, now: datetime) -> TaskCandidate:
    """A candidate that waits because its spec says so."""
    generation = candidate.metadata.generation
    conditions = put(candidate.status.conditions, ConditionType.READY, "False", Reason.SUSPENDED, generation, now)
    conditions = put(conditions, ConditionType.RECONCILING, "False", Reason.SUSPENDED, generation, now)
    return candidate.replacing(status=candidate.status.replacing(conditions=conditions))


def resumed_candidate(candidate: TaskCandidate, now: datetime) -> TaskCandidate:
    """A candidate whose suspension was lifted after it had its verdict."""
    was = candidate.status
    verdict = Verdict(
        gate="status", passed=was.accepted is True, reason=was.reason or Reason.COMPLETE, message=was.message
    )
    conditions = candidate_conditions(candidate, verdict, accepted=was.accepted is True, now=now)
    return candidate.replacing(status=was.replacing(conditions=conditions))


def is_suspended(candidate: TaskCandidate) -> bool:
    """Whether the candidate's status says that it waits."""
    ready = condition(candidate.status.conditions, ConditionType.READY)
    return ready is not None and ready.reason is Reason.SUSPENDED


def is_ready(base: ModernBase) -> bool:
    """Whether tasks can rest on the base."""
    ready = condition(base.status.conditions, ConditionType.READY)
    return ready is not None and ready.status == "True"


def reason_of(base: ModernBase) -> Reason:
    """The reason of the base's Ready condition."""
    ready = condition(base.status.conditions, ConditionType.READY)
    return ready.reason if ready is not None else Reason.PENDING


def message_of(base: ModernBase) -> str:
    """The message of the base's Ready condition."""
    ready = condition(base.status.conditions, ConditionType.READY)
    return ready.message if ready is not None else ""


def put(
    conditions: Sequence[Condition],
    kind: ConditionType,
    status: Literal["True", "False", "Unknown"],
    reason: Reason,
    generation: int,
    now: datetime,
    message: str = "",
) -> tuple[Condition, ...]:
    """The conditions with this one set."""
    return with_condition(
        conditions,
        Condition(
            type=kind,
            status=status,
            reason=reason,
            message=message[:32768],
            last_transition_time=now,
            observed_generation=generation,
        ),
    )


def _stalled(conditions: Sequence[Condition], generation: int, message: str, now: datetime) -> tuple[Condition, ...]:
    states: tuple[tuple[ConditionType, Literal["True", "False"]], ...] = (
        (ConditionType.READY, "False"),
        (ConditionType.RECONCILING, "False"),
        (ConditionType.STALLED, "True"),
    )
    for kind, state in states:
        conditions = put(conditions, kind, state, Reason.INFRASTRUCTURE, generation, now, message)
    return tuple(conditions)


_BASE_ORDER = (ConditionType.RESOLVED, ConditionType.BUILT, ConditionType.HEALTHY)
_BASE_SUCCESS = {
    ConditionType.RESOLVED: Reason.RESOLVED,
    ConditionType.BUILT: Reason.BUILT,
    ConditionType.HEALTHY: Reason.HEALTHY,
}


def ready_base_conditions(
    conditions: Sequence[Condition], generation: int, now: datetime, *, dated: bool, dated_detail: str
) -> tuple[Condition, ...]:
    """Conditions of a healthy base; Dated says whether its dependencies are those of its date."""
    for kind in _BASE_ORDER:
        conditions = put(conditions, kind, "True", _BASE_SUCCESS[kind], generation, now)
    dating: tuple[Literal["True", "False"], Reason] = ("True", Reason.DATED) if dated else ("False", Reason.UNDATED)
    conditions = put(conditions, ConditionType.DATED, *dating, generation, now, dated_detail)
    conditions = put(conditions, ConditionType.READY, "True", Reason.COMPLETE, generation, now)
    conditions = put(conditions, ConditionType.RECONCILING, "False", Reason.COMPLETE, generation, now)
    return put(conditions, ConditionType.STALLED, "False", Reason.COMPLETE, generation, now)


def failed_base_conditions(
    conditions: Sequence[Condition], fault: BaseFault, generation: int, now: datetime
) -> tuple[Condition, ...]:
    """Conditions of a base that cannot serve: not Ready for that reason, and Stalled, since nothing will mend it."""
    failed = _BASE_ORDER.index(fault.condition)
    for place, kind in enumerate(_BASE_ORDER):
        if place < failed:
            conditions = put(conditions, kind, "True", _BASE_SUCCESS[kind], generation, now)
        elif place == failed:
            conditions = put(conditions, kind, "False", fault.reason, generation, now, fault.message)
        else:
            conditions = put(conditions, kind, "Unknown", Reason.SKIPPED, generation, now)
    conditions = put(conditions, ConditionType.READY, "False", fault.reason, generation, now, fault.message)
    conditions = put(conditions, ConditionType.RECONCILING, "False", fault.reason, generation, now)
    return put(conditions, ConditionType.STALLED, "True", fault.reason, generation, now, fault.message)
