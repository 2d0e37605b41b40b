"""One look at a base: what is gathered, and what its status then says.

What is decided is ``bases``', how it is carried out ``base_acts``'. Builds run in a namespace that is not watched,
since nothing of ours lies there but they; so they are looked at again after some seconds, and removed with their base
here, because nobody of another namespace can own them.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

from change2task.api.modernbase import ModernBase, ModernBaseStatus
from change2task.api.reasons import Reason
from change2task.base.prepare import STAGES
from change2task.cluster import names
from change2task.cluster.kube import Json
from change2task.operator import jobs, statuses
from change2task.operator.actions import Decision
from change2task.operator.base_acts import BaseActs
from change2task.operator.bases import decide_base
from change2task.operator.following import build_says
from change2task.operator.look import Look
from change2task.operator.observed_bases import SeenModernBase, next_work, progress_of
from change2task.operator.schedule import Key
from change2task.operator.world import BaseWorld
from change2task.pipeline import status
from change2task.pipeline.keys import base_work_key

_BUILD_SECONDS = 5.0


@dataclass(frozen=True)
class BaseLook(Look[ModernBase, BaseWorld, BaseActs]):
    """Looks at bases."""

    kind: ClassVar[type[ModernBase]] = ModernBase

    def _gone(self, key: Key) -> None:
        self.acts.builds.forget(key)
        self._end_builds(key)

    def _decide(self, world: BaseWorld, now: datetime) -> Decision:
        return decide_base(world.seen, now)

    def _status(self, world: BaseWorld, decision: Decision, now: datetime) -> ModernBaseStatus:
        return statuses.after_base(world.base, decision, world.progress, now)

    def _said(self, told: ModernBaseStatus, decision: Decision) -> statuses.Said | None:
        if decision.reason is not Reason.RETRY_IGNORED:
            return None
        return statuses.Said(decision.reason, decision.message, warning=True)

    def _retention(self, world: BaseWorld) -> int:
        return world.base.spec.retention.finished_jobs_seconds

    def _again(self, world: BaseWorld, decision: Decision) -> float | None:
        building = world.told is None and next_work(world.progress) == "build" and not status.is_ready(world.base)
        return min(decision.again or _BUILD_SECONDS, _BUILD_SECONDS) if building else decision.again

    def _gather(self, resource: ModernBase, raw: Json) -> BaseWorld:
        uid, meta = raw["metadata"]["uid"], resource.metadata
        progress = progress_of(resource, base_work_key(resource, STAGES))
        seen = SeenModernBase(base=resource, progress=progress, offered=self.acts.settings.build.builder)
        world = BaseWorld(base=resource, uid=uid, seen=seen)
        if status.is_ready(resource):
            return world
        self._end_builds(Key("ModernBase", meta.namespace or "", meta.name), but=uid)
        spaces = [meta.namespace or "", self.acts.settings.builds_namespace]
        found = jobs.owned(self.acts.kube, "ModernBase", spaces, uid)
        # A build that has ended, or was deleted, holds no place; nobody watches builds.
        self.acts.builds.only(uid, [job["metadata"]["name"] for job in found if not jobs.is_over(job)])
        job = self._see_job(world, found, progress.key, progress.step)
        if job is not None and world.job is not None and job.phase == "running" and next_work(progress) == "build":
            job = job.replacing(says=build_says(self.acts.kube, world.job))
        attempts = max(progress.attempts, 0 if job is None else job.attempt)
        world.goes_on(attempts=attempts)
        world.seen = world.seen.replacing(job=job, attempts=attempts)
        return world

    def _end_builds(self, key: Key, *, but: str | None = None) -> None:
        """End builds of a base that is gone; one of the same name may be there (``but``, its uid)."""
        space = self.acts.settings.builds_namespace
        for job in self.acts.kube.list("Job", space, **{names.SUBJECT_KIND: "ModernBase"}):
            meta = job["metadata"]
            told = meta.get("annotations") or {}
            for_it = (told.get(names.SUBJECT_NAMESPACE), told.get(names.SUBJECT_NAME)) == (key.namespace, key.name)
            if for_it and meta["labels"].get(names.SUBJECT_UID) != but:
                self.acts.builds.ended(meta["name"])
                self.acts.kube.delete("Job", space, meta["name"], meta["uid"])
