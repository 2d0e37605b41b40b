"""What is done about a base: a chain of policies over one observation; the first that has an answer decides.

Pure. A base is resolved once: one that is ready stays as it is for as long as it lives, and one that cannot serve stays
so until its work has another key. On the way there it is fetched, its environment is built, and its checks are run in
steps; where the environment of one revision cannot serve, the next revision's is built. What is common to all work is
in ``work``.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from change2task.api.reasons import Reason
from change2task.operator import work
from change2task.operator.actions import Conclude, Decision, EndJob, Keep, decided, first
from change2task.operator.observed_bases import SeenModernBase, next_work, retry_of
from change2task.pipeline import status
from change2task.pipeline.keys import RETRY_ANNOTATION

STEPS = 60
"""More than any base needs: a fetch, and a build and two steps for each revision that may be tried."""
Policy = Callable[[SeenModernBase, datetime], Decision | None]


def decide_base(seen: SeenModernBase, now: datetime) -> Decision:
    """The decision of the first policy that has one."""
    return first(POLICIES, seen, now)


def ready_stands(seen: SeenModernBase, now: datetime) -> Decision | None:
    """A base that is ready is never made anew: what rests on it would be lost. Who asks for it is told so."""
    if not status.is_ready(seen.base):
        return None
    asked, kept = retry_of(seen.base), seen.base.status.progress
    if asked in {"", None if kept is None else kept.retry}:
        return Decision(action=Keep(), reason=Reason.COMPLETE)
    message = f"{RETRY_ANNOTATION}={asked[:60]} is ignored: a base is resolved once; make a new ModernBase"
    return Decision(action=Keep(), reason=Reason.RETRY_IGNORED, message=message)


def fault_stands(seen: SeenModernBase, now: datetime) -> Decision | None:
    """A base that cannot serve stays so, until its work has another key."""
    reason, kept = status.reason_of(seen.base), seen.base.status.progress
    if reason.rejection is None or kept is None or kept.key != seen.progress.key:
        return None
    return Decision(action=Keep(), reason=reason, message=status.message_of(seen.base))


def builder_is_offered(seen: SeenModernBase, now: datetime) -> Decision | None:
    """An engine that is asked for and not offered is told, rather than another taken."""
    builder = seen.base.spec.build.builder
    if builder in {None, seen.offered}:
        return None
    message = (
        f"spec.build.builder: {builder} is not offered here; leave it out, or say {seen.offered}, in a new ModernBase"
    )
    return work.stalled(Reason.TOOLCHAIN_MISSING, message)


def finished(seen: SeenModernBase, now: datetime) -> Decision | None:
    """The last step's outcome is kept: conclude."""
    if seen.progress.outcome is None:
        return None
    return decided(Conclude(outcome=seen.progress.outcome), "the outcome is being written")


def fetch_cannot_begin(seen: SeenModernBase, now: datetime) -> Decision | None:
    """A fetch that a person must help to its beginning is ended: nothing is lost by another one, once that is done."""
    job = seen.job
    if job is None or job.waits_for is None or next_work(seen.progress) != "fetch":
        return None
    if job.phase not in {"pending", "running"} or not work.cannot_begin(job, now):
        return None
    return decided(EndJob(failure=job.waits_for), f"{seen.what}: Job {job.name} is ended: {work.words(job.waits_for)}")


def next_step(seen: SeenModernBase, now: datetime) -> Decision | None:
    """See ``work``."""
    return work.next_step(seen, now, STEPS)


POLICIES: tuple[Policy, ...] = (
    ready_stands,
    fault_stands,
    builder_is_offered,
    finished,
    work.foreign_object,
    work.result_is_there,
    work.job_hangs,
    fetch_cannot_begin,
    work.job_goes_on,
    work.job_failed,
    next_step,
)
