"""Which of several replicas works: what is to be done about the lease that they share. Pure.

The library's own election is not taken: it sleeps in a loop that nothing can stop, measures by a clock that can be
set, and does not let go at the end. As there and in client-go, nobody believes another machine's clock: a lease is over
when it was seen unchanged for its whole duration by the clock of whoever looks. A holder stops before others may begin.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal, Self

from change2task.api.model import Model
from change2task.operator.settings import LeaseSettings

_LONGEST = 3600


class SeenLease(Model):
    """What a lease says, beside the version under which it may be replaced."""

    holder: str = ""
    renewed: str = ""
    changes: int = 0
    seconds: int = 0
    version: str = ""

    @classmethod
    def of(cls, raw: dict[str, Any]) -> Self:
        """Read an object of the API; what is odd in it is as if it were not there."""
        spec = raw.get("spec") or {}
        told, changes = spec.get("leaseDurationSeconds"), spec.get("leaseTransitions")
        return cls(
            holder=str(spec.get("holderIdentity") or ""),
            renewed=str(spec.get("renewTime") or ""),
            changes=changes if isinstance(changes, int) else 0,
            seconds=told if isinstance(told, int) and 0 < told <= _LONGEST else 0,
            version=str(raw["metadata"]["resourceVersion"]),
        )

    def same(self, other: SeenLease | None) -> bool:
        """Whether nobody has renewed or taken it between two looks; other writes to it count for nothing."""
        return other is not None and (self.holder, self.renewed, self.changes) == (
            other.holder,
            other.renewed,
            other.changes,
        )


class Step(Model):
    """What is done: the lease made, renewed by its holder, taken by another, or waited for."""

    do: Literal["create", "renew", "take", "wait"]
    why: str = ""


def decide(me: str, lease: SeenLease | None, unchanged: float, settings: LeaseSettings) -> Step:
    """``lease`` as it is now, None where there is none; ``unchanged``: seconds for which it was seen to stay so."""
    if lease is None:
        return Step(do="create", why="there is no lease")
    if lease.holder == me:
        return Step(do="renew")
    if not lease.holder:
        return Step(do="take", why="nobody holds it")
    duration = max(lease.seconds, settings.duration_seconds)
    if unchanged >= duration:
        return Step(do="take", why=f"{lease.holder} has not renewed it for {unchanged:.0f} s")
    return Step(do="wait", why=f"{lease.holder} leads")


def manifest(me: str, lease: SeenLease | None, acquired: str, now: datetime, settings: LeaseSettings) -> dict[str, Any]:
    """The lease as its holder writes it; times are for people."""
    meta: dict[str, Any] = {"name": settings.name, "namespace": settings.namespace}
    if lease is not None:
        meta["resourceVersion"] = lease.version
    changes = 0 if lease is None else lease.changes + (lease.holder != me)
    return {
        "apiVersion": "coordination.k8s.io/v1",
        "kind": "Lease",
        "metadata": meta,
        "spec": {
            "holderIdentity": me,
            "leaseDurationSeconds": settings.duration_seconds,
            "acquireTime": acquired,
            "renewTime": moment(now),
            "leaseTransitions": changes,
        },
    }


def moment(now: datetime) -> str:
    """A time as the API's MicroTime."""
    return now.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
