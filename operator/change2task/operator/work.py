"""What is decided about work that is done in Jobs, whatever the work is: waited for, kept, tried again, ended, or told.

Pure. A fault of the cluster is never a verdict: it is tried again where that is safe and may help, or told as Stalled
with the way out. What the next step of a kind of work is, is its own module's.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from change2task.api.conditions import ConditionType, condition
from change2task.api.reasons import Reason
from change2task.cluster.failures import Failure
from change2task.operator import ways_out
from change2task.operator.actions import Capture, Decision, EndJob, Keep, StartStep, Tell, decided, tells
from change2task.operator.observed import SeenJob, SeenWork
from change2task.operator.ways_out import RETRY, WaysOut

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
_WAITED_FOR = frozenset(
    {Reason.UNSCHEDULABLE, Reason.IMAGE_PULL_FAILED, Reason.QUOTA_EXCEEDED, Reason.ADMISSION_REFUSED}
)
"""What keeps a Job from beginning; its deadline counts that time too."""
_PAUSES = (timedelta(seconds=20), timedelta(minutes=2), timedelta(minutes=5))
"""What a service that was away is given before it is asked again; a lost node needs none."""


def foreign_object(seen: SeenWork, now: datetime) -> Decision | None:
    """An object that only has our name is nobody's business of ours."""
    named = seen.foreign or (f"Job {seen.job.name}" if seen.job is not None and not seen.job.ours else None)
    return None if named is None else stalled(Reason.FOREIGN_OBJECT, f"{named} is not ours", seen.ways_out)


def result_is_there(seen: SeenWork, now: datetime) -> Decision | None:
    """A step's result is kept before anything else happens to its Job."""
    job = seen.job
    if job is None or not job.ours or job.phase != "succeeded" or job.result is None:
        return None
    return decided(Capture(job=job.name, result=job.result), f"the result of {job.name} is being kept")


def job_hangs(seen: SeenWork, now: datetime) -> Decision | None:
    """A Job that will come to nothing is ended, so that what it holds is free and its deadline is not waited for."""
    job = seen.job
    if job is None:
        return None
    if job.ending is not None:
        return decided(Keep(), f"{seen.what}: Job {job.name} is being ended: {words(job.ending)}")
    if job.hangs is not None:
        return decided(EndJob(failure=job.hangs), f"{seen.what}: Job {job.name} is ended: {words(job.hangs)}")
    return None


def job_goes_on(seen: SeenWork, now: datetime) -> Decision | None:
    """A Job that waits or runs is waited for; one that cannot begin for long is told."""
    job = seen.job
    if job is None or job.phase not in {"pending", "running"}:
        return None
    if job.waits_for is None:
        at = f", {job.says}" if job.says else ""
        return decided(Keep(), f"{seen.what}: Job {job.name} is {job.phase}{at}")
    if cannot_begin(job, now):
        return stalled(job.waits_for.reason, f"Job {job.name}: {job.waits_for.message}", seen.ways_out)
    left = UNSTARTED - (now - job.since)
    return tells(job.waits_for.reason, f"Job {job.name}: {job.waits_for.message}", max(1.0, left.total_seconds()))


def cannot_begin(job: SeenJob, now: datetime) -> bool:
    """Whether a Job has waited so long, or for something such, that a person must know."""
    waits = job.waits_for
    return waits is not None and (now - job.since >= UNSTARTED or waits.reason is Reason.ADMISSION_REFUSED)


def job_failed(seen: SeenWork, now: datetime) -> Decision | None:
    """A fault of the cluster is tried again where that is safe and may help, else told with the way out."""
    job = seen.job
    if job is None:
        return None
    failure = _failure(seen, job)
    told = f"{seen.what}, attempt {job.attempt}: {words(failure)}"
    most = MOST_ATTEMPTS if failure.reason in _RETRIED else 2 if failure.reason in _RETRIED_ONCE else 0
    if seen.attempts >= most:
        return stalled(failure.reason, told, seen.ways_out, again=True)
    if failure.reason is Reason.INFRASTRUCTURE:
        left = _PAUSES[min(seen.attempts, len(_PAUSES)) - 1] - (now - job.since)
        if left > timedelta(0):
            return tells(Reason.INFRASTRUCTURE, f"to be tried again: {told}", max(1.0, left.total_seconds()))
    if not seen.room:
        return tells(Reason.QUEUED, f"to be tried again: {told}")
    return decided(StartStep(step=seen.number, attempt=job.attempt + 1), f"tried again: {told}")


def next_step(seen: SeenWork, now: datetime, most_steps: int) -> Decision:
    """Nothing runs and nothing is known to be enough: the next step begins, as far as there is room."""
    if seen.number >= most_steps:
        message = f"{seen.number} steps came to no end; please report this as a defect"
        return stalled(Reason.INFRASTRUCTURE, message, {})
    if seen.attempts >= MOST_ATTEMPTS:
        message = f"{seen.what}: {seen.attempts} Jobs of it are gone, and no result of any was read"
        return stalled(Reason.RESULT_LOST, message, seen.ways_out, again=True)
    if not seen.room:
        return tells(Reason.QUEUED, f"{seen.what} waits for room")
    return decided(StartStep(step=seen.number, attempt=seen.attempts + 1), f"{seen.what} begins")


def stalled(reason: Reason, message: str, ways: WaysOut = ways_out.STEP, *, again: bool = False) -> Decision:
    """What a person must do something about, with the way out; ``again``: and then ask for another try."""
    way_out = ways.get(reason)
    out = (RETRY if again else "") if way_out is None else way_out.words(again=again)
    told = "; ".join(part for part in (message, out) if part)
    return decided(Tell(stalled=True, reason=reason, message=told), told)


def words(failure: Failure) -> str:
    """A failure in a sentence."""
    where = f"container {failure.container}: " if failure.container else ""
    return f"{failure.reason.value}: {where}{failure.message}"


def _failure(seen: SeenWork, job: SeenJob) -> Failure:
    """Why a Job failed; one whose time was over before it began has failed for what it waited for."""
    failure = job.failure or Failure(reason=Reason.RESULT_LOST, message="the Job ended and left no result")
    ready = condition(seen.conditions, ConditionType.READY)
    if failure.reason is Reason.DEADLINE_EXCEEDED and ready is not None and ready.reason in _WAITED_FOR:
        return Failure(reason=ready.reason, message=f"its time was over before it began; {failure.message}")
    return failure
