"""Why a Job gave no result, or does not begin: Kubernetes' many ways of saying it, as one reason each.

Pure: it reads objects as the API server gives them. What is done about a reason is left to the operator's policies.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from change2task.api.model import Model
from change2task.api.reasons import Reason
from change2task.cluster import names

Json = Mapping[str, Any]

_SLOTS = "slot-"
_MOST = 1000
"""Characters of a container's own last words."""
_PULL = frozenset({"ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull", "ImageInspectError"})
_START = frozenset(
    {"CreateContainerConfigError", "CreateContainerError", "RunContainerError", "StartError", "ContainerCannotRun"}
)
_DISRUPTED = {
    "PreemptionByScheduler": Reason.PREEMPTED,
    "DeletionByTaintManager": Reason.NODE_LOST,
    "DeletionByPodGC": Reason.NODE_LOST,
    "EvictionByEvictionAPI": Reason.EVICTED,
    "TerminationByKubelet": Reason.EVICTED,
}
_POD_REASONS = {
    "Evicted": Reason.EVICTED,
    "NodeLost": Reason.NODE_LOST,
    "NodeShutdown": Reason.NODE_LOST,
    "Terminated": Reason.NODE_LOST,
    "Preempting": Reason.PREEMPTED,
    "DeadlineExceeded": Reason.DEADLINE_EXCEEDED,
}
INFRASTRUCTURE_EXIT = 3
"""Of our own containers: their termination message says what the machine lacked."""
CREDENTIALS_EXIT = 4
"""Of fetch: credentials are missing, wrong or refused, which trying again does not mend."""
OPEN_EXIT = 5
"""Of prepare: the pod reaches what it must not."""

STARVED_EXIT = 6
"""Of a slot: the kernel has ended something in it for want of memory, and its kubelet may not tell."""


class Failure(Model):
    """Why a Job gave no result, in our words and in the container's last ones."""

    reason: Reason
    message: str
    container: str = ""


def failure_of(job: Json, pod: Json | None) -> Failure:
    """Why a Job that failed did so; ``pod`` is its last one, if it is still there."""
    condition = _condition(job, "Failed")
    if condition.get("reason") == "DeadlineExceeded":
        return ended_for(job) or Failure(reason=Reason.DEADLINE_EXCEEDED, message=_ran(job, pod))
    if pod is None:
        return Failure(reason=Reason.RESULT_LOST, message="its pod is gone, and with it what it had to say")
    return _of_pod(pod) or Failure(
        reason=Reason.RESULT_LOST, message=str(condition.get("message") or "it ended and left no result")[:_MOST]
    )


def ended_for(job: Json) -> Failure | None:
    """Why we have ended a Job before its time, if we have."""
    told = ((job.get("metadata") or {}).get("annotations") or {}).get(names.ENDED)
    try:
        return None if told is None else Failure.model_validate_json(told)
    except ValidationError:
        return None


def starved(pod: Json | None) -> Failure | None:
    """A slot in which the kernel has ended something for want of memory, though it ended well.

    Its results mean nothing then, and some kubelets neither go on nor end the pod.
    """
    for name, state in _states(pod or {}):
        ended = state.get("terminated") or {}
        if name.startswith(_SLOTS) and ended.get("reason") == "OOMKilled" and ended.get("exitCode") == 0:
            return Failure(reason=Reason.OUT_OF_MEMORY, message="ended with 0", container=name)
    return None


def waits_for(pod: Json | None, events: Sequence[Json] = ()) -> Failure | None:
    """What a Job that has not begun waits for; ``events`` are the Job's own, which tell of pods that were refused."""
    if pod is None:
        return next(_refusals(events), None)
    scheduled = _condition(pod, "PodScheduled")
    if scheduled.get("status") == "False":
        return Failure(reason=Reason.UNSCHEDULABLE, message=str(scheduled.get("message") or "no node takes it")[:_MOST])
    for name, state in _states(pod):
        waiting = state.get("waiting") or {}
        reason = waiting.get("reason")
        if reason in _PULL or reason in _START:
            return Failure(
                reason=Reason.IMAGE_PULL_FAILED if reason in _PULL else Reason.START_FAILED,
                message=_words(reason, waiting.get("message")),
                container=name,
            )
    return None


def _of_pod(pod: Json) -> Failure | None:
    status = pod.get("status") or {}
    disrupted = _condition(pod, "DisruptionTarget")
    if disrupted.get("status") == "True" and disrupted.get("reason") in _DISRUPTED:
        return Failure(
            reason=_DISRUPTED[disrupted["reason"]], message=_words(disrupted["reason"], disrupted.get("message"))
        )
    if status.get("reason") in _POD_REASONS:
        return Failure(reason=_POD_REASONS[status["reason"]], message=_words(status["reason"], status.get("message")))
    for name, state in _states(pod):
        ended = state.get("terminated") or {}
        if ended and ended.get("exitCode") != 0:
            return _of_container(name, ended)
    return None


def _of_container(name: str, ended: Json) -> Failure:
    reason, code = str(ended.get("reason") or ""), ended.get("exitCode")
    ours = not name.startswith(_SLOTS)
    # What repository code writes there is nothing to be told to people, nor do its exit codes mean what ours do.
    last = str(ended.get("message") or "").strip() if ours or reason in _START else ""
    told = f"ended with {code}" + (f": {last[-_MOST:]}" if last else "")
    if reason == "OOMKilled" or (code == STARVED_EXIT and not ours):
        return Failure(reason=Reason.OUT_OF_MEMORY, message=told, container=name)
    if reason in _START:
        return Failure(reason=Reason.START_FAILED, message=told, container=name)
    if not ours:
        return Failure(reason=Reason.RESULT_LOST, message=told, container=name)
    if code == OPEN_EXIT:
        return Failure(reason=Reason.NOT_ISOLATED, message=last[-_MOST:], container=name)
    if code == CREDENTIALS_EXIT:
        return Failure(reason=Reason.CREDENTIALS_REFUSED, message=last[-_MOST:], container=name)
    if code == INFRASTRUCTURE_EXIT:
        return Failure(reason=Reason.INFRASTRUCTURE, message=told, container=name)
    return Failure(reason=Reason.RESULT_LOST, message=told, container=name)


def _refusals(events: Sequence[Json]) -> Iterator[Failure]:
    for event in reversed(events):
        if event.get("reason") != "FailedCreate":
            continue
        message = str(event.get("message") or "")
        quota = "exceeded quota" in message
        yield Failure(reason=Reason.QUOTA_EXCEEDED if quota else Reason.ADMISSION_REFUSED, message=message[:_MOST])


def _states(pod: Json) -> Iterator[tuple[str, Json]]:
    """Containers in the order in which they run, each with its state."""
    status = pod.get("status") or {}
    for part in ("initContainerStatuses", "containerStatuses"):
        for container in status.get(part) or ():
            yield str(container.get("name")), container.get("state") or {}


def _condition(thing: Json, kind: str) -> Json:
    conditions = (thing.get("status") or {}).get("conditions") or ()
    return next((one for one in conditions if one.get("type") == kind and one.get("status") != "Unknown"), {})


def _ran(job: Json, pod: Json | None) -> str:
    seconds = (job.get("spec") or {}).get("activeDeadlineSeconds")
    running = next((name for name, state in _states(pod or {}) if state.get("running")), "")
    return f"it was not over after {seconds} s" + (f", in container {running}" if running else "")


def _words(reason: object, message: object) -> str:
    return f"{reason}: {message}"[:_MOST] if message else str(reason)
