"""What is done about a task: nothing, until a replay is asked for; then a chain of policies, as for all work.

Pure. A task's three states are run again in the same Jobs that made it; what came of it is told in its status and never
changes the task. How that is carried out is ``variant_acts``'.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from pydantic import Field

from change2task.api.conditions import Conditions
from change2task.api.reasons import Reason
from change2task.operator import ways_out, work
from change2task.operator.actions import Decision, Keep, Tell, first
from change2task.operator.observed import SeenWork
from change2task.operator.ways_out import WaysOut
from change2task.pipeline.keys import MOST_REPLAYS

STEPS = 3 * MOST_REPLAYS
"""More than any replay needs: one a repeat, and one more where a pass gave no verdict."""


class SeenReplay(SeenWork):
    """One look's facts. ``asked``: for a replay that has not come to its end; ``step``: Jobs whose results are kept.

    ``known``: the task tells where its evidence and its base lie. ``told``: what status says by now.
    """

    asked: bool = False
    known: bool = True
    times: int = Field(default=1, ge=1, le=MOST_REPLAYS)
    step: int = Field(default=0, ge=0)
    told: Conditions = ()

    @property
    def number(self) -> int:
        """See SeenWork."""
        return self.step

    @property
    def what(self) -> str:
        """See SeenWork."""
        return f"replay, step {self.step + 1}"

    @property
    def ways_out(self) -> WaysOut:
        """See SeenWork."""
        return ways_out.REPLAY

    @property
    def conditions(self) -> Conditions:
        """See SeenWork."""
        return self.told


Policy = Callable[[SeenReplay, datetime], Decision | None]


def decide(seen: SeenReplay, now: datetime) -> Decision:
    """The decision of the first policy that has one."""
    return first(POLICIES, seen, now)


def nothing_asked(seen: SeenReplay, now: datetime) -> Decision | None:
    """A task that nobody asks about is as it should be."""
    return None if seen.asked else Decision(action=Keep(), reason=Reason.COMPLETE)


def sources_known(seen: SeenReplay, now: datetime) -> Decision | None:
    """A task that was put here by hand, or long ago, does not say where its evidence lies."""
    if seen.known:
        return None
    message = (
        "this task does not say where its evidence and its base lie, so it cannot be replayed here; delete it, so that"
        " it is made again, or replay it on a machine (change2task pull, change2task replay)"
    )
    return Decision(
        action=Tell(stalled=True, reason=Reason.RESULT_LOST, message=message),
        reason=Reason.RESULT_LOST,
        message=message,
    )


def next_step(seen: SeenReplay, now: datetime) -> Decision | None:
    """See ``work``."""
    return work.next_step(seen, now, STEPS)


POLICIES: tuple[Policy, ...] = (
    nothing_asked,
    sources_known,
    work.foreign_object,
    work.result_is_there,
    work.job_hangs,
    work.job_goes_on,
    work.job_failed,
    next_step,
)
