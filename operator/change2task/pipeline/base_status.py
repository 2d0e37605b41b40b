"""What came of preparing a base, as its status: the same words whoever prepared it, a run or pods.

It exists so that a base on a cluster and one of a run on one machine can be compared field by field. Where its evidence
is kept is left to the caller.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from change2task.api.modernbase import BuiltEnvironment, ModernBase, ModernBaseStatus
from change2task.base.models import NoBase, PreparedBase
from change2task.base.prepare import STAGES
from change2task.pipeline import status


def ready_status(
    base: ModernBase,
    before: ModernBaseStatus,
    prepared: PreparedBase,
    evidence: Mapping[str, str],
    now: datetime,
    *,
    environment: BuiltEnvironment | None = None,
) -> ModernBaseStatus:
    """The status of a healthy base.

    ``before`` is the status it had; ``evidence`` says by kind under which SHA-256 it is kept; ``environment`` is told
    instead of the prepared one's own summary, if given.
    """
    made = prepared.environment.environment
    return ModernBaseStatus(
        observed_generation=base.metadata.generation,
        conditions=status.ready_base_conditions(
            before.conditions, base.metadata.generation, now, dated=made.dated, dated_detail=made.dated_detail
        ),
        base_key=prepared.key,
        commit=prepared.commit,
        commit_time=prepared.commit_time.isoformat(),
        resolution=prepared.tried,
        environment=environment or made.summary(),
        inventory=prepared.inventory.counted(),
        evidence=dict(evidence),
        stages=STAGES,
        seconds=_rounded(prepared.seconds),
    )


def failed_status(base: ModernBase, before: ModernBaseStatus, failed: NoBase, now: datetime) -> ModernBaseStatus:
    """The status of a base that cannot serve."""
    generation = base.metadata.generation
    return ModernBaseStatus(
        observed_generation=generation,
        conditions=status.failed_base_conditions(before.conditions, failed.fault, generation, now),
        resolution=failed.tried,
        seconds=_rounded(failed.seconds),
    )


def _rounded(seconds: Mapping[str, float]) -> dict[str, float]:
    return {stage: round(value, 3) for stage, value in seconds.items()}
