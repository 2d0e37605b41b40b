"""An API server and a registry in memory, behind the operator's own thin clients, that can die at any write.

The real ones are tried in tests/cluster; what needs thousands of small failures is tried here. It keeps to what the
operator relies on: names are taken once, objects have uids and versions, status is apart from the rest.
"""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from change2task.cluster.kube import Conflict, Json, KubeFault
from change2task.operator.jobs import main_container
from change2task.pipeline.spoken import digest_of, lines_of
from change2task.pipeline.wire import BuildResult, FetchResult, MineResult, StepResult, StepTold

CREATED = "2026-11-30T12:00:00Z"


class Died(BaseException):
    """The operator was killed here."""


@dataclass
class Deaths:
    """Counts writes; dies at one of them, before or after it took effect."""

    at: int | None = None
    after: bool = False
    writes: list[str] = field(default_factory=list)

    def write(self, what: str, effect: Any) -> Any:
        self.writes.append(what)
        due = self.at is not None and len(self.writes) == self.at
        if due and not self.after:
            self.at = None
            raise Died(what)
        done = effect()
        if due:
            self.at = None
            raise Died(what)
        return done


class Api:
    """See ``cluster.kube.Kube``."""

    def __init__(self, deaths: Deaths | None = None) -> None:
        self.deaths = deaths or Deaths()
        self.objects: dict[tuple[str, str, str], Json] = {}
        self.logs: dict[tuple[str, str], bytes] = {}
        self.refuses: str | None = None
        self._made = 0

    def put(self, manifest: Json) -> Json:
        """An object as somebody else would make it."""
        self._made += 1
        meta = manifest["metadata"]
        stamped = {
            "uid": f"uid-{self._made}",
            "resourceVersion": str(self._made),
            "creationTimestamp": CREATED,
            "generation": 1,
        }
        made: Json = {**copy.deepcopy(manifest), "metadata": {**stamped, **meta}}
        self.objects[manifest["kind"], meta["namespace"], meta["name"]] = made
        return made

    def all(self, kind: str) -> list[Json]:
        return [one for (found, *_), one in self.objects.items() if found == kind]

    def get(self, kind: str, namespace: str, name: str) -> Json | None:
        return copy.deepcopy(self.objects.get((kind, namespace, name)))

    def list(self, kind: str, namespace: str | None, **labels: str) -> Iterator[Json]:
        for one in self.all(kind):
            has = one["metadata"].get("labels") or {}
            if one["metadata"]["namespace"] == namespace and labels.items() <= has.items():
                yield copy.deepcopy(one)

    def select(self, kind: str, namespace: str | None, **asked: str) -> Iterator[Json]:
        return iter(())

    def create(self, manifest: Json) -> Json:
        meta = manifest["metadata"]

        def effect() -> Json:
            if (manifest["kind"], meta["namespace"], meta["name"]) in self.objects:
                raise Conflict("POST", 409, "already exists")
            return self.put(manifest)

        if self.refuses is not None and manifest["kind"] == "Job":
            raise KubeFault("POST", 422, self.refuses)
        if manifest["kind"] == "Event":
            return self.put(manifest)
        made: Json = self.deaths.write(f"create {manifest['kind']}", effect)
        return made

    def replace(self, manifest: Json) -> Json:
        meta = manifest["metadata"]

        def effect() -> Json:
            there = self.objects.get((manifest["kind"], meta["namespace"], meta["name"]))
            if there is None:
                raise KubeFault("PUT", 404, "not found")
            if meta["resourceVersion"] != there["metadata"]["resourceVersion"]:
                raise Conflict("PUT", 409, "the object has been modified")
            there["spec"] = copy.deepcopy(manifest["spec"])
            self.touch(there)
            return copy.deepcopy(there)

        made: Json = self.deaths.write(f"replace {manifest['kind']}", effect)
        return made

    def apply_status(self, manifest: Json) -> Json:
        meta = manifest["metadata"]

        def effect() -> Json:
            there = self.objects.get((manifest["kind"], meta["namespace"], meta["name"]))
            if there is None:
                raise KubeFault("PATCH", 404, "not found")
            if meta.get("resourceVersion") not in {None, there["metadata"]["resourceVersion"]}:
                raise Conflict("PATCH", 409, "the object has been modified")
            was = there.get("status") or {}
            nulls = [name for name, value in manifest["status"].items() if value == {} and was.get(name)]
            if nulls:
                raise KubeFault("PATCH", 422, f"status.{nulls[0]}: Invalid value: null")
            there["status"] = copy.deepcopy(manifest["status"])
            self.touch(there)
            return there

        made: Json = self.deaths.write(f"status {manifest['kind']}", effect)
        return made

    def touch(self, there: Json) -> None:
        """Somebody has written to an object."""
        self._made += 1
        there["metadata"]["resourceVersion"] = str(self._made)

    def patch(self, kind: str, namespace: str, name: str, change: Any) -> Json | None:
        def effect() -> Json | None:
            there = self.objects.get((kind, namespace, name))
            if there is not None:
                there["spec"] = {**(there.get("spec") or {}), **(change.get("spec") or {})}
                told = (change.get("metadata") or {}).get("annotations") or {}
                there["metadata"]["annotations"] = {**(there["metadata"].get("annotations") or {}), **told}
                self.touch(there)
            return there

        made: Json | None = self.deaths.write(f"patch {kind}", effect)
        return made

    def delete(self, kind: str, namespace: str, name: str, uid: str) -> None:
        def effect() -> None:
            there = self.objects.get((kind, namespace, name))
            if there is not None and there["metadata"]["uid"] == uid:
                del self.objects[kind, namespace, name]

        self.deaths.write(f"delete {kind}", effect)

    def log(self, namespace: str, pod: str, container: str, most: int, last: int | None = None) -> bytes:
        lines = self.logs[namespace, pod].splitlines(keepends=True)
        return b"".join(lines if last is None else lines[-last:])[:most]

    def finish(self, job: Json, result: StepResult | FetchResult | BuildResult | MineResult) -> None:
        """A Job's pod ends well and says this."""
        meta, content = job["metadata"], result.canonical()
        told = StepTold(digest=digest_of(content), done=isinstance(result, MineResult) or result.base is not None)
        self._pod(job, {"exitCode": 0, "message": told.canonical().decode()})
        self.logs[meta["namespace"], f"{meta['name']}-pod"] = "\n".join(("noise", *lines_of(content), "")).encode()
        self._end(job, "Complete", "")

    def fail(self, job: Json, *, exit_code: int = 1, reason: str = "Error", message: str = "its last words") -> None:
        """A Job's pod ends badly."""
        self._pod(job, {"exitCode": exit_code, "reason": reason, "message": message})
        self._end(job, "Failed", "BackoffLimitExceeded")

    def time_is_over(self, job: Json) -> None:
        """A Job's deadline has come, at which its controller removes its pods."""
        meta = job["metadata"]
        self.objects.pop(("Pod", meta["namespace"], f"{meta['name']}-pod"), None)
        self._end(job, "Failed", "DeadlineExceeded")

    def waits(self, job: Json, **status: Any) -> None:
        """A Job's pod is there and has this status."""
        self.put({"kind": "Pod", "metadata": self._of(job), "status": status})

    def _pod(self, job: Json, ended: Json) -> None:
        self.put(
            {
                "kind": "Pod",
                "metadata": self._of(job),
                "status": {"containerStatuses": [{"name": main_container(job), "state": {"terminated": ended}}]},
            }
        )

    @staticmethod
    def _of(job: Json) -> Json:
        meta = job["metadata"]
        return {
            "name": f"{meta['name']}-pod",
            "namespace": meta["namespace"],
            "labels": {**meta["labels"], "batch.kubernetes.io/job-name": meta["name"]},
            "ownerReferences": [{"uid": meta["uid"], "controller": True}],
        }

    def _end(self, job: Json, kind: str, reason: str) -> None:
        meta = job["metadata"]
        stored = self.objects["Job", meta["namespace"], meta["name"]]
        ended = {"type": kind, "status": "True", "reason": reason, "lastTransitionTime": CREATED}
        stored["status"] = {"conditions": [ended]}


class Shelf:
    """See ``world.Keeper``: references follow from content, as a registry's do."""

    def __init__(self, deaths: Deaths) -> None:
        self.deaths = deaths
        self.documents: dict[str, bytes] = {}

    def append(self, image: str, layer: bytes, *, repository: str) -> str:
        return str(self.deaths.write("append", lambda: _reference(repository, image.encode() + layer)))

    def push_document(self, repository: str, content: bytes, media_type: str) -> str:
        reference = _reference(repository, content)
        self.deaths.write("push", lambda: self.documents.update({reference: content}))
        return reference

    def read_document(self, reference: str) -> bytes:
        return self.documents[reference]


def _reference(repository: str, content: bytes) -> str:
    return f"registry.example.com/c2t/{repository}@sha256:{hashlib.sha256(content).hexdigest()}"
