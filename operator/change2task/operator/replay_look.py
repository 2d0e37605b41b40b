"""A replay of a task under way: gather, decide, act; the status that follows is given back to be written once.

What is decided is ``replays``'. A replay is asked for by an annotation, since the spec of a task never changes, and
rests on documents of the registry alone, so that candidate and base may be gone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

import structlog

from change2task.api.conditions import Condition, ConditionType
from change2task.api.modernbase import ModernBase, PodTemplate
from change2task.api.progress import Progress
from change2task.api.reasons import Reason
from change2task.api.taskvariant import Replayed, TaskVariant, TaskVariantStatus
from change2task.cluster import names
from change2task.cluster.failures import Failure
from change2task.cluster.kube import Json, Kube
from change2task.cluster.layers import layer_of
from change2task.cluster.step_job import StepJob, Subject
from change2task.operator import common, jobs
from change2task.operator.addresses import Addresses
from change2task.operator.candidates import Decision
from change2task.operator.observed import SeenJob
from change2task.operator.replays import SeenReplay, decide
from change2task.operator.running import Running
from change2task.operator.schedule import Key
from change2task.operator.settings import OperatorSettings
from change2task.operator.steps import DEADLINE_OVERHEAD, SECONDS_A_PASS
from change2task.operator.work import Capture, StartStep, Tell
from change2task.operator.world import Keeper, Recorder
from change2task.pipeline import status
from change2task.pipeline.grading import Replay
from change2task.pipeline.keys import (
    MOST_REPLAYS,
    OUTCOME_ANNOTATION,
    PARCEL_ANNOTATION,
    REPLAY_ANNOTATION,
    REPLAY_TIMES_ANNOTATION,
    digest,
)
from change2task.pipeline.wire import BaseParcel, CandidateOutcome, ReplayInput, StepInput, StepResult

log = structlog.get_logger(__name__)

_MOST_ACTIONS = 6
_KEPT_SECONDS = 3600
"""How long a replay's finished Jobs stay to be looked at."""


@dataclass
class _World:
    variant: TaskVariant
    uid: str
    seen: SeenReplay
    progress: Progress
    job: Json | None = None
    replays: tuple[Replay, ...] = ()
    captured: list[Json] = field(default_factory=list)


