"""Events for people who describe a resource: one when what its Ready condition says has changed, never one a look.

A lost event loses nothing: status says the same.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

import structlog

from change2task.cluster.kube import Json, Kube, KubeFault
from change2task.cluster.names import MANAGER
from change2task.vcs.errors import masked

log = structlog.get_logger(__name__)

_LONGEST = 200
"""Characters of an object's name in its events'; what is cut may not end a part of a name."""
_MOST = 1000
"""Characters; the API server refuses messages of more than 1024."""


@dataclass(frozen=True)
class Events:
    """Writes events; see ``world.Recorder``."""

    kube: Kube
    clock: Callable[[], datetime]
    instance: str

    def event(self, about: Json, reason: str, message: str, *, warning: bool = False) -> None:
        """Something happened to this object."""
        meta, now = about["metadata"], self.clock().isoformat().replace("+00:00", "Z")
        try:
            self.kube.create(
                {
                    "apiVersion": "v1",
                    "kind": "Event",
                    "metadata": {
                        "name": f"{meta['name'][:_LONGEST].rstrip('.-')}.{secrets.token_hex(8)}",
                        "namespace": meta["namespace"],
                    },
                    "involvedObject": {
                        "apiVersion": about["apiVersion"],
                        "kind": about["kind"],
                        "name": meta["name"],
                        "namespace": meta["namespace"],
                        "uid": meta["uid"],
                        "resourceVersion": meta["resourceVersion"],
                    },
                    "reason": reason,
                    "message": _bounded(masked(message)),
                    "type": "Warning" if warning else "Normal",
                    "action": "Reconcile",
                    "reportingComponent": MANAGER,
                    "reportingInstance": self.instance,
                    "source": {"component": MANAGER},
                    "firstTimestamp": now,
                    "lastTimestamp": now,
                    "eventTime": None,
                    "count": 1,
                }
            )
        except KubeFault as fault:
            log.warning("event.lost", about=meta["name"], reason=reason, detail=str(fault))


def _bounded(message: str) -> str:
    return message if len(message) <= _MOST else f"{message[: _MOST - 1]}…"
