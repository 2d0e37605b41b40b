"""One look at a candidate: what is gathered, and what its status then says.

What is decided is ``candidates``', how it is carried out ``candidate_acts``'.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

from change2task.api.conditions import ConditionType, condition
from change2task.api.modernbase import ModernBase
from change2task.api.progress import Progress
from change2task.api.reasons import Reason
from change2task.api.taskcandidate import TaskCandidate, TaskCandidateStatus
from change2task.cluster import names
from change2task.cluster.kube import Json
from change2task.operator import common, jobs, statuses
from change2task.operator.actions import Decision
from change2task.operator.candidate_acts import CandidateActs
from change2task.operator.candidates import decide
from change2task.operator.look import Look
from change2task.operator.observed import SeenBase, SeenCandidate
from change2task.operator.reading import SpecInvalid, read
from change2task.operator.schedule import Key
from change2task.operator.world import CandidateWorld
from change2task.pipeline import status
from change2task.pipeline.keys import VERDICT, verdict_key


@dataclass(frozen=True)
class CandidateLook(Look[TaskCandidate, CandidateWorld, CandidateActs]):
    """Looks at candidates."""

    kind: ClassVar[type[TaskCandidate]] = TaskCandidate

    def _gone(self, key: Key) -> None:
        """Its Jobs are its own and go with it."""

    def _decide(self, world: CandidateWorld, now: datetime) -> Decision:
        return decide(world.seen, now)

    def _status(self, world: CandidateWorld, decision: Decision, now: datetime) -> TaskCandidateStatus:
        return statuses.after(world.candidate, decision, world.progress, now)

    def _said(self, told: TaskCandidateStatus, decision: Decision) -> statuses.Said | None:
        return None if told.accepted is None or told.reason is None else statuses.Said(told.reason, told.message)

    def _retention(self, world: CandidateWorld) -> int:
        return 0 if world.base is None else world.base.spec.retention.finished_jobs_seconds

    def _gather(self, resource: TaskCandidate, raw: Json) -> CandidateWorld:
        kube, namespace, named = self.acts.kube, resource.metadata.namespace or "", resource.spec.base_ref.name
        found = kube.get("ModernBase", namespace, named)
        base, seen_as = _read_base(named, found)
        seen = SeenCandidate(
            candidate=resource,
            base=seen_as,
            verdict_key=None if base is None else self._key(resource, base),
            allow_unisolated=self.acts.settings.allow_unisolated,
            lost=self._lost(resource),
        )
        world = CandidateWorld(
            candidate=resource,
            uid=raw["metadata"]["uid"],
            base=base,
            base_uid="" if found is None else found["metadata"]["uid"],
            seen=seen,
            progress=progress_of(resource, seen.verdict_key),
        )
        if world.progress is not None and resource.status.stages.get(VERDICT) != seen.verdict_key:
            self._see_step(world, self._owned(world), world.progress)
        elif world.progress is None and resource.status.progress is not None:
            self._end_orphans(world)
        return world

    def _owned(self, world: CandidateWorld) -> list[Json]:
        return jobs.owned(self.acts.kube, "TaskCandidate", [world.candidate.metadata.namespace or ""], world.uid)

    def _see_step(self, world: CandidateWorld, found: list[Json], progress: Progress) -> None:
        seen = self._see_job(world, found, progress.key, progress.step)
        attempts = max(progress.attempts, 0 if seen is None else seen.attempt)
        # A Job may be there of which status does not know yet; what it was made from stands in it.
        image = progress.image if world.job is None else jobs.image_of(world.job)
        world.progress = progress.replacing(attempts=attempts, image=image)
        world.seen = world.seen.replacing(step=progress.step, outcome=progress.outcome, job=seen, attempts=attempts)

    def _end_orphans(self, world: CandidateWorld) -> None:
        """End what runs on a base that is gone, or that another one of its name has replaced."""
        for job in self._owned(world):
            if job["metadata"]["labels"].get(names.BASE) != world.base_uid:
                common.end_stale(self.acts.kube, job)

    def _lost(self, candidate: TaskCandidate) -> str | None:
        """The outcome whose task was made and is not there any more."""
        told = candidate.status
        if not told.accepted or told.variant_ref is None or told.progress is None or told.progress.outcome is None:
            return None
        there = self.acts.kube.get("TaskVariant", candidate.metadata.namespace or "", told.variant_ref.name)
        return told.progress.outcome if there is None else None

    def _key(self, candidate: TaskCandidate, base: ModernBase) -> str | None:
        inventory = base.status.inventory
        if base.status.base_key is None or inventory is None:
            return None
        profile = self.acts.profile(candidate)
        return verdict_key(candidate, base.status.base_key, inventory.digest, base.spec.scope, profile, "")


def progress_of(candidate: TaskCandidate, key: str | None) -> Progress | None:
    """How far the work under this key is; that under another is forgotten. None while no key is known."""
    if key is None:
        return None
    kept = candidate.status.progress
    return kept if kept is not None and kept.key == key else Progress(key=key)


def seen_base(name: str, base: ModernBase | None) -> SeenBase:
    """A base as its candidates see it."""
    if base is None:
        return SeenBase(name=name, phase="missing")
    reason, message = status.reason_of(base), status.message_of(base)
    closed = condition(base.status.conditions, ConditionType.ISOLATED)
    told = SeenBase(
        name=name,
        phase="working",
        key=base.status.base_key,
        reason=reason,
        message=message,
        isolated=closed is None or closed.status != "False",
    )
    if status.is_ready(base):
        return told.replacing(phase="ready")
    if reason.rejection is not None:
        return told.replacing(phase="failed")
    stalled = any(one.type == "Stalled" and one.status == "True" for one in base.status.conditions)
    return told.replacing(phase="stalled" if stalled else "working")


def _read_base(name: str, found: Json | None) -> tuple[ModernBase | None, SeenBase]:
    try:
        base = None if found is None else read(ModernBase, found)
    except SpecInvalid as fault:
        return None, SeenBase(name=name, phase="stalled", reason=Reason.SPEC_INVALID, message=str(fault))
    return base, seen_base(name, base)
