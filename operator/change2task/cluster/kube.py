"""The thin client: paths and JSON over the official client's connection, so that objects stay as the server gave them.

Blocking; callers on an event loop use threads. What an answer means is left to the callers: here only absence and
conflict have names, since both are ordinary.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from http import HTTPStatus
from pathlib import Path
from typing import Any, Self
from urllib.parse import quote, urlencode

import urllib3
from kubernetes import client, config
from kubernetes.config.config_exception import ConfigException

from change2task.cluster.names import GROUP, MANAGER

Json = dict[str, Any]

VERSION = "v1alpha1"
_SECONDS = (10, 60)
_PAGE = 500
_PLURALS = {"ModernBase": "modernbases", "TaskCandidate": "taskcandidates", "TaskVariant": "taskvariants"}
_OTHERS = {"Job": ("batch/v1", "jobs"), "Lease": ("coordination.k8s.io/v1", "leases")}
_CORE = {"Pod": "pods", "Event": "events", "ConfigMap": "configmaps", "Namespace": "namespaces"}


class KubeFault(Exception):
    """The API server did not do what was asked; ``status`` is HTTP's, 0 where it could not be reached."""

    def __init__(self, what: str, status: int, detail: str) -> None:
        self.status = status
        super().__init__(f"{what}: {detail}" if not status else f"{what}: {status} {detail}")


class Conflict(KubeFault):
    """Something of this name is there already, or has changed meanwhile."""


