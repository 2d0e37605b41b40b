"""What is done about a base: a chain of policies over one observation; the first that has an answer decides.

Pure. A base is resolved once: one that is ready stays as it is for as long as it lives, and one that cannot serve stays
so until its work has another key. On the way there it is fetched, its environment is built, and its checks are run in
steps; where the environment of one revision cannot serve, the next revision's is built. What is common to all work is
in ``work``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime

from change2task.api.model import Model
from change2task.api.reasons import Reason
from change2task.operator import work
from change2task.operator.observed_bases import BaseWork, SeenModernBase, next_work
from change2task.operator.work import Capture, Conclude, Keep, StartStep, Tell
from change2task.pipeline import status

STEPS = 60
"""More than any base needs: a fetch, and a build and two steps for each revision that may be tried."""
_BUILDERS = frozenset({None, "dind"})
_RETRY = "then set the annotation change2task.dev/retry to another word"
_WAYS_OUT: dict[BaseWork, Mapping[Reason, str]] = {
    "fetch": {
        **work.WAYS_OUT,
        Reason.CREDENTIALS_REFUSED: f"mend the Secret, {_RETRY}",
        Reason.INFRASTRUCTURE: f"look at spec.repository.url and at what the network lets through, {_RETRY}",
        Reason.OUT_OF_MEMORY: "the history is too large for this fetch; spec.history.depth fetches less of it",
        Reason.EVICTED: "the history may be too large for the node's disk; spec.history.depth fetches less of it",
        Reason.DEADLINE_EXCEEDED: "the history takes too long to fetch; spec.history.depth fetches less of it",
    },
    "build": {
        **work.WAYS_OUT,
        Reason.INFRASTRUCTURE: f"look at the log of the build, {_RETRY}",
        Reason.UNSCHEDULABLE: "add a node that takes privileged pods of the builds' namespace",
        Reason.QUOTA_EXCEEDED: "raise the quota of the builds' namespace",
        Reason.ADMISSION_REFUSED: "let the builds' namespace take privileged pods (Pod Security level privileged)",
        Reason.IMAGE_PULL_FAILED: "check the operator's images.builder, and the pull secrets of the builds' namespace",
        Reason.OUT_OF_MEMORY: "setup takes more memory than builds may; install less in spec.environment.setup",
        Reason.DEADLINE_EXCEEDED: "setup takes too long; lower spec.environment.setupTimeoutSeconds, or install less",
    },
    "step": {
        **work.WAYS_OUT,
        Reason.INFRASTRUCTURE: f"look at the pod's containers, {_RETRY}",
    },
}

Action = StartStep | Capture | Conclude | Tell | Keep


class BaseDecision(Model):
    """One action, what status says meanwhile, and the seconds after which to look again unasked."""

    action: Action
    reason: Reason = Reason.IN_PROGRESS
    message: str = ""
    again: float | None = None


Policy = Callable[[SeenModernBase, datetime], BaseDecision | None]


def decide_base(seen: SeenModernBase, now: datetime) -> BaseDecision:
    """The decision of the first policy that has one."""
    for policy in POLICIES:
        decision = policy(seen, now)
        if decision is not None:
            return decision
    raise ValueError(f"no policy for step {seen.progress.step} of {seen.base.metadata.name}")


def ready_stands(seen: SeenModernBase, now: datetime) -> BaseDecision | None:
    """A base that is ready is never made anew: what rests on it would be lost."""
    if not status.is_ready(seen.base):
        return None
    return BaseDecision(action=Keep(), reason=Reason.COMPLETE)


def fault_stands(seen: SeenModernBase, now: datetime) -> BaseDecision | None:
    """A base that cannot serve stays so, until its work has another key."""
    reason, kept = status.reason_of(seen.base), seen.base.status.progress
    if reason.rejection is None or kept is None or kept.key != seen.progress.key:
        return None
    return BaseDecision(action=Keep(), reason=reason, message=status.message_of(seen.base))


def builder_is_offered(seen: SeenModernBase, now: datetime) -> BaseDecision | None:
    """An engine that is asked for and not offered is told, rather than another taken."""
    builder = seen.base.spec.build.builder
    if builder in _BUILDERS:
        return None
    message = f"spec.build.builder: {builder} is not offered here; leave it out, or say dind, in a new ModernBase"
    told = work.stalled(Reason.TOOLCHAIN_MISSING, message)
    return _decided(told, told.message)


def finished(seen: SeenModernBase, now: datetime) -> BaseDecision | None:
    """The last step's outcome is kept: conclude."""
    if seen.progress.outcome is None:
        return None
    return BaseDecision(action=Conclude(outcome=seen.progress.outcome), message="the outcome is being written")


def foreign_object(seen: SeenModernBase, now: datetime) -> BaseDecision | None:
    """An object that only has our name is nobody's business of ours."""
    told = work.foreign(seen.job)
    return None if told is None else _decided(told, told.message)


def result_is_there(seen: SeenModernBase, now: datetime) -> BaseDecision | None:
    """A Job's result is kept before anything else happens to it."""
    action = work.capture(seen.job)
    return None if action is None else _decided(action, f"the result of {action.job} is being kept")


def job_goes_on(seen: SeenModernBase, now: datetime) -> BaseDecision | None:
    """A Job that waits or runs is waited for; one that cannot begin for long is told."""
    job = seen.job
    if job is None or job.phase not in {"pending", "running"}:
        return None
    return _decided(*work.goes_on(job, _what(seen), now, _WAYS_OUT[next_work(seen.progress)]))


def job_failed(seen: SeenModernBase, now: datetime) -> BaseDecision | None:
    """A fault of the cluster is tried again where that is safe and may help, else told with the way out."""
    if seen.job is None:
        return None
    ways_out = _WAYS_OUT[next_work(seen.progress)]
    return _decided(
        *work.failed(seen.job, _what(seen), seen.progress.step, seen.attempts, now, ways_out, room=seen.room)
    )


def next_step(seen: SeenModernBase, now: datetime) -> BaseDecision | None:
    """Nothing runs and nothing is known to be enough: the next step begins, as far as there is room."""
    if seen.progress.step >= STEPS:
        told = work.stalled(Reason.INFRASTRUCTURE, f"{STEPS} steps came to no end; please report this as a defect", {})
        return _decided(told, told.message)
    if not seen.room:
        message = f"{_what(seen)} waits for room"
        return _decided(Tell(reason=Reason.QUEUED, message=message), message)
    return _decided(StartStep(step=seen.progress.step, attempt=seen.attempts + 1), f"{_what(seen)} begins")


POLICIES: tuple[Policy, ...] = (
    ready_stands,
    fault_stands,
    builder_is_offered,
    finished,
    foreign_object,
    result_is_there,
    job_goes_on,
    job_failed,
    next_step,
)


def _what(seen: SeenModernBase) -> str:
    """The next step in words."""
    return {
        "fetch": "the fetch of the repository",
        "build": "the build of the environment",
        "step": f"step {seen.progress.step + 1}, in which checks run",
    }[next_work(seen.progress)]


def _decided(action: Action, message: str, again: float | None = None) -> BaseDecision:
    reason = action.reason if isinstance(action, Tell) else Reason.IN_PROGRESS
    return BaseDecision(action=action, reason=reason, message=message, again=again)
