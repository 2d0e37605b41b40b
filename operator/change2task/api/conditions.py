"""Conditions as kstatus reads them: kubectl wait, Flux and Argo CD must agree on what is done.

A verdict is not health: a rejected candidate ends Ready=True and Accepted=False. Which condition a
stage sets is left to the reconcile decisions.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field

from change2task.api.model import Model
from change2task.api.reasons import Reason


class ConditionType(StrEnum):
    """Condition types of the three resources (design: "The three resources")."""

    READY = "Ready"
    RECONCILING = "Reconciling"
    STALLED = "Stalled"
    RESOLVED = "Resolved"
    BUILT = "Built"
    DATED = "Dated"
    HEALTHY = "Healthy"
    ISOLATED = "Isolated"
    MINED = "Mined"
    ALIGNED = "Aligned"
    CONSTRUCTED = "Constructed"
    VALIDATED = "Validated"
    REVIEWED = "Reviewed"
    ACCEPTED = "Accepted"
    VERIFIED = "Verified"
    PUBLISHED = "Published"


class Condition(Model):
    """One observed fact, shaped as metav1.Condition."""

    type: ConditionType = Field(description="What is spoken of.")
    status: Literal["True", "False", "Unknown"] = Field(description="Whether it holds.")
    reason: Reason = Field(description="Why, as one word of the closed list in docs/reference/reasons.md.")
    message: str = Field(default="", max_length=32768, description="What happened in this case, and the way out.")
    last_transition_time: datetime = Field(description="When status last changed.")
    observed_generation: int = Field(default=1, ge=0, description="Generation of the spec that was looked at.")


Conditions = Annotated[
    tuple[Condition, ...],
    Field(
        max_length=32,
        json_schema_extra={"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["type"]},
    ),
]
"""Conditions of one resource, at most one of a type."""


def with_condition(conditions: Iterable[Condition], new: Condition) -> tuple[Condition, ...]:
    """The conditions with ``new`` in its type's place; the transition time moves only when the status does."""
    result: list[Condition] = []
    placed = False
    for old in conditions:
        if old.type != new.type:
            result.append(old)
            continue
        placed = True
        same = old.status == new.status
        result.append(new.replacing(last_transition_time=old.last_transition_time) if same else new)
    if not placed:
        result.append(new)
    return tuple(result)


def condition(conditions: Iterable[Condition], kind: ConditionType) -> Condition | None:
    """The condition of this type, or None."""
    return next((c for c in conditions if c.type == kind), None)