class Kube:
    """One API server, as one account.

    ``seconds``: how long connecting and reading may take. Where ``may_write`` says no, nothing is sent that changes
    anything.
    """

    def __init__(
        self,
        connection: client.ApiClient,
        *,
        seconds: tuple[float, float] = _SECONDS,
        may_write: Callable[[], bool] = lambda: True,
    ) -> None:
        self._connection, self._seconds, self._may_write = connection, seconds, may_write

    def replacing(
        self, *, seconds: tuple[float, float] | None = None, may_write: Callable[[], bool] | None = None
    ) -> Self:
        """The same server with other times for connecting and reading, or asked before each write."""
        told = may_write or self._may_write
        return type(self)(self._connection, seconds=seconds or self._seconds, may_write=told)

    @classmethod
    def connect(cls, kubeconfig: Path | None = None) -> Self:
        """By a kubeconfig, else as the pod's own account. Raises KubeFault."""
        configuration = client.Configuration()
        try:
            if kubeconfig is None:
                config.load_incluster_config(client_configuration=configuration)  # type: ignore[no-untyped-call]
            else:
                config.load_kube_config(str(kubeconfig), client_configuration=configuration)  # type: ignore[no-untyped-call]
        except ConfigException as error:
            raise KubeFault("kubeconfig", 0, str(error)) from error
        return cls(client.ApiClient(configuration))

    def get(self, kind: str, namespace: str, name: str) -> Json | None:
        """One object; None where there is none."""
        return self._json("GET", self._path(kind, namespace, name), absent=True)

    def list(self, kind: str, namespace: str | None, **labels: str) -> Iterator[Json]:
        """All objects that bear these labels (names with their slashes, as keywords by ``**``), page by page."""
        yield from self.select(kind, namespace, labelSelector=",".join(f"{k}={v}" for k, v in labels.items()))

    def select(self, kind: str, namespace: str | None, **asked: str) -> Iterator[Json]:
        """All objects by the API's own selectors."""
        query: dict[str, Any] = {"limit": _PAGE, **{name: value for name, value in asked.items() if value}}
        while True:
            page = self._json("GET", f"{self._path(kind, namespace)}?{urlencode(query)}") or {}
            yield from page.get("items") or ()
            following = (page.get("metadata") or {}).get("continue")
            if not following:
                return
            query["continue"] = following

    def create(self, manifest: Json) -> Json:
        """Make an object. Raises Conflict where its name is taken."""
        meta = manifest["metadata"]
        made = self._json("POST", self._path(manifest["kind"], meta.get("namespace")), manifest)
        assert made is not None
        return made

    def replace(self, manifest: Json) -> Json:
        """Put an object in the place of the version that it names. Raises Conflict where that is not the newest."""
        meta = manifest["metadata"]
        made = self._json("PUT", self._path(manifest["kind"], meta["namespace"], meta["name"]), manifest)
        assert made is not None
        return made

    def apply_status(self, manifest: Json) -> Json:
        """Server-side apply of an object's status under our field manager."""
        meta = manifest["metadata"]
        path = f"{self._path(manifest['kind'], meta['namespace'], meta['name'])}/status"
        query = urlencode({"fieldManager": MANAGER, "force": "true"})
        made = self._json("PATCH", f"{path}?{query}", manifest, content="application/apply-patch+yaml")
        assert made is not None
        return made

    def patch(self, kind: str, namespace: str, name: str, change: Mapping[str, Any]) -> Json | None:
        """Merge a change into an object; None where it is gone."""
        path = self._path(kind, namespace, name)
        return self._json("PATCH", path, dict(change), content="application/merge-patch+json", absent=True)

    def delete(self, kind: str, namespace: str, name: str, uid: str) -> None:
        """Delete this very object with what it owns; one that is gone is well."""
        options = {"propagationPolicy": "Background", "preconditions": {"uid": uid}}
        self._json("DELETE", self._path(kind, namespace, name), options, absent=True)

    def log(self, namespace: str, pod: str, container: str, most: int, last: int | None = None) -> bytes:
        """What a container has printed, at most so many bytes, of its ``last`` lines. Raises KubeFault."""
        lines = {} if last is None else {"tailLines": last}
        query = urlencode({"container": container, "limitBytes": most, **lines})
        return self._send("GET", f"{self._path('Pod', namespace, pod)}/log?{query}")

    def _path(self, kind: str, namespace: str | None, name: str | None = None) -> str:
        place = "" if namespace is None else f"/namespaces/{quote(namespace)}"
        last = "" if name is None else f"/{quote(name)}"
        if kind in _PLURALS:
            return f"/apis/{GROUP}/{VERSION}{place}/{_PLURALS[kind]}{last}"
        if kind in _OTHERS:
            return f"/apis/{_OTHERS[kind][0]}{place}/{_OTHERS[kind][1]}{last}"
        return f"/api/v1{place}/{_CORE[kind]}{last}"

    def _json(
        self, method: str, path: str, body: object = None, *, content: str = "application/json", absent: bool = False
    ) -> Json | None:
        try:
            answer = self._send(method, path, body, content)
        except KubeFault as fault:
            if absent and fault.status == HTTPStatus.NOT_FOUND:
                return None
            raise
        document: Json = json.loads(answer)
        return document

    def _send(self, method: str, path: str, body: object = None, content: str = "application/json") -> bytes:
        headers = {"Content-Type": content, "Accept": "application/json, */*"}
        queries: list[tuple[str, str]] = []
        self._connection.update_params_for_auth(headers, queries, ["BearerToken"], path, method, body)
        what = f"{method} {path.partition('?')[0]}"
        if method != "GET" and not self._may_write():
            raise KubeFault(what, 0, "not sent: another replica may lead by now")
        try:
            response = self._connection.call_api(
                method,
                f"{self._connection.configuration.host}{path}",
                headers,
                body=body,
                _request_timeout=self._seconds,
            )
            data: bytes = response.read() or b""  # type: ignore[no-untyped-call]
        except client.ApiException as error:
            raise self._fault(what, error.status or 0, (error.body or error.reason or "")) from error
        except (urllib3.exceptions.HTTPError, OSError) as error:
            raise KubeFault(what, 0, f"the API server cannot be reached: {_without_address(str(error))}") from error
        if response.status >= HTTPStatus.BAD_REQUEST:
            raise self._fault(what, response.status, data.decode(errors="replace"))
        return data

    @staticmethod
    def _fault(what: str, status: int, said: str | bytes) -> KubeFault:
        text = said.decode(errors="replace") if isinstance(said, bytes) else said
        try:
            text = str(json.loads(text).get("message") or text)
        except (ValueError, AttributeError):
            text = text.strip()
        kind = Conflict if status == HTTPStatus.CONFLICT else KubeFault
        return kind(what, status, text[:2000])


def _without_address(text: str) -> str:
    return re.sub(r"HTTPS?ConnectionPool\([^)]*\): ", "", text)
