"""What the decisions about a candidate do: Jobs are created, results kept, verdicts taken over.

Every action may be repeated: what it makes has a name from its content, and what is there already is success once its
owner and key are checked. When to do what is ``candidates``'.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

import structlog

from change2task.api.metadata import ObjectMeta
from change2task.api.reasons import Reason
from change2task.api.taskcandidate import Profile, TaskCandidate, TaskCandidateStatus
from change2task.cluster.failures import Failure
from change2task.cluster.kube import Conflict, Kube
from change2task.cluster.layers import layer_of
from change2task.cluster.step_job import StepJob, Subject
from change2task.operator import jobs
from change2task.operator.addresses import Addresses
from change2task.operator.candidates import Action, Capture, Conclude, Reject, StartStep
from change2task.operator.common import begin
from change2task.operator.observed import SeenJob
from change2task.operator.running import Running
from change2task.operator.schedule import Key
from change2task.operator.settings import OperatorSettings
from change2task.operator.steps import DEADLINE_OVERHEAD, SECONDS_A_PASS
from change2task.operator.world import Keeper, World
from change2task.pipeline import status
from change2task.pipeline.keys import OUTCOME_ANNOTATION, PARCEL_ANNOTATION, RETRY_ANNOTATION
from change2task.pipeline.wire import BaseParcel, CandidateOutcome, StepInput, StepResult

log = structlog.get_logger(__name__)

OUTCOME_TYPE = "application/vnd.change2task.candidate-outcome.v1+json"


@dataclass(frozen=True)
class CandidateActs:
    """Carries decisions out; blocking."""

    kube: Kube
    registry: Keeper
    settings: OperatorSettings
    running: Running
    clock: Callable[[], datetime]
    addresses: Addresses = field(default_factory=Addresses)

    def act(self, world: World, action: Action, key: Key) -> bool:
        """Carry an action out; whether what it changed is worth another decision in the same look.

        Raises KubeFault, RegistryFault.
        """
        match action:
            case StartStep():
                return self._start(world, action, key)
            case Capture():
                self._capture(world, action)
                return True
            case Conclude(outcome=outcome):
                self._conclude(world, outcome)
            case Reject(reason=reason, message=message):
                verdict = status.rejection(reason, message)
                world.verdict = status.refused_candidate(world.candidate, verdict, world.seen.base.key, self.clock())
        return False

    def profile(self, candidate: TaskCandidate) -> Profile:
        """The profile that is in force for a candidate."""
        return candidate.spec.construction.profile or self.settings.profile

    def _start(self, world: World, action: StartStep, key: Key) -> bool:
        assert world.progress is not None
        parcel = self._parcel(world)
        progress = world.progress.replacing(image=world.progress.image or self._first_image(world, parcel))
        job = self._step_job(world, parcel, action, progress.image or "")
        made = begin(self.kube, self.running, job.manifest(), world.base_uid, key, self.clock)
        if made is None or isinstance(made, SeenJob):
            world.seen = world.seen.replacing(room=made is not None, job=made or world.seen.job)
            return True
        log.info("step.started", job=job.name, step=action.step, attempt=action.attempt)
        world.job = made
        world.progress = progress.replacing(attempts=action.attempt)
        return False

    def _first_image(self, world: World, parcel: BaseParcel) -> str:
        asked = StepInput(candidate=_plain(world.candidate), parcel=parcel, profile=self.profile(world.candidate))
        layer = layer_of({"/c2t/step/input.json": asked.canonical()})
        return self.registry.append(parcel.ground, layer, repository="steps")

    def _step_job(self, world: World, parcel: BaseParcel, action: StartStep, image: str) -> StepJob:
        assert world.progress is not None
        assert world.base is not None
        meta, most = world.candidate.metadata, self.settings.slots
        slots = min(world.progress.needs or most, most)
        return StepJob(
            subject=Subject(kind="TaskCandidate", name=meta.name, namespace=meta.namespace or "", uid=world.uid),
            base_uid=world.base_uid,
            key=world.progress.key,
            step=action.step,
            attempt=action.attempt,
            image=image,
            base_image=parcel.image,
            slots=slots,
            seconds=int(DEADLINE_OVERHEAD + slots * (parcel.checks.timeout_seconds + SECONDS_A_PASS)),
            closed=self.addresses.of(self.settings.closed()),
            allow_open=self.settings.allow_unisolated,
            template=world.base.spec.pod_template,
            runtime_class=self.settings.runtime_class_name,
        )

    def _capture(self, world: World, action: Capture) -> None:
        assert world.job is not None
        assert world.progress is not None
        assert world.seen.job is not None
        progress = world.progress
        try:
            result, content = jobs.result_of(self.kube, world.job, action.result, StepResult)
        except jobs.ResultUnreadable as error:
            failure = Failure(reason=Reason.RESULT_LOST, message=str(error))
            seen = world.seen.job.replacing(phase="failed", result=None, failure=failure)
            world.seen = world.seen.replacing(job=seen)
            return
        if result.candidate is not None:
            kept = self.registry.push_document("outcomes", result.candidate.canonical(), OUTCOME_TYPE)
            progress = progress.replacing(outcome=kept, needs=0)
        else:
            layer = layer_of({f"/c2t/step/results/{progress.step:04}.json": content})
            image = self.registry.append(progress.image or "", layer, repository="steps")
            progress = progress.replacing(image=image, needs=result.needs)
        world.progress = progress = progress.replacing(step=progress.step + 1, attempts=0)
        world.captured.append(world.job)
        world.job = None
        world.seen = world.seen.replacing(step=progress.step, outcome=progress.outcome, job=None, attempts=0)

    def _conclude(self, world: World, outcome: str) -> None:
        done = CandidateOutcome.model_validate_json(self.registry.read_document(outcome))
        meta = world.candidate.metadata
        if done.variant is not None:
            variant = done.variant.replacing(
                metadata=ObjectMeta(
                    name=done.variant.metadata.name,
                    namespace=meta.namespace,
                    labels=done.variant.metadata.labels,
                    annotations=_sources(world, outcome),
                )
            )
            document = variant.document()
            document.pop("status", None)
            try:
                self.kube.create(document)
            except Conflict:
                there = self.kube.get("TaskVariant", meta.namespace or "", variant.metadata.name)
                if there is None or type(variant).model_validate(there).spec != variant.spec:
                    raise
        world.verdict = done.candidate.status.replacing(observed_generation=meta.generation, progress=world.progress)

    def _parcel(self, world: World) -> BaseParcel:
        assert world.base is not None
        assert world.base.status.parcel is not None
        return BaseParcel.model_validate_json(self.registry.read_document(world.base.status.parcel))


def _sources(world: World, outcome: str) -> dict[str, str]:
    """Where a task's evidence and its base lie, for replays when candidate and base are gone."""
    parcel = None if world.base is None else world.base.status.parcel
    return {OUTCOME_ANNOTATION: outcome, **({PARCEL_ANNOTATION: parcel} if parcel else {})}


def _plain(candidate: TaskCandidate) -> TaskCandidate:
    """What decides the verdict, and nothing that differs between clusters: the same input gives the same image."""
    meta = candidate.metadata
    kept = {RETRY_ANNOTATION: meta.annotations[RETRY_ANNOTATION]} if RETRY_ANNOTATION in meta.annotations else {}
    return candidate.replacing(
        metadata=ObjectMeta(name=meta.name, annotations=kept, generation=meta.generation), status=TaskCandidateStatus()
    )
