"""One look at a candidate: gather, decide, act, and write status once.

What is decided is ``candidates``', how it is carried out ``candidate_acts``'. Status is written after everything it
points to is kept, so that a crash anywhere leaves something the next look goes on from.
"""

from __future__ import annotations

from dataclasses import dataclass

from change2task.api.conditions import ConditionType, condition
from change2task.api.modernbase import ModernBase
from change2task.api.progress import Progress
from change2task.api.taskcandidate import TaskCandidate
from change2task.cluster import names
from change2task.cluster.kube import Json
from change2task.operator import common, jobs, statuses
from change2task.operator.candidate_acts import CandidateActs
from change2task.operator.candidates import decide
from change2task.operator.observed import SeenBase, SeenCandidate
from change2task.operator.schedule import Key
from change2task.operator.world import Recorder, World
from change2task.pipeline import status
from change2task.pipeline.keys import VERDICT, verdict_key

_MOST_ACTIONS = 6


@dataclass(frozen=True)
class CandidateLook:
    """Looks at candidates; blocking, safe to use from several threads, one candidate a thread."""

    acts: CandidateActs
    recorder: Recorder

    def look(self, key: Key) -> float | None:
        """Look once; gives the seconds after which to look again unasked. Raises KubeFault, RegistryFault."""
        raw = self.acts.kube.get("TaskCandidate", key.namespace, key.name)
        if raw is None or raw["metadata"].get("deletionTimestamp"):
            self.acts.running.forget(key)
            return None
        candidate = TaskCandidate.model_validate(common.plain(raw))
        world, now = self._gather(candidate, raw["metadata"]["uid"]), self.acts.clock()
        for _ in range(_MOST_ACTIONS):
            decision = decide(world.seen, now)
            if not self.acts.act(world, decision.action, key):
                break
        else:
            raise RuntimeError(f"{_MOST_ACTIONS} actions in one look came to no end")
        told = world.verdict or statuses.after(candidate, decision, world.progress, now)
        if told != candidate.status:
            common.write_status(self.acts.kube, candidate, told)
            verdict = None if told.accepted is None or told.reason is None else (told.reason.value, told.message)
            common.tell(self.recorder, raw, candidate.status.conditions, told.conditions, verdict)
        retention = 0 if world.base is None else world.base.spec.retention.finished_jobs_seconds
        common.let_go(self.acts.kube, world.captured, retention)
        return decision.again

    def _gather(self, candidate: TaskCandidate, uid: str) -> World:
        namespace = candidate.metadata.namespace or ""
        found = self.acts.kube.get("ModernBase", namespace, candidate.spec.base_ref.name)
        base = None if found is None else ModernBase.model_validate(common.plain(found))
        seen = SeenCandidate(
            candidate=candidate,
            base=seen_base(candidate.spec.base_ref.name, base),
            verdict_key=None if base is None else self._key(candidate, base),
            allow_unisolated=self.acts.settings.allow_unisolated,
        )
        world = World(
            candidate=candidate,
            uid=uid,
            base=base,
            base_uid="" if found is None else found["metadata"]["uid"],
            seen=seen,
            progress=progress_of(candidate, seen.verdict_key),
        )
        if world.progress is not None and candidate.status.stages.get(VERDICT) != seen.verdict_key:
            self._see_job(world, jobs.owned(self.acts.kube, candidate.kind, [namespace], uid), world.progress)
        return world

    def _see_job(self, world: World, found: list[Json], progress: Progress) -> None:
        """The Job of the present step, if there is one; what still runs for another spec or base is ended."""
        for job in found:
            if not jobs.is_ours(job, world.uid, progress.key):
                common.end_stale(self.acts.kube, job)
            elif job["metadata"]["labels"][names.STEP] == str(progress.step):
                world.job = job
        seen = None if world.job is None else jobs.see(self.acts.kube, world.job, world.uid, progress.key)
        if seen is not None and seen.phase == "pending" and seen.waits_for is not None:
            # What cannot begin keeps no place from what can.
            self.acts.running.release(seen.name)
        attempts = max(progress.attempts, 0 if seen is None else seen.attempt)
        # A Job may be there of which status does not know yet; what it was made from stands in it.
        image = progress.image if world.job is None else jobs.image_of(world.job)
        world.progress = progress.replacing(attempts=attempts, image=image)
        world.seen = world.seen.replacing(step=progress.step, outcome=progress.outcome, job=seen, attempts=attempts)

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
