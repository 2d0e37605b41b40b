"""One look at a task: what is gathered, and what its status then says.

A TaskVariant is immutable and nobody's: it outlives the candidate and the base that it came from. Its status follows
from its spec alone, so that a crash between making and telling is mended, and from the replays that were asked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar, Literal

from change2task.api.conditions import Condition, ConditionType
from change2task.api.progress import Progress
from change2task.api.reasons import Reason
from change2task.api.taskvariant import Replayed, TaskVariant, TaskVariantStatus
from change2task.cluster.kube import Json
from change2task.operator import jobs, statuses
from change2task.operator.actions import Decision, Keep, Tell
from change2task.operator.look import Look
from change2task.operator.replays import SeenReplay, decide
from change2task.operator.schedule import Key
from change2task.operator.variant_acts import VariantActs
from change2task.operator.world import VariantWorld
from change2task.pipeline import status
from change2task.pipeline.keys import (
    MOST_REPLAYS,
    OUTCOME_ANNOTATION,
    PARCEL_ANNOTATION,
    REPLAY_ANNOTATION,
    REPLAY_TIMES_ANNOTATION,
    digest,
)
from change2task.pipeline.publish import counts_of

_KEPT_SECONDS = 3600
"""How long a replay's finished Jobs stay to be looked at."""


@dataclass(frozen=True)
class VariantLook(Look[TaskVariant, VariantWorld, VariantActs]):
    """Looks at tasks."""

    kind: ClassVar[type[TaskVariant]] = TaskVariant

    def _gone(self, key: Key) -> None:
        """Its Jobs are its own and go with it."""

    def _decide(self, world: VariantWorld, now: datetime) -> Decision:
        return decide(world.seen, now)

    def _retention(self, world: VariantWorld) -> int:
        return _KEPT_SECONDS

    def _gather(self, resource: TaskVariant, raw: Json) -> VariantWorld:
        asked, uid = resource.metadata.annotations, raw["metadata"]["uid"]
        seen = SeenReplay(
            asked=is_asked(resource),
            known=OUTCOME_ANNOTATION in asked and PARCEL_ANNOTATION in asked,
            times=times_of(resource),
            told=resource.status.conditions,
        )
        world = VariantWorld(variant=resource, uid=uid, seen=seen, progress=None)
        if seen.asked:
            key = digest("replay", resource.metadata.name, asked[REPLAY_ANNOTATION], seen.times)
            kept = resource.status.progress
            self._see_step(world, kept if kept is not None and kept.key == key else Progress(key=key))
        return world

    def _see_step(self, world: VariantWorld, progress: Progress) -> None:
        namespace = world.variant.metadata.namespace or ""
        found = jobs.owned(self.acts.kube, "TaskVariant", [namespace], world.uid)
        seen = self._see_job(world, found, progress.key, progress.step)
        attempts = max(progress.attempts, 0 if seen is None else seen.attempt)
        image = progress.image if world.job is None else jobs.image_of(world.job)
        world.progress = progress.replacing(attempts=attempts, image=image)
        world.seen = world.seen.replacing(step=progress.step, job=seen, attempts=attempts)

    def _status(self, world: VariantWorld, decision: Decision, now: datetime) -> TaskVariantStatus:
        told, variant = world.variant.status, world.variant
        if not told.conditions or told.observed_generation != variant.metadata.generation:
            published = status.published_variant(variant, counts_of(variant), now).status
            told = published.replacing(progress=told.progress, replayed=told.replayed)
        if world.replays:
            return _ended(world, told, now)
        if isinstance(decision.action, Keep) and decision.reason is Reason.COMPLETE:
            return told
        stalled = isinstance(decision.action, Tell) and decision.action.stalled
        conditions = _way(told.conditions, decision, stalled=stalled, generation=told.observed_generation, now=now)
        return told.replacing(conditions=conditions, progress=world.progress)

    def _said(self, told: TaskVariantStatus, decision: Decision) -> statuses.Said | None:
        verified = next((one for one in told.conditions if one.type == ConditionType.VERIFIED), None)
        if verified is None or verified.status == "True" or told.progress is not None:
            return None
        return statuses.Said(verified.reason, verified.message, warning=True)


def is_asked(variant: TaskVariant) -> bool:
    """Whether a replay is asked for that has not come to its end."""
    asked, done = variant.metadata.annotations.get(REPLAY_ANNOTATION), variant.status.replayed
    return bool(asked) and (done is None or done.request != asked)


def times_of(variant: TaskVariant) -> int:
    """How often a replay is asked for; what is no number stands for once, and a large one for the most there is."""
    asked = variant.metadata.annotations.get(REPLAY_TIMES_ANNOTATION, "1")
    return min(max(int(asked), 1), MOST_REPLAYS) if asked.isdecimal() and asked.isascii() and len(asked) < 9 else 1


def _ended(world: VariantWorld, was: TaskVariantStatus, now: datetime) -> TaskVariantStatus:
    replays, generation = world.replays, was.observed_generation
    differences = tuple(line for one in replays for line in one.differences)
    same = all(one.same for one in replays)
    found = "every check came out as the task says" if same else f"{len(differences)} checks came out otherwise"
    message = f"replayed {len(replays)} times: {found}"
    verified: Literal["True", "False"] = "True" if same else "False"
    reason = Reason.VALIDATED if same else Reason.UNSTABLE
    conditions = status.put(was.conditions, ConditionType.VERIFIED, verified, reason, generation, now, message)
    for kind in (ConditionType.RECONCILING, ConditionType.STALLED):
        conditions = status.put(conditions, kind, "False", Reason.COMPLETE, generation, now)
    return was.replacing(
        conditions=conditions,
        progress=None,
        replayed=Replayed(
            request=world.variant.metadata.annotations[REPLAY_ANNOTATION],
            times=len(replays),
            same=same,
            checks=replays[0].checks,
            message=message,
            differences=tuple(line[:1024] for line in differences[:20]),
            at=now,
        ),
    )


def _way(
    conditions: tuple[Condition, ...], decision: Decision, *, stalled: bool, generation: int, now: datetime
) -> tuple[Condition, ...]:
    """A task is ready whatever becomes of its replay."""
    on, off = ConditionType.RECONCILING, ConditionType.STALLED
    if stalled:
        on, off = off, on
    conditions = status.put(conditions, on, "True", decision.reason, generation, now, decision.message)
    return status.put(conditions, off, "False", decision.reason, generation, now)
