"""What looks of every kind do to the cluster: Jobs created, ended and let go, status written, people told.

Each may be repeated. What is decided, and what a Job is made of, is each kind's own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from http import HTTPStatus

from change2task.api.conditions import Condition, ConditionType, condition
from change2task.api.modernbase import ModernBaseStatus
from change2task.api.reasons import Reason
from change2task.api.taskcandidate import TaskCandidateStatus
from change2task.api.taskvariant import TaskVariantStatus
from change2task.cluster import names
from change2task.cluster.failures import Failure
from change2task.cluster.kube import Conflict, Json, Kube, KubeFault
from change2task.operator import jobs, statuses
from change2task.operator.observed import SeenJob
from change2task.operator.running import Place, Running
from change2task.operator.schedule import Key
from change2task.operator.world import Recorder
from change2task.vcs.errors import masked

REFUSED = frozenset({HTTPStatus.BAD_REQUEST, HTTPStatus.FORBIDDEN, HTTPStatus.UNPROCESSABLE_ENTITY})
"""What asking again does not mend."""
_DEADLINE = "activeDeadlineSeconds"
"""The one field of a running Job by which it can be ended without being lost."""
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
        if fault.status not in REFUSED:
            raise
        failure = Failure(reason=Reason.ADMISSION_REFUSED, message=str(fault))
        attempt = int(meta["labels"][names.ATTEMPT])
        return SeenJob(name=name, attempt=attempt, phase="failed", failure=failure, since=clock())
    except BaseException:
        counted.release(name)
        raise


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


def end(kube: Kube, job: Json, failure: Failure) -> None:
    """Let a Job end now, which then counts as failed for this reason."""
    meta = job["metadata"]
    change = {"metadata": {"annotations": {names.ENDED: failure.canonical().decode()}}, "spec": {_DEADLINE: 1}}
    kube.patch("Job", meta["namespace"], meta["name"], change)


def write_status(kube: Kube, raw: Json, told: Status) -> bool:
    """Status as it now is; whether the object that was looked at is still there to have it.

    What is empty is left out: applied over a map whose keys are ours, an empty one becomes a null, which the schema
    refuses. Raises KubeFault.
    """
    return _apply(kube, raw, {name: value for name, value in told.document().items() if value not in ({}, [], "")})


def refuse(kube: Kube, recorder: Recorder, raw: Json, message: str, now: datetime) -> None:
    """Say of a resource that nobody can work on its spec; what status tells beside that stays. Raises KubeFault."""
    was, generation = raw.get("status") or {}, raw["metadata"].get("generation") or 1
    kept = statuses.readable(was.get("conditions") or ())
    conditions = statuses.stuck(kept, Reason.SPEC_INVALID, masked(message), generation, now)
    told = {**was, "observedGeneration": generation, "conditions": [one.document() for one in conditions]}
    if told != was and _apply(kube, raw, told):
        tell(recorder, raw, kept, conditions)


def _apply(kube: Kube, raw: Json, status: Json) -> bool:
    """Apply a status under our field manager, to no other object of the same name than this one."""
    meta = raw["metadata"]
    version = meta["resourceVersion"]
    while True:
        named = {"name": meta["name"], "namespace": meta["namespace"], "resourceVersion": version}
        document = {"apiVersion": raw["apiVersion"], "kind": raw["kind"], "metadata": named, "status": status}
        try:
            kube.apply_status(document)
        except Conflict:
            # Somebody has touched it since, or it is another one.
            there = kube.get(raw["kind"], meta["namespace"], meta["name"])
            if there is None or there["metadata"]["uid"] != meta["uid"]:
                return False
            if there["metadata"]["resourceVersion"] == version:
                raise
            version = there["metadata"]["resourceVersion"]
        except KubeFault as fault:
            if fault.status != HTTPStatus.NOT_FOUND:
                raise
            return False
        else:
            return True


def tell(
    recorder: Recorder,
    raw: Json,
    was: Iterable[Condition],
    now: Iterable[Condition],
    said: statuses.Said | None = None,
) -> None:
    """An event where the Ready condition says something else than before; ``said`` instead of its own words.

    What warns is told in any case.
    """
    before, after = (condition(conditions, ConditionType.READY) for conditions in (was, now))
    same = before is not None and after is not None and (before.status, before.reason) == (after.status, after.reason)
    if after is None or (same and not (said is not None and said.warning)):
        return
    told = said or statuses.Said(after.reason, after.message or after.reason.sentence)
    stuck = condition(now, ConditionType.STALLED)
    warning = told.warning or (stuck is not None and stuck.status == "True")
    recorder.event(raw, told.reason.value, told.message, warning=warning)
