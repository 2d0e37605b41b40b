"""The lease as a replica sees it: read, renewed, taken, let go; and whether it may still act.

What is done is ``leading``'s. Whether it may act is told by its own steady clock alone, from the moment before its last
renewal was sent, so that an answer that was long on its way prolongs nothing.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

import structlog

from change2task.cluster.kube import Conflict, Json, Kube, KubeFault
from change2task.operator.leading import SeenLease, decide, manifest, moment
from change2task.operator.settings import LeaseSettings

log = structlog.get_logger(__name__)


@dataclass
class Election:
    """One replica's part in it; ``steady`` is a clock that is never set. Blocking, but for ``leads`` and ``left``.

    ``kube`` answers or gives up within the time that a renewal may take.
    """

    kube: Kube
    settings: LeaseSettings
    me: str
    now: Callable[[], datetime]
    steady: Callable[[], float]
    said: str = ""
    read_at: float | None = None
    _until: float = field(default=float("-inf"), init=False)
    _acquired: str = field(default="", init=False)
    _seen: SeenLease | None = field(default=None, init=False)
    _since: float = field(default=0.0, init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False)

    def leads(self) -> bool:
        """Whether this replica may act now."""
        return self.steady() < self._until

    def left(self) -> float:
        """Seconds for which it may act if it cannot renew; 0 or less where it may not."""
        return self._until - self.steady()

    def step(self) -> bool:
        """Look once, and renew or take the lease where that is due; whether this replica leads."""
        with self._lock:
            try:
                self._step()
            except KubeFault as fault:
                # A holder goes on until its time is over: the API server may be back before.
                log.warning("lease.unread", detail=str(fault))
                self.said = f"the lease cannot be read: {fault}"
            return self.leads()

    def let_go(self) -> None:
        """Let the lease go at the end of all work, so that another need not wait."""
        with self._lock:
            held, self._until = self.leads(), float("-inf")
            if not held or self._seen is None:
                return
            told = manifest(self.me, self._seen, self._acquired, self.now(), self.settings)
            told["spec"] = {**told["spec"], "holderIdentity": "", "leaseDurationSeconds": 1}
            try:
                self.kube.replace(told)
            except KubeFault as fault:
                log.warning("lease.not_let_go", detail=str(fault))

    def _step(self) -> None:
        started = self.steady()
        raw = self.kube.get("Lease", self.settings.namespace, self.settings.name)
        lease = None if raw is None else SeenLease.of(raw)
        self.read_at = self.steady()
        if lease is None or not lease.same(self._seen):
            self._since = self.read_at
        was_leading, self._seen = self._until > float("-inf"), lease
        step = decide(self.me, lease, self.read_at - self._since, self.settings)
        self.said = step.why or "this replica leads"
        if step.do == "wait":
            if was_leading:
                log.error("lease.lost", detail=step.why)
            self._until = float("-inf")
            return
        if step.do != "renew":
            self._acquired = moment(self.now())
            log.info("lease.taking", why=step.why)
        self._write(lease, started)

    def _write(self, lease: SeenLease | None, started: float) -> None:
        wanted = manifest(self.me, lease, self._acquired or moment(self.now()), self.now(), self.settings)
        try:
            made: Json = self.kube.create(wanted) if lease is None else self.kube.replace(wanted)
        except Conflict:
            # Somebody was quicker; the next look tells who.
            self.said = "another replica was quicker"
            return
        self._seen, self._since = SeenLease.of(made), self.steady()
        self._until = started + self.settings.renew_seconds
        self.said = "this replica leads"
