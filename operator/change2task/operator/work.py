"""What is decided about work that is done in Jobs, whatever the work is: waited for, kept, tried again, or told.

Pure. A fault of the cluster is never a verdict: it is tried again where that is safe and may help, or told as Stalled
with the way out. What the next step of a kind of work is, is its own module's.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Literal

from change2task.api.model import Model
from change2task.api.reasons import Reason
from change2task.cluster.failures import Failure
from change2task.operator.observed import SeenJob

MOST_ATTEMPTS = 4
"""Jobs that one step may use up before a person is asked."""
UNSTARTED = timedelta(minutes=15)
"""How long a Job may wait for a place or an image before that is told as Stalled."""
_RETRIED = frozenset(
    {
        Reason.EVICTED,
        Reason.PREEMPTED,
        Reason.NODE_LOST,
        Reason.RESULT_LOST,
        Reason.START_FAILED,
        Reason.INFRASTRUCTURE,
    }
)
_RETRIED_ONCE = frozenset({Reason.OUT_OF_MEMORY, Reason.DEADLINE_EXCEEDED, Reason.NOT_ISOLATED})
"""Another node may be faster, emptier or closed; what fails so twice will fail so again."""
_PAUSES = (timedelta(seconds=20), timedelta(minutes=2), timedelta(minutes=5))
"""What a service that was away is given before it is asked again; a lost node needs none."""
WAYS_OUT: Mapping[Reason, str] = {
    Reason.IMAGE_PULL_FAILED: "check the image's name and the pull secrets of the base's podTemplate",
    Reason.UNSCHEDULABLE: "add nodes, or ask for less in the base's podTemplate.resources",
    Reason.QUOTA_EXCEEDED: "raise the namespace's quota, or lower the operator's caps",
    Reason.ADMISSION_REFUSED: "let the namespace take pods of Pod Security level restricted made by the operator",
    Reason.OUT_OF_MEMORY: "raise resources.memory of the base's podTemplate",
    Reason.DEADLINE_EXCEEDED: "raise the base's checks.timeoutSeconds",
    Reason.FOREIGN_OBJECT: "rename or remove that object",
    Reason.NOT_ISOLATED: "install a network plug-in that enforces policies, or set allowUnisolated and accept the risk",
}


class StartStep(Model):
    """Create the Job of a step; one that is there already is success after its owner and hash are checked."""

    do: Literal["startStep"] = "startStep"
    step: int
    attempt: int


class Capture(Model):
    """Keep a finished step's result where the next step finds it; only then may its Job go."""

    do: Literal["capture"] = "capture"
    job: str
    result: str


class Conclude(Model):
    """Read the last step's outcome: publish its variant if there is one, and write the verdict to status."""

    do: Literal["conclude"] = "conclude"
    outcome: str


class Tell(Model):
    """Only status says something: ``ready`` what is waited for, or ``stalled`` what a person must do."""

    do: Literal["tell"] = "tell"
    stalled: bool = False
    reason: Reason
    message: str


class Keep(Model):
    """All is as it should be."""

    do: Literal["keep"] = "keep"


def foreign(job: SeenJob | None) -> Tell | None:
    """An object that only has our name is nobody's business of ours."""
    if job is None or job.ours:
        return None
    return stalled(Reason.FOREIGN_OBJECT, f"Job {job.name} is not ours")


def capture(job: SeenJob | None) -> Capture | None:
    """A step's result is kept before anything else happens to its Job."""
    if job is None or not job.ours or job.phase != "succeeded" or job.result is None:
        return None
    return Capture(job=job.name, result=job.result)


def goes_on(
    job: SeenJob, what: str, now: datetime, ways_out: Mapping[Reason, str]
) -> tuple[Keep | Tell, str, float | None]:
    """What is said of a Job that waits or runs, and when to look again; ``what`` it works on, for people."""
    if job.waits_for is None:
        return Keep(), f"{what}: Job {job.name} is {job.phase}", None
    waits, left = job.waits_for, UNSTARTED - (now - job.since)
    if left <= timedelta(0) or waits.reason is Reason.ADMISSION_REFUSED:
        told = stalled(waits.reason, f"Job {job.name}: {waits.message}", ways_out)
        return told, told.message, None
    message = f"Job {job.name}: {waits.message}"
    return Tell(reason=waits.reason, message=message), message, max(1.0, left.total_seconds())


def failed(
    job: SeenJob, what: str, step: int, attempts: int, now: datetime, ways_out: Mapping[Reason, str], *, room: bool
) -> tuple[StartStep | Tell, str, float | None]:
    """What is done about a Job without a result, and when to look again if it is nothing yet."""
    failure = job.failure or Failure(reason=Reason.RESULT_LOST, message="the Job ended and left no result")
    told = f"{what}, attempt {job.attempt}: {words(failure)}"
    most = MOST_ATTEMPTS if failure.reason in _RETRIED else 2 if failure.reason in _RETRIED_ONCE else 0
    if attempts >= most:
        tell = stalled(failure.reason, told, ways_out)
        return tell, tell.message, None
    if failure.reason is Reason.INFRASTRUCTURE:
        left = _PAUSES[min(attempts, len(_PAUSES)) - 1] - (now - job.since)
        if left > timedelta(0):
            message = f"to be tried again: {told}"
            return Tell(reason=Reason.INFRASTRUCTURE, message=message), message, max(1.0, left.total_seconds())
    if not room:
        message = f"to be tried again: {told}"
        return Tell(reason=Reason.QUEUED, message=message), message, None
    return StartStep(step=step, attempt=job.attempt + 1), f"tried again: {told}", None


def stalled(reason: Reason, message: str, ways_out: Mapping[Reason, str] = WAYS_OUT) -> Tell:
    """What a person must do something about, with the way out."""
    way_out = ways_out.get(reason)
    told = f"{message}; {way_out}" if way_out and message else way_out or message
    return Tell(stalled=True, reason=reason, message=told)


def words(failure: Failure) -> str:
    """A failure in a sentence."""
    where = f"container {failure.container}: " if failure.container else ""
    return f"{failure.reason.value}: {where}{failure.message}"
