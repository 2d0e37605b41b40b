"""The API server as its clients see it, spoken to through ``kubectl proxy`` so that any kubeconfig will do."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import requests

from tests.cluster.kubectl import Kubectl

GROUP = "/apis/change2task.dev/v1alpha1"


@dataclass(frozen=True)
class Refusal:
    """Why an API server did not take an object: each cause with the field it names and its sentence."""

    code: int
    message: str
    causes: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Api:
    """One namespace of one API server."""

    address: str
    namespace: str

    def create(self, plural: str, resource: dict[str, Any], *, try_only: bool = False) -> dict[str, Any] | Refusal:
        """Store a resource, or only hear what the server makes of it, under a name that nothing is stored as."""
        if not try_only:
            return _told(requests.post(self._url(plural), json=resource, timeout=30))
        tried = {**resource, "metadata": {"name": "tried"}}
        return _told(requests.post(self._url(plural), params={"dryRun": "All"}, json=tried, timeout=30))

    def replace(self, plural: str, resource: dict[str, Any]) -> dict[str, Any] | Refusal:
        """Put a changed resource where it stands, as a try."""
        url = f"{self._url(plural)}/{resource['metadata']['name']}"
        return _told(requests.put(url, params={"dryRun": "All"}, json=resource, timeout=30))

    def set_status(self, plural: str, name: str, status: dict[str, Any]) -> dict[str, Any] | Refusal:
        kind = {"Content-Type": "application/merge-patch+json"}
        url = f"{self._url(plural)}/{name}/status"
        return _told(requests.patch(url, json={"status": status}, headers=kind, timeout=30))

    def read(self, path: str, **query: str) -> dict[str, Any]:
        answer = requests.get(self.address + path, params=query, timeout=30)
        answer.raise_for_status()
        told: dict[str, Any] = answer.json()
        return told

    def _url(self, plural: str) -> str:
        return f"{self.address}{GROUP}/namespaces/{self.namespace}/{plural}"


@contextmanager
def proxy(kubectl: Kubectl) -> Iterator[str]:
    """The address of a proxy that speaks for this kubeconfig."""
    words = kubectl.words("proxy", "--port=0")
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            found = re.search(r"127\.0\.0\.1:\d+", server.stdout.readline())
            assert found is not None, "kubectl proxy tells no address"
            yield f"http://{found[0]}"
        finally:
            server.terminate()


def _told(answer: requests.Response) -> dict[str, Any] | Refusal:
    told: dict[str, Any] = answer.json()
    if answer.ok:
        return told
    causes = (told.get("details") or {}).get("causes") or []
    return Refusal(
        answer.status_code, told["message"], tuple((c.get("field", ""), c.get("message", "")) for c in causes)
    )
