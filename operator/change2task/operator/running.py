"""How many of our Jobs run, by base, namespace and cluster; and who waits for room.

Kept in memory from what the watch tells and what is created here; a restart counts anew. A look that finds no room is
remembered, and when a Job ends those that have waited longest look again.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Collection

from change2task.api.model import Model
from change2task.operator.schedule import Key
from change2task.operator.settings import Caps


class Place(Model):
    """Where a Job counts: its namespace and its base's uid."""

    namespace: str
    base: str


class Running:
    """Safe to use from several threads."""

    def __init__(self, caps: Caps) -> None:
        self._caps = caps
        self._jobs: dict[str, Place] = {}
        self._waiting: dict[Key, None] = {}
        self._lock = threading.Lock()

    def __len__(self) -> int:
        """Jobs that run."""
        return len(self._jobs)

    @property
    def waiting(self) -> int:
        """Looks that found no room."""
        return len(self._waiting)

    def take(self, job: str, place: Place, key: Key) -> bool:
        """Whether there is room for this Job, which then counts; else ``key`` waits."""
        with self._lock:
            if job in self._jobs or self._room(place):
                self._waiting.pop(key, None)
                self._jobs[job] = place
                return True
            self._waiting.setdefault(key)
            return False

    def release(self, job: str) -> None:
        """A Job does not count after all; nobody is woken."""
        with self._lock:
            self._jobs.pop(job, None)

    def only(self, base: str, jobs: Collection[str]) -> None:
        """Of a base, or of all (""), no other Jobs than these are there."""
        with self._lock:
            gone = [job for job, place in self._jobs.items() if base in {"", place.base} and job not in jobs]
            for job in gone:
                del self._jobs[job]

    def runs(self, job: str, place: Place) -> None:
        """The watch tells of a Job that has not ended."""
        with self._lock:
            self._jobs[job] = place

    def ended(self, job: str) -> tuple[Key, ...]:
        """A Job has ended or is gone; who may look again, longest waiting first."""
        with self._lock:
            if self._jobs.pop(job, None) is None:
                return ()
            free = max(1, self._caps.cluster - len(self._jobs))
            woken = tuple(self._waiting)[:free]
            for key in woken:
                del self._waiting[key]
            return woken

    def names(self) -> frozenset[str]:
        """Jobs that count."""
        with self._lock:
            return frozenset(self._jobs)

    def forget(self, key: Key) -> None:
        """A resource that waited is gone."""
        with self._lock:
            self._waiting.pop(key, None)

    def _room(self, place: Place) -> bool:
        caps = self._caps
        of_base = sum(1 for other in self._jobs.values() if other.base == place.base)
        spaces = Counter(other.namespace for other in self._jobs.values())
        return (
            len(self._jobs) < caps.cluster and spaces[place.namespace] < caps.per_namespace and of_base < caps.per_base
        )
