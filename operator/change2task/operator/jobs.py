"""A Job as a look sees it: phase, what it waits for, why it failed, and its result, read from log and message.

Reading is apart from deciding; nothing here is changed on the cluster.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any, TypeVar

import structlog

from change2task.api.reasons import Reason
from change2task.cluster import names
from change2task.cluster.failures import Failure, ended_for, failure_of, starved, waits_for
from change2task.cluster.kube import Json, Kube, KubeFault
from change2task.operator.observed import SeenJob
from change2task.pipeline.spoken import Unspoken, content_of
from change2task.pipeline.wire import BuildResult, FetchResult, MineResult, StepResult, StepTold

log = structlog.get_logger(__name__)

_MOST_LOG = 16 << 20


Result = TypeVar("Result", StepResult, FetchResult, BuildResult, MineResult)


class ResultUnreadable(Exception):
    """A pod that ended well did not leave what it should have."""


def owned(kube: Kube, kind: str, namespaces: Iterable[str], uid: str) -> list[Json]:
    """All Jobs that were made for a resource in these namespaces, later attempts last."""
    labels = {names.SUBJECT_UID: uid, names.SUBJECT_KIND: kind}
    found = (job for namespace in namespaces for job in kube.list("Job", namespace, **labels))
    return sorted(found, key=lambda job: (attempt_of(job), job["metadata"]["name"]))


def attempt_of(job: Json) -> int:
    """Which attempt a Job is; 0 for one that does not say it as ours do."""
    told = (job["metadata"].get("labels") or {}).get(names.ATTEMPT, "")
    return int(told) if told.isdecimal() else 0


def is_ours(job: Json, uid: str, key: str) -> bool:
    """Whether a Job was made by us for this very work; in another namespace than its subject's nobody can own it."""
    meta = job["metadata"]
    labels, annotations = meta.get("labels") or {}, meta.get("annotations") or {}
    owners = meta.get("ownerReferences") or ()
    apart = annotations.get(names.SUBJECT_NAMESPACE, meta["namespace"]) != meta["namespace"]
    return (
        labels.get(names.MANAGED) == names.MANAGER
        and labels.get(names.SUBJECT_UID) == uid
        and annotations.get(names.KEY) == key
        and (apart or any(owner.get("uid") == uid and owner.get("controller") for owner in owners))
    )


def is_over(job: Json) -> bool:
    """Whether a Job has ended, one way or the other."""
    return any(
        one["type"] in {"Complete", "Failed"} and one["status"] == "True"
        for one in (job.get("status") or {}).get("conditions") or ()
    )


def main_container(job: Json) -> str:
    """The container that has the last word."""
    return str(job["spec"]["template"]["spec"]["containers"][0]["name"])


def image_of(job: Json) -> str:
    """The image that a Job's trusted containers start from: a step's, or what a base grows by."""
    return str(job["spec"]["template"]["spec"]["containers"][0]["image"])


def see(kube: Kube, job: Json, uid: str, key: str) -> SeenJob:
    """A Job with what its last pod says. Raises KubeFault."""
    meta = job["metadata"]
    if not is_ours(job, uid, key):
        return SeenJob(name=meta["name"], attempt=1, ours=False, since=_created(job))
    attempt = max(1, attempt_of(job))
    conditions = {
        one["type"]: one for one in (job.get("status") or {}).get("conditions") or () if one["status"] == "True"
    }
    pod = last_pod(kube, job)
    if "Complete" in conditions:
        told = _told(pod, main_container(job))
        hungry = starved(pod)
        failure = None if told else Failure(reason=Reason.RESULT_LOST, message="its pod is gone before it was read")
        return SeenJob(
            name=meta["name"],
            attempt=attempt,
            phase="succeeded" if hungry is None else "failed",
            since=_moment(conditions["Complete"]["lastTransitionTime"]),
            failure=hungry or failure,
            result=None if told is None else told.digest,
        )
    if "Failed" in conditions:
        since = _moment(conditions["Failed"]["lastTransitionTime"])
        failure = failure_of(job, pod)
        return SeenJob(name=meta["name"], attempt=attempt, phase="failed", since=since, failure=failure)
    begun = pod is not None and _begun(pod)
    events = () if pod is not None else tuple(_events(kube, job))
    return SeenJob(
        name=meta["name"],
        attempt=attempt,
        phase="running" if begun else "pending",
        since=_created(job),
        waits_for=waits_for(pod, events),
        hangs=starved(pod),
        ending=ended_for(job),
    )


def last_pod(kube: Kube, job: Json) -> Json | None:
    """The Job's youngest pod."""
    meta = job["metadata"]
    pods = list(kube.list("Pod", meta["namespace"], **{"batch.kubernetes.io/job-name": meta["name"]}))
    mine = [
        pod
        for pod in pods
        if any(owner.get("uid") == meta["uid"] for owner in pod["metadata"].get("ownerReferences") or ())
    ]
    return max(mine, key=lambda pod: pod["metadata"]["creationTimestamp"], default=None)


def result_of(kube: Kube, job: Json, digest: str, kind: type[Result]) -> tuple[Result, bytes]:
    """What a finished Job's main container said, and its canonical bytes. Raises ResultUnreadable, KubeFault."""
    pod = last_pod(kube, job)
    if pod is None:
        raise ResultUnreadable("its pod is gone")
    meta = pod["metadata"]
    try:
        content = content_of(kube.log(meta["namespace"], meta["name"], main_container(job), _MOST_LOG), digest)
    except Unspoken as error:
        raise ResultUnreadable(str(error)) from error
    try:
        return kind.model_validate_json(content), content
    except ValueError as error:
        raise ResultUnreadable(f"what it said is no result: {str(error)[:500]}") from error


def _told(pod: Json | None, main: str) -> StepTold | None:
    for status in ((pod or {}).get("status") or {}).get("containerStatuses") or ():
        message = ((status.get("state") or {}).get("terminated") or {}).get("message")
        if status.get("name") == main and message:
            try:
                return StepTold.model_validate_json(message)
            except ValueError as error:
                log.warning("job.message_unreadable", detail=str(error)[:300])
    return None


def _begun(pod: Json) -> bool:
    statuses: list[Any] = [
        *((pod.get("status") or {}).get("initContainerStatuses") or ()),
        *((pod.get("status") or {}).get("containerStatuses") or ()),
    ]
    return any(
        (one.get("state") or {}).get("running") or (one.get("state") or {}).get("terminated") for one in statuses
    )


def _events(kube: Kube, job: Json) -> Iterator[Json]:
    meta = job["metadata"]
    try:
        yield from kube.select("Event", meta["namespace"], fieldSelector=f"involvedObject.uid={meta['uid']}")
    except KubeFault as fault:
        log.warning("job.events_unread", job=meta["name"], detail=str(fault))


def _created(job: Json) -> datetime:
    return _moment(job["metadata"]["creationTimestamp"])


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text)
