"""What looks of every kind do to the cluster: Jobs created, ended and let go, status written, people told.

Each may be repeated. What is decided, and what a Job is made of, is each kind's own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from http import HTTPStatus

from change2task.api.conditions import Condition, ConditionType, condition
from change2task.api.modernbase import ModernBase, ModernBaseStatus
from change2task.api.reasons import Reason
from change2task.api.taskcandidate import TaskCandidate, TaskCandidateStatus
from change2task.api.taskvariant import TaskVariant, TaskVariantStatus
from change2task.cluster import names
from change2task.cluster.failures import Failure
from change2task.cluster.kube import Conflict, Json, Kube, KubeFault
from change2task.operator import jobs
from change2task.operator.observed import SeenJob
from change2task.operator.running import Place, Running
from change2task.operator.schedule import Key
from change2task.operator.world import Recorder

_REFUSED = frozenset({HTTPStatus.BAD_REQUEST, HTTPStatus.FORBIDDEN, HTTPStatus.UNPROCESSABLE_ENTITY})
"""What asking again does not mend."""
Status = ModernBaseStatus | TaskCandidateStatus | TaskVariantStatus


def begin(
    kube: Kube, counted: Running, manifest: Json, base_uid: str, key: Key, clock: Callable[[], datetime]
) -> Json | SeenJob | None:
    """A Job that is there now, made or found; None where there is no room; what is seen where it cannot be ours.

    It is somebody else's then, or one that the API server refuses.

    Raises KubeFault.
    """
    meta = manifest["metadata"]
    name, namespace = meta["name"], meta["namespace"]
    if not counted.take(name, Place(namespace=namespace, base=base_uid), key):
        return None
    try:
        return kube.create(manifest)
    except Conflict:
        there = kube.get("Job", namespace, name)
        if there is not None and jobs.is_ours(there, meta["labels"][names.SUBJECT_UID], meta["annotations"][names.KEY]):
            return there
        counted.release(name)
        return SeenJob(name=name, attempt=int(meta["labels"][names.ATTEMPT]), ours=False, since=clock())
    except KubeFault as fault:
        counted.release(name)
        if fault.status not in _REFUSED:
            raise
        failure = Failure(reason=Reason.ADMISSION_REFUSED, message=str(fault))
        attempt = int(meta["labels"][names.ATTEMPT])
        return SeenJob(name=name, attempt=attempt, phase="failed", failure=failure, since=clock())
    except BaseException:
        counted.release(name)
        raise


def plain(raw: Json) -> Json:
    """An object without conditions of others, which mean nothing here and would be no values of ours."""
    told = raw.get("status") or {}
    kinds, reasons = {str(one) for one in ConditionType}, {str(one) for one in Reason}
    kept = [one for one in told.get("conditions") or () if one.get("type") in kinds and one.get("reason") in reasons]
    return {**raw, "status": {**told, "conditions": kept}}


def end_stale(kube: Kube, job: Json) -> None:
    """End a Job of ours that still runs for another spec or base."""
    meta = job["metadata"]
    ours = (meta.get("labels") or {}).get(names.MANAGED) == names.MANAGER
    if ours and not jobs.is_over(job):
        kube.delete("Job", meta["namespace"], meta["name"], meta["uid"])


def let_go(kube: Kube, captured: Iterable[Json], seconds: int) -> None:
    """Jobs whose results are kept may go, after so many seconds."""
    for job in captured:
        meta = job["metadata"]
        kube.patch("Job", meta["namespace"], meta["name"], {"spec": {"ttlSecondsAfterFinished": seconds}})


def write_status(kube: Kube, resource: ModernBase | TaskCandidate | TaskVariant, told: Status) -> None:
    """Status as it now is, under our field manager.

    What is empty is left out: applied over a map whose keys are ours, an empty one becomes a null, which the schema
    refuses.
    """
    meta = resource.metadata
    kube.apply_status(
        {
            "apiVersion": resource.api_version,
            "kind": resource.kind,
            "metadata": {"name": meta.name, "namespace": meta.namespace},
            "status": {name: value for name, value in told.document().items() if value not in ({}, [], "")},
        }
    )


def tell(
    recorder: Recorder,
    raw: Json,
    was: Iterable[Condition],
    now: Iterable[Condition],
    said: tuple[str, str] | None = None,
) -> None:
    """An event where the Ready condition says something else than before; ``said`` instead of its own words."""
    before, after = (condition(conditions, ConditionType.READY) for conditions in (was, now))
    if after is None or (before is not None and (before.status, before.reason) == (after.status, after.reason)):
        return
    reason, message = said or (after.reason.value, after.message or after.reason.sentence)
    stalled = condition(now, ConditionType.STALLED)
    recorder.event(raw, reason, message, warning=stalled is not None and stalled.status == "True")
