"""One look: gather, decide, act, and write status once. The same for every resource that work is done for.

Status is written after everything it points to is kept, so that a crash anywhere leaves something the next look goes on
from. What is gathered and decided is each kind's own.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar, Generic, TypeVar

from change2task.api.modernbase import ModernBase, ModernBaseStatus
from change2task.api.taskcandidate import TaskCandidate, TaskCandidateStatus
from change2task.api.taskvariant import TaskVariant, TaskVariantStatus
from change2task.cluster import names
from change2task.cluster.kube import Json
from change2task.operator import common, jobs, statuses
from change2task.operator.actions import Decision
from change2task.operator.acts import Acts
from change2task.operator.observed import SeenJob
from change2task.operator.reading import SpecInvalid, read
from change2task.operator.schedule import Key
from change2task.operator.world import Recorder, World

_MOST_ACTIONS = 6
R = TypeVar("R", ModernBase, TaskCandidate, TaskVariant)
W = TypeVar("W", bound=World[Any, Any])
A = TypeVar("A", bound=Acts[Any])


@dataclass(frozen=True)
class Look(ABC, Generic[R, W, A]):
    """Looks at resources of one kind; blocking, safe to use from several threads, one resource a thread."""

    acts: A
    recorder: Recorder
    kind: ClassVar[type[ModernBase] | type[TaskCandidate] | type[TaskVariant]]

    def look(self, key: Key) -> float | None:
        """Look once; gives the seconds after which to look again unasked. Raises KubeFault, RegistryFault."""
        raw = self.acts.kube.get(key.kind, key.namespace, key.name)
        if raw is None or raw["metadata"].get("deletionTimestamp"):
            self.acts.running.forget(key)
            self._gone(key)
            return None
        try:
            resource: Any = read(self.kind, raw)
        except SpecInvalid as fault:
            common.refuse(self.acts.kube, self.recorder, raw, str(fault), self.acts.clock())
            return None
        return self._looked(raw, resource, key)

    def _looked(self, raw: Json, resource: R, key: Key) -> float | None:
        world, now = self._gather(resource, raw), self.acts.clock()
        for _ in range(_MOST_ACTIONS):
            decision = self._decide(world, now)
            if not self.acts.act(world, decision.action, key):
                break
        else:
            raise RuntimeError(f"{_MOST_ACTIONS} actions in one look came to no end")
        told = statuses.masked(world.told or self._status(world, decision, now))
        if told != resource.status and common.write_status(self.acts.kube, raw, told):
            common.tell(self.recorder, raw, resource.status.conditions, told.conditions, self._said(told, decision))
        common.let_go(self.acts.kube, world.captured, self._retention(world))
        return self._again(world, decision)

    def _see_job(self, world: W, found: list[Json], key: str, step: int) -> SeenJob | None:
        """The Job of the present step, if there is one; what still runs for another spec or base is ended."""
        for job in found:
            if not jobs.is_ours(job, world.uid, key):
                common.end_stale(self.acts.kube, job)
            elif job["metadata"]["labels"][names.STEP] == str(step):
                world.job = job
        seen = None if world.job is None else jobs.see(self.acts.kube, world.job, world.uid, key)
        if seen is not None and seen.phase == "pending" and seen.waits_for is not None:
            # What cannot begin keeps no place from what can.
            self.acts.running.release(seen.name)
        return seen

    @abstractmethod
    def _gone(self, key: Key) -> None:
        """The resource is not there any more."""

    @abstractmethod
    def _gather(self, resource: R, raw: Json) -> W:
        """Everything that is decided from."""

    @abstractmethod
    def _decide(self, world: W, now: datetime) -> Decision:
        """What is done next."""

    @abstractmethod
    def _status(
        self, world: W, decision: Decision, now: datetime
    ) -> ModernBaseStatus | TaskCandidateStatus | TaskVariantStatus:
        """Status after a decision that ended nothing."""

    @abstractmethod
    def _retention(self, world: W) -> int:
        """Seconds that a Job stays whose result is kept."""

    def _said(self, told: Any, decision: Decision) -> statuses.Said | None:
        """What an event says instead of the Ready condition's own words."""
        return None

    def _again(self, world: W, decision: Decision) -> float | None:
        return decision.again
