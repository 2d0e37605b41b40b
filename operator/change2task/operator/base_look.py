"""One look at a base: gather, decide, act, and write status once.

What is decided is ``bases``', how it is carried out ``base_acts``'. Builds run in a namespace that is not watched,
since nothing of ours lies there but they; so they are looked at again after some seconds, and removed with their base
here, because nobody of another namespace can own them.
"""

from __future__ import annotations

from dataclasses import dataclass

from change2task.api.modernbase import ModernBase
from change2task.base.prepare import STAGES
from change2task.cluster import names
from change2task.operator import common, jobs, statuses
from change2task.operator.base_acts import BaseActs, BaseWorld
from change2task.operator.bases import decide_base
from change2task.operator.observed_bases import SeenModernBase, next_work, progress_of
from change2task.operator.schedule import Key
from change2task.operator.world import Recorder
from change2task.pipeline import status
from change2task.pipeline.keys import base_work_key

_MOST_ACTIONS = 6
_BUILD_SECONDS = 5.0


@dataclass(frozen=True)
class BaseLook:
    """Looks at bases; blocking, safe to use from several threads, one base a thread."""

    acts: BaseActs
    recorder: Recorder

    def look(self, key: Key) -> float | None:
        """Look once; gives the seconds after which to look again unasked. Raises KubeFault, RegistryFault."""
        raw = self.acts.kube.get("ModernBase", key.namespace, key.name)
        if raw is None or raw["metadata"].get("deletionTimestamp"):
            self.acts.running.forget(key)
            self.acts.builds.forget(key)
            self._end_builds(key)
            return None
        base = ModernBase.model_validate(common.plain(raw))
        uid = raw["metadata"]["uid"]
        if not status.is_ready(base):
            self._end_builds(key, but=uid)
        world, now = self._gather(base, uid), self.acts.clock()
        for _ in range(_MOST_ACTIONS):
            decision = decide_base(world.seen, now)
            if not self.acts.act(world, decision.action, key):
                break
        else:
            raise RuntimeError(f"{_MOST_ACTIONS} actions in one look came to no end")
        told = world.told or statuses.after_base(base, decision, world.progress, now)
        if told != base.status:
            common.write_status(self.acts.kube, base, told)
            common.tell(self.recorder, raw, base.status.conditions, told.conditions)
        common.let_go(self.acts.kube, world.captured, base.spec.retention.finished_jobs_seconds)
        building = world.told is None and next_work(world.progress) == "build"
        return min(decision.again or _BUILD_SECONDS, _BUILD_SECONDS) if building else decision.again

    def _gather(self, base: ModernBase, uid: str) -> BaseWorld:
        progress = progress_of(base, base_work_key(base, STAGES))
        world = BaseWorld(base=base, uid=uid, seen=SeenModernBase(base=base, progress=progress))
        if status.is_ready(base):
            return world
        there: list[str] = []
        spaces = [base.metadata.namespace or "", self.acts.settings.builds_namespace]
        for job in jobs.owned(self.acts.kube, "ModernBase", spaces, uid):
            if not jobs.is_over(job):
                there.append(job["metadata"]["name"])
            if not jobs.is_ours(job, uid, progress.key):
                common.end_stale(self.acts.kube, job)
            elif job["metadata"]["labels"][names.STEP] == str(progress.step):
                world.job = job
        # A build that has ended, or was deleted, holds no place; nobody watches builds.
        self.acts.builds.only(uid, there)
        seen = None if world.job is None else jobs.see(self.acts.kube, world.job, uid, progress.key)
        if seen is not None and seen.phase == "pending" and seen.waits_for is not None:
            self.acts.running.release(seen.name)
        attempts = max(progress.attempts, 0 if seen is None else seen.attempt)
        world.goes_on(attempts=attempts)
        world.seen = world.seen.replacing(job=seen, attempts=attempts)
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
