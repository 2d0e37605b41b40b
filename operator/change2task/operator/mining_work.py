"""What is done about a base's mining: nothing, until a ready base asks for it; then a chain of policies.

Pure. It is work beside the base's own: the base is ready whatever becomes of it, so that all it says stands in a
condition of its own. Which candidates are made is ``mining``'s, how it is carried out ``mining_acts``'.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from pydantic import Field

from change2task.api.conditions import Conditions, ConditionType, condition
from change2task.api.mining import MINE_ANNOTATION
from change2task.api.modernbase import ModernBase
from change2task.api.reasons import Reason
from change2task.cluster.failures import Failure
from change2task.operator import ways_out, work
from change2task.operator.actions import Conclude, Decision, Keep, decided, first
from change2task.operator.observed import SeenWork
from change2task.operator.ways_out import WaysOut
from change2task.pipeline import status
from change2task.pipeline.keys import digest

MINING_VERSION = 1
"""Raised when the miner may find something else under the same rules."""
_REFUSED_SECONDS = 300.0


class SeenMining(SeenWork):
    """One look's facts. ``key``: what is to be mined; empty where nothing is. ``done``: what was mined last.

    ``outcome``: where the miner's answer lies. ``refused``: why the API server took no candidate of it.
    """

    key: str = ""
    done: str = ""
    step: int = Field(default=0, ge=0)
    outcome: str | None = None
    refused: Failure | None = None
    told: Conditions = ()

    @property
    def number(self) -> int:
        """See SeenWork."""
        return self.step

    @property
    def what(self) -> str:
        """See SeenWork."""
        return "the mining of its history"

    @property
    def ways_out(self) -> WaysOut:
        """See SeenWork."""
        return ways_out.MINING

    @property
    def conditions(self) -> Conditions:
        """What is said of mining, in the place where all other work has its Ready condition."""
        mined = condition(self.told, ConditionType.MINED)
        return () if mined is None else (mined.replacing(type=ConditionType.READY),)


def key_of(base: ModernBase) -> str:
    """What is to be mined of a base; empty where nothing is: it asks for nothing, or is not ready."""
    rules = base.spec.mining
    if rules is None or not status.is_ready(base):
        return ""
    asked = base.metadata.annotations.get(MINE_ANNOTATION, "")
    return digest("mining", MINING_VERSION, base.status.base_key, base.metadata.name, rules.document(), asked)


Policy = Callable[[SeenMining, datetime], Decision | None]


def decide(seen: SeenMining, now: datetime) -> Decision:
    """The decision of the first policy that has one."""
    return first(POLICIES, seen, now)


def nothing_asked(seen: SeenMining, now: datetime) -> Decision | None:
    """A base that asks for nothing, or has what it asks for, is as it should be."""
    return Decision(action=Keep(), reason=Reason.COMPLETE) if seen.key in {"", seen.done} else None


def refused(seen: SeenMining, now: datetime) -> Decision | None:
    """A rule of the cluster forbids candidates: those that are made count, the others are asked for later."""
    if seen.refused is None:
        return None
    told = work.stalled(seen.refused.reason, seen.refused.message, seen.ways_out)
    return told.replacing(again=_REFUSED_SECONDS)


def finished(seen: SeenMining, now: datetime) -> Decision | None:
    """The miner's answer is kept: make its candidates."""
    return None if seen.outcome is None else decided(Conclude(outcome=seen.outcome), "its candidates are being made")


def next_step(seen: SeenMining, now: datetime) -> Decision | None:
    """See ``work``."""
    return work.next_step(seen, now, 1)


POLICIES: tuple[Policy, ...] = (
    nothing_asked,
    refused,
    finished,
    work.foreign_object,
    work.result_is_there,
    work.job_hangs,
    work.job_goes_on,
    work.job_failed,
    next_step,
)
