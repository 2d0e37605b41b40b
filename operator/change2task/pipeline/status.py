"""Verdicts as status: conditions that kstatus understands, attempts, and the reason that ends a candidate."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime

from change2task.api.conditions import Condition, ConditionType, with_condition
from change2task.api.reasons import Reason, RejectionClass
from change2task.api.taskcandidate import Attempt, TaskCandidate
from change2task.construct.models import NotApplicable, Proposal
from change2task.validate.qualify import Qualification
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
    duplicate = answer.why.startswith("same tree as ")
    return Attempt(
        level=answer.level,
        strategy=answer.strategy,
        outcome="duplicate" if duplicate else "notApplicable",
        reason=Reason.CONSTRUCTION_EXHAUSTED,
        message=answer.why[:2000],
    )


def terminal(refusals: Sequence[tuple[int, Verdict]], attempts: Sequence[Attempt]) -> Verdict:
    """The reason that ends a candidate: of the proposal that came furthest, or that none could be made."""
    if refusals:
        return max(refusals, key=lambda refusal: refusal[0])[1]
    tried = "; ".join(f"{a.strategy}: {a.message}" for a in attempts)
    return refused("construction", Reason.CONSTRUCTION_EXHAUSTED, f"no strategy could undo the change ({tried})"[:4000])


def gates_document(proposal: Proposal, qualification: Qualification) -> bytes:
    """Everything the gates looked at for one proposal, as canonical JSON."""
    document = {
        "proposal": proposal.document(),
        "gates": [gate.document() for gate in qualification.gates],
        "roles": [role.document() for role in qualification.roles],
        "targets": list(qualification.targets),
        "observers": list(qualification.observers),
        "hiddenFiles": qualification.hidden_files,
        "runs": qualification.runs,
    }
    if qualification.fidelity is not None:
        document["fidelity"] = qualification.fidelity.document()
    return json.dumps(document, sort_keys=True, separators=(",", ":")).encode()


def candidate_conditions(
    candidate: TaskCandidate, verdict: Verdict, accepted: bool, now: datetime
) -> tuple[Condition, ...]:
    """Conditions of a candidate that has its verdict: Ready whatever it is, Accepted by it."""
    conditions = candidate.status.conditions
    generation = candidate.metadata.generation

    def put(kind: ConditionType, status: str, reason: Reason, message: str = "") -> None:
        nonlocal conditions
        conditions = with_condition(
            conditions,
            Condition.model_validate(
                {
                    "type": kind,
                    "status": status,
                    "reason": reason,
                    "message": message[:32768],
                    "last_transition_time": now,
                    "observed_generation": generation,
                }
            ),
        )

    failed_at = len(_ORDER) if accepted else _FAILS_AT[verdict.reason.rejection or RejectionClass.HARNESS]
    for place, kind in enumerate(_ORDER):
        if place < failed_at:
            put(kind, "True", _SUCCESS[kind])
        elif place == failed_at:
            put(kind, "False", verdict.reason, verdict.message)
        else:
            put(kind, "Unknown", Reason.SKIPPED)
    put(
        ConditionType.ACCEPTED,
        "True" if accepted else "False",
        Reason.ACCEPTED if accepted else verdict.reason,
        verdict.message,
    )
    put(ConditionType.READY, "True", Reason.COMPLETE, f"verdict: {'accepted' if accepted else verdict.reason.value}")
    put(ConditionType.RECONCILING, "False", Reason.COMPLETE)
    put(ConditionType.STALLED, "False", Reason.COMPLETE)
    return conditions
