"""What the decisions about a candidate do: Jobs are created, results kept, verdicts taken over, tasks published.

What is the same for all work is ``acts``', when to do what ``candidates``'.
"""

from __future__ import annotations

from dataclasses import dataclass

import structlog
from pydantic import ValidationError

from change2task.api.metadata import ObjectMeta
from change2task.api.progress import Progress
from change2task.api.reasons import Reason
from change2task.api.rules import refused_changes
from change2task.api.taskcandidate import Profile, TaskCandidate, TaskCandidateStatus
from change2task.api.taskvariant import TaskVariant
from change2task.cluster.kube import Conflict, Json
from change2task.cluster.layers import layer_of
from change2task.cluster.parts import Subject
from change2task.operator import jobs
from change2task.operator.actions import Reject, StartStep
from change2task.operator.acts import Acts
from change2task.operator.parcels import BaseDoubted, parcel_of
from change2task.operator.running import Running
from change2task.operator.schedule import Key
from change2task.operator.world import CandidateWorld
from change2task.pipeline import status
from change2task.pipeline.keys import OUTCOME_ANNOTATION, PARCEL_ANNOTATION, RETRY_ANNOTATION
from change2task.pipeline.wire import BaseParcel, CandidateOutcome, StepInput, StepResult

log = structlog.get_logger(__name__)

OUTCOME_TYPE = "application/vnd.change2task.candidate-outcome.v1+json"


@dataclass(frozen=True)
class CandidateActs(Acts[CandidateWorld]):
    """Carries decisions out; blocking."""

    def profile(self, candidate: TaskCandidate) -> Profile:
        """The profile that is in force for a candidate."""
        return candidate.spec.construction.profile or self.settings.profile

    def _start(self, world: CandidateWorld, action: StartStep, key: Key) -> bool:
        try:
            return super()._start(world, action, key)
        except BaseDoubted as doubt:
            base = world.seen.base.replacing(phase="stalled", reason=Reason.INFRASTRUCTURE, message=str(doubt))
            world.seen = world.seen.replacing(base=base)
            return True

    def _counted(self, world: CandidateWorld) -> tuple[Running, str]:
        return self.running, world.base_uid

    def _manifest(self, world: CandidateWorld, action: StartStep) -> Json:
        assert world.base is not None
        parcel = parcel_of(self.registry, world.base)
        assert world.progress is not None
        image, meta = world.progress.image or self._first_image(world, parcel), world.candidate.metadata
        world.progress = world.progress.replacing(image=image)
        return self._step_job(
            Subject(kind="TaskCandidate", name=meta.name, namespace=meta.namespace or "", uid=world.uid),
            action,
            base_uid=world.base_uid,
            key=world.progress.key,
            image=image,
            base_image=parcel.image,
            needs=world.progress.needs,
            suite_seconds=parcel.checks.timeout_seconds,
            template=world.base.spec.pod_template,
        ).manifest()

    def _begun(self, world: CandidateWorld, attempt: int) -> None:
        assert world.progress is not None
        world.progress = world.progress.replacing(attempts=attempt)

    def _first_image(self, world: CandidateWorld, parcel: BaseParcel) -> str:
        asked = StepInput(candidate=_plain(world.candidate), parcel=parcel, profile=self.profile(world.candidate))
        layer = layer_of({"/c2t/step/input.json": asked.canonical()})
        return self.registry.append(parcel.ground, layer, repository="steps")

    def _keep(self, world: CandidateWorld, job: Json, digest: str) -> None:
        assert world.progress is not None
        progress = world.progress
        result, content = jobs.result_of(self.kube, job, digest, StepResult)
        if result.candidate is not None:
            kept = self.registry.push_document("outcomes", result.candidate.canonical(), OUTCOME_TYPE)
            progress = progress.replacing(outcome=kept, needs=0)
        else:
            layer = layer_of({f"/c2t/step/results/{progress.step:04}.json": content})
            image = self.registry.append(progress.image or "", layer, repository="steps")
            progress = progress.replacing(image=image, needs=result.needs)
        world.progress = progress = progress.replacing(step=progress.step + 1, attempts=0)
        world.seen = world.seen.replacing(step=progress.step, outcome=progress.outcome)

    def _conclude(self, world: CandidateWorld, outcome: str) -> bool:
        done = self._outcome(outcome)
        if refused_changes(done.candidate.spec, world.candidate.spec):
            return self._begin_anew(world, outcome)
        foreign = None if done.variant is None else self._made(world, done.variant, outcome)
        if foreign is not None:
            world.seen = world.seen.replacing(foreign=foreign)
            return True
        generation = world.candidate.metadata.generation
        world.told = done.candidate.status.replacing(observed_generation=generation, progress=world.progress)
        return False

    def _begin_anew(self, world: CandidateWorld, outcome: str) -> bool:
        """What status names is of another candidate, so that nothing of it is believed."""
        assert world.progress is not None
        log.warning("outcome.not_ours", outcome=outcome)
        world.progress = Progress(key=world.progress.key)
        world.seen = world.seen.replacing(step=0, outcome=None, job=None, attempts=0)
        return True

    def _publish(self, world: CandidateWorld, outcome: str) -> None:
        variant = self._outcome(outcome).variant
        if variant is not None:
            log.warning(
                "variant.made_again", variant=variant.metadata.name, foreign=self._made(world, variant, outcome)
            )

    def _reject(self, world: CandidateWorld, action: Reject) -> None:
        verdict = status.rejection(action.reason, action.message)
        world.told = status.refused_candidate(world.candidate, verdict, world.seen.base.key, self.clock())

    def _made(self, world: CandidateWorld, variant: TaskVariant, outcome: str) -> str | None:
        """Make a task that tells where its outcome lies, or find that it is there; else what stands in its place."""
        parcel = None if world.base is None else world.base.status.parcel
        sources = {OUTCOME_ANNOTATION: outcome, **({PARCEL_ANNOTATION: parcel} if parcel else {})}
        space, meta = world.candidate.metadata.namespace, variant.metadata
        made = variant.replacing(
            metadata=ObjectMeta(name=meta.name, namespace=space, labels=meta.labels, annotations=sources)
        )
        document = made.document()
        document.pop("status", None)
        try:
            self.kube.create(document)
        except Conflict:
            there = self.kube.get("TaskVariant", space or "", meta.name)
            if there is None:
                raise
            if not _is(there, variant):
                return f"TaskVariant {meta.name}"
            if not sources.items() <= (there["metadata"].get("annotations") or {}).items():
                # It was made by another candidate, whose outcome is as good, or before tasks said where theirs lies.
                self.kube.patch("TaskVariant", space or "", meta.name, {"metadata": {"annotations": sources}})
        return None

    def _outcome(self, reference: str) -> CandidateOutcome:
        return CandidateOutcome.model_validate_json(self.registry.read_document(reference))


def _is(there: Json, variant: TaskVariant) -> bool:
    """Whether an object of the API holds this very task."""
    try:
        return TaskVariant.model_validate({**there, "status": {}}).spec == variant.spec
    except ValidationError:
        return False


def _plain(candidate: TaskCandidate) -> TaskCandidate:
    """What decides the verdict, and nothing that differs between clusters: the same input gives the same image."""
    meta = candidate.metadata
    kept = {RETRY_ANNOTATION: meta.annotations[RETRY_ANNOTATION]} if RETRY_ANNOTATION in meta.annotations else {}
    return candidate.replacing(
        metadata=ObjectMeta(name=meta.name, annotations=kept, generation=meta.generation), status=TaskCandidateStatus()
    )