@dataclass(frozen=True)
class ReplayLook:
    """Looks at replays of tasks; blocking."""

    kube: Kube
    registry: Keeper
    settings: OperatorSettings
    running: Running
    clock: Callable[[], datetime]
    recorder: Recorder
    addresses: Addresses = field(default_factory=Addresses)

    def look(self, raw: Json, variant: TaskVariant, key: Key) -> tuple[TaskVariantStatus, float | None, list[Json]]:
        """The status after one look, the seconds after which to look again, and Jobs that may go once it is written.

        Raises KubeFault, RegistryFault.
        """
        world, now = self._gather(variant, raw["metadata"]["uid"]), self.clock()
        decision = decide(world.seen, now)
        for _ in range(_MOST_ACTIONS):
            if not self._act(world, decision, key) or world.replays:
                break
            decision = decide(world.seen, now)
        if world.replays:
            told = self._ended(raw, world, now)
        else:
            told = _working(variant.status, decision, world.progress, variant.metadata.generation, now)
        return told, decision.again, world.captured

    def _gather(self, variant: TaskVariant, uid: str) -> _World:
        meta, asked = variant.metadata, variant.metadata.annotations
        times = times_of(variant)
        key = digest("replay", meta.name, asked[REPLAY_ANNOTATION], times)
        kept = variant.status.progress
        progress = kept if kept is not None and kept.key == key else Progress(key=key)
        job: Json | None = None
        for one in jobs.owned(self.kube, variant.kind, [meta.namespace or ""], uid):
            if not jobs.is_ours(one, uid, key):
                common.end_stale(self.kube, one)
            elif one["metadata"]["labels"][names.STEP] == str(progress.step):
                job = one
        seen = None if job is None else jobs.see(self.kube, job, uid, key)
        attempts = max(progress.attempts, 0 if seen is None else seen.attempt)
        image = progress.image if job is None else jobs.image_of(job)
        return _World(
            variant=variant,
            uid=uid,
            seen=SeenReplay(
                known=OUTCOME_ANNOTATION in asked and PARCEL_ANNOTATION in asked,
                times=times,
                step=progress.step,
                job=seen,
                attempts=attempts,
            ),
            progress=progress.replacing(attempts=attempts, image=image),
            job=job,
        )

    def _act(self, world: _World, decision: Decision, key: Key) -> bool:
        match decision.action:
            case StartStep() as start:
                return self._start(world, start, key)
            case Capture() as capture:
                self._capture(world, capture)
                return True
        return False

    def _start(self, world: _World, start: StartStep, key: Key) -> bool:
        annotations = world.variant.metadata.annotations
        parcel = BaseParcel.model_validate_json(self.registry.read_document(annotations[PARCEL_ANNOTATION]))
        image = world.progress.image or self._first_image(world, parcel)
        job = self._job(world, parcel, start, image)
        made = common.begin(self.kube, self.running, job.manifest(), job.base_uid, key, self.clock)
        if made is None or isinstance(made, SeenJob):
            world.seen = world.seen.replacing(room=made is not None, job=made or world.seen.job)
            return True
        log.info("replay.started", job=job.name, step=start.step, attempt=start.attempt)
        world.progress = world.progress.replacing(attempts=start.attempt, image=image)
        return False

    def _first_image(self, world: _World, parcel: BaseParcel) -> str:
        where = world.variant.metadata.annotations[OUTCOME_ANNOTATION]
        done = CandidateOutcome.model_validate_json(self.registry.read_document(where))
        task = ReplayInput(variant=_plain(world.variant), evidence=done.evidence, times=world.seen.times)
        asked = StepInput(replay=task, parcel=parcel)
        return self.registry.append(
            parcel.ground, layer_of({"/c2t/step/input.json": asked.canonical()}), repository="steps"
        )

    def _job(self, world: _World, parcel: BaseParcel, start: StartStep, image: str) -> StepJob:
        meta, slots = world.variant.metadata, self.settings.slots
        return StepJob(
            subject=Subject(kind="TaskVariant", name=meta.name, namespace=meta.namespace or "", uid=world.uid),
            base_uid=world.variant.spec.base.key[:40],
            key=world.progress.key,
            step=start.step,
            attempt=start.attempt,
            image=image,
            base_image=parcel.image,
            slots=slots,
            seconds=int(DEADLINE_OVERHEAD + slots * (parcel.checks.timeout_seconds + SECONDS_A_PASS)),
            closed=self.addresses.of(self.settings.closed()),
            allow_open=self.settings.allow_unisolated,
            template=self._template(world.variant),
            runtime_class=self.settings.runtime_class_name,
        )

    def _template(self, variant: TaskVariant) -> PodTemplate:
        """The base's wishes for its pods, while it is the one that the task was made on."""
        made = variant.spec.base
        raw = self.kube.get("ModernBase", variant.metadata.namespace or "", made.name)
        base = None if raw is None else ModernBase.model_validate(common.plain(raw))
        return PodTemplate() if base is None or base.status.base_key != made.key else base.spec.pod_template

    def _capture(self, world: _World, capture: Capture) -> None:
        assert world.job is not None
        assert world.seen.job is not None
        try:
            result, content = jobs.result_of(self.kube, world.job, capture.result, StepResult)
        except jobs.ResultUnreadable as error:
            failure = Failure(reason=Reason.RESULT_LOST, message=str(error))
            world.seen = world.seen.replacing(
                job=world.seen.job.replacing(phase="failed", result=None, failure=failure)
            )
            return
        world.captured.append(world.job)
        world.replays = result.replays
        if not result.replays:
            progress = world.progress
            layer = layer_of({f"/c2t/step/results/{progress.step:04}.json": content})
            image = self.registry.append(progress.image or "", layer, repository="steps")
            world.progress = progress.replacing(image=image, step=progress.step + 1, attempts=0)
        world.job = None
        world.seen = world.seen.replacing(step=world.progress.step, job=None, attempts=0)

    def let_go(self, captured: list[Json]) -> None:
        """Jobs whose results are told may go after a while. Raises KubeFault."""
        common.let_go(self.kube, captured, _KEPT_SECONDS)

    def _ended(self, raw: Json, world: _World, now: datetime) -> TaskVariantStatus:
        replays, variant = world.replays, world.variant
        differences = tuple(line for one in replays for line in one.differences)
        same, generation = all(one.same for one in replays), variant.metadata.generation
        found = "every check came out as the task says" if same else f"{len(differences)} checks came out otherwise"
        message = f"replayed {len(replays)} times: {found}"
        reason = Reason.VALIDATED if same else Reason.UNSTABLE
        self.recorder.event(raw, reason.value, message, warning=not same)
        verified: Literal["True", "False"] = "True" if same else "False"
        conditions = status.put(
            variant.status.conditions, ConditionType.VERIFIED, verified, reason, generation, now, message
        )
        return variant.status.replacing(
            conditions=_settled(conditions, Reason.COMPLETE, "", generation, now),
            progress=None,
            replayed=Replayed(
                request=variant.metadata.annotations[REPLAY_ANNOTATION],
                times=len(replays),
                same=same,
                checks=replays[0].checks,
                message=message,
                differences=tuple(line[:1024] for line in differences[:20]),
                at=now,
            ),
        )


def is_asked(variant: TaskVariant) -> bool:
    """Whether a replay is asked for that has not come to its end."""
    asked, done = variant.metadata.annotations.get(REPLAY_ANNOTATION), variant.status.replayed
    return bool(asked) and (done is None or done.request != asked)


def times_of(variant: TaskVariant) -> int:
    """How often a replay is asked for; what is no number stands for once, and a large one for the most there is."""
    asked = variant.metadata.annotations.get(REPLAY_TIMES_ANNOTATION, "1")
    return min(max(int(asked), 1), MOST_REPLAYS) if asked.isdecimal() and len(asked) < 9 else 1


def _plain(variant: TaskVariant) -> TaskVariant:
    """The task without what differs between clusters: the same input gives the same image."""
    return variant.replacing(metadata=type(variant.metadata)(name=variant.metadata.name), status=TaskVariantStatus())


def _working(
    was: TaskVariantStatus, decision: Decision, progress: Progress, generation: int, now: datetime
) -> TaskVariantStatus:
    stalled = isinstance(decision.action, Tell) and decision.action.stalled
    if not stalled:
        conditions = status.put(
            was.conditions, ConditionType.RECONCILING, "True", decision.reason, generation, now, decision.message
        )
        conditions = status.put(conditions, ConditionType.STALLED, "False", decision.reason, generation, now)
        return was.replacing(conditions=conditions, progress=progress)
    conditions = status.put(
        was.conditions, ConditionType.STALLED, "True", decision.reason, generation, now, decision.message
    )
    conditions = status.put(conditions, ConditionType.RECONCILING, "False", decision.reason, generation, now)
    return was.replacing(conditions=conditions, progress=progress)


def _settled(
    conditions: tuple[Condition, ...], reason: Reason, message: str, generation: int, now: datetime
) -> tuple[Condition, ...]:
    for kind in (ConditionType.RECONCILING, ConditionType.STALLED):
        conditions = status.put(conditions, kind, "False", reason, generation, now, message)
    return conditions
