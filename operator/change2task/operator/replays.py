"""What is done about a replay that was asked for: a chain of policies over one observation, as for candidates.

Pure. A task's three states are run again in the same Jobs that made it; what came of it is told in its status and never
changes the task. How that is carried out is ``replay_look``'s.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from pydantic import Field

from change2task.api.model import Model
from change2task.api.reasons import Reason
from change2task.operator import work
from change2task.operator.candidates import Decision
from change2task.operator.observed import SeenJob
from change2task.operator.work import StartStep, Tell
from change2task.pipeline.keys import MOST_REPLAYS


class SeenReplay(Model):
    """One look's facts. ``known``: where evidence and base lie is told; ``step``: Jobs whose results are kept.

    ``attempts``: Jobs that the present step has used up, the one seen included. ``room``: whether the caps let another
    Job begin.
    """

    known: bool = True
    times: int = Field(default=1, ge=1, le=MOST_REPLAYS)
    step: int = Field(default=0, ge=0)
    job: SeenJob | None = None
    attempts: int = Field(default=0, ge=0)
    room: bool = True


Policy = Callable[[SeenReplay, datetime], Decision | None]


def decide(seen: SeenReplay, now: datetime) -> Decision:
    """The decision of the first policy that has one."""
    return next(decision for policy in POLICIES if (decision := policy(seen, now)) is not None)


def sources_known(seen: SeenReplay, now: datetime) -> Decision | None:
    """A task that was put here by hand, or long ago, does not say where its evidence lies."""
    if seen.known:
        return None
    message = (
        "this task does not say where its evidence and its base lie, so it cannot be replayed here; have its candidate"
        " judged anew, or replay it on a machine (change2task pull, change2task replay)"
    )
    return _told(Tell(stalled=True, reason=Reason.RESULT_LOST, message=message))


def foreign_object(seen: SeenReplay, now: datetime) -> Decision | None:
    """An object that only has our name is nobody's business of ours."""
    told = work.foreign(seen.job)
    return None if told is None else _told(told)


def result_is_there(seen: SeenReplay, now: datetime) -> Decision | None:
    """A step's result is kept before anything else happens to its Job."""
    action = work.capture(seen.job)
    return None if action is None else Decision(action=action, message=f"the result of {action.job} is being kept")


def job_goes_on(seen: SeenReplay, now: datetime) -> Decision | None:
    """A Job that waits or runs is waited for; one that cannot begin for long is told."""
    if seen.job is None or seen.job.phase not in {"pending", "running"}:
        return None
    action, message, again = work.goes_on(seen.job, f"replay, step {seen.step + 1}", now, work.WAYS_OUT)
    reason = action.reason if isinstance(action, Tell) else Reason.IN_PROGRESS
    return Decision(action=action, reason=reason, message=message, again=again)


def job_failed(seen: SeenReplay, now: datetime) -> Decision | None:
    """A fault of the cluster is tried again where that is safe and may help, else told with the way out."""
    if seen.job is None:
        return None
    action, message, again = work.failed(
        seen.job, f"replay, step {seen.step + 1}", seen.step, seen.attempts, now, work.WAYS_OUT, room=seen.room
    )
    reason = action.reason if isinstance(action, Tell) else Reason.IN_PROGRESS
    return Decision(action=action, reason=reason, message=message, again=again)


def next_step(seen: SeenReplay, now: datetime) -> Decision | None:
    """Nothing runs: the next step begins, as far as there is room."""
    if not seen.room:
        return _told(Tell(reason=Reason.QUEUED, message=f"replay, step {seen.step + 1} waits for room"))
    start = StartStep(step=seen.step, attempt=seen.attempts + 1)
    return Decision(action=start, message=f"replay, step {seen.step + 1} begins")


POLICIES: tuple[Policy, ...] = (
    sources_known,
    foreign_object,
    result_is_there,
    job_goes_on,
    job_failed,
    next_step,
)


def _told(action: Tell) -> Decision:
    return Decision(action=action, reason=action.reason, message=action.message)
