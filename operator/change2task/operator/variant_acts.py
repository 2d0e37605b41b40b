"""What the decisions about a task do: the Jobs of its replays are created, and their results kept.

A replay rests on documents of the registry alone, so that candidate and base may be gone. What is the same for all work
is ``acts``', when to do what ``replays``'.
"""

from __future__ import annotations

from dataclasses import dataclass

from change2task.api.metadata import ObjectMeta
from change2task.api.modernbase import ModernBase
from change2task.api.podtemplate import PodTemplate
from change2task.api.taskvariant import TaskVariant, TaskVariantStatus
from change2task.cluster.kube import Json
from change2task.cluster.layers import layer_of
from change2task.cluster.step_job import Subject
from change2task.operator import jobs
from change2task.operator.actions import StartStep
from change2task.operator.acts import Acts
from change2task.operator.reading import SpecInvalid, read
from change2task.operator.running import Running
from change2task.operator.world import VariantWorld
from change2task.pipeline.keys import OUTCOME_ANNOTATION, PARCEL_ANNOTATION
from change2task.pipeline.wire import BaseParcel, CandidateOutcome, ReplayInput, StepInput, StepResult


@dataclass(frozen=True)
class VariantActs(Acts[VariantWorld]):
    """Carries decisions out; blocking."""

    def _counted(self, world: VariantWorld) -> tuple[Running, str]:
        return self.running, _base_of(world.variant)

    def _manifest(self, world: VariantWorld, action: StartStep) -> Json:
        assert world.progress is not None
        where = world.variant.metadata.annotations[PARCEL_ANNOTATION]
        parcel = BaseParcel.model_validate_json(self.registry.read_document(where))
        world.progress = world.progress.replacing(image=world.progress.image or self._first_image(world, parcel))
        meta = world.variant.metadata
        return self._step_job(
            Subject(kind="TaskVariant", name=meta.name, namespace=meta.namespace or "", uid=world.uid),
            action,
            base_uid=_base_of(world.variant),
            key=world.progress.key,
            image=world.progress.image or "",
            base_image=parcel.image,
            needs=world.progress.needs,
            suite_seconds=parcel.checks.timeout_seconds,
            template=self._template(world.variant),
        ).manifest()

    def _begun(self, world: VariantWorld, attempt: int) -> None:
        assert world.progress is not None
        world.progress = world.progress.replacing(attempts=attempt)

    def _first_image(self, world: VariantWorld, parcel: BaseParcel) -> str:
        where = world.variant.metadata.annotations[OUTCOME_ANNOTATION]
        done = CandidateOutcome.model_validate_json(self.registry.read_document(where))
        task = ReplayInput(variant=_plain(world.variant), evidence=done.evidence, times=world.seen.times)
        layer = layer_of({"/c2t/step/input.json": StepInput(replay=task, parcel=parcel).canonical()})
        return self.registry.append(parcel.ground, layer, repository="steps")

    def _template(self, variant: TaskVariant) -> PodTemplate:
        """The base's wishes for its pods, while it is the one that the task was made on."""
        made = variant.spec.base
        raw = self.kube.get("ModernBase", variant.metadata.namespace or "", made.name)
        try:
            base = None if raw is None else read(ModernBase, raw)
        except SpecInvalid:
            base = None
        return PodTemplate() if base is None or base.status.base_key != made.key else base.spec.pod_template

    def _keep(self, world: VariantWorld, job: Json, digest: str) -> None:
        assert world.progress is not None
        result, content = jobs.result_of(self.kube, job, digest, StepResult)
        world.replays, progress = result.replays, world.progress
        if not result.replays:
            layer = layer_of({f"/c2t/step/results/{progress.step:04}.json": content})
            image = self.registry.append(progress.image or "", layer, repository="steps")
            world.progress = progress.replacing(image=image, step=progress.step + 1, attempts=0, needs=result.needs)
        world.seen = world.seen.replacing(step=world.progress.step, asked=not result.replays)

    def _conclude(self, world: VariantWorld, outcome: str) -> bool:
        raise NotImplementedError("a replay's end is told by its last result")


def _base_of(variant: TaskVariant) -> str:
    """What stands for the base's uid where Jobs are counted; the base itself may be gone."""
    return variant.spec.base.key[:40]


def _plain(variant: TaskVariant) -> TaskVariant:
    """The task without what differs between clusters: the same input gives the same image."""
    return variant.replacing(metadata=ObjectMeta(name=variant.metadata.name), status=TaskVariantStatus())
