"""What the decisions about a base do: it is fetched, built and run in steps, and what comes of it is kept.

What is the same for all work is ``acts``'. What a pod is asked for is a layer of its image, so that a Job's name and
its image follow from the same content.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import structlog

from change2task.api.conditions import Condition
from change2task.api.metadata import ObjectMeta
from change2task.api.modernbase import ModernBase, ModernBaseStatus
from change2task.api.progress import BaseProgress, BuiltEnvironmentImage
from change2task.api.rules import refused_changes
from change2task.base.build import DEFAULT_LIMITS
from change2task.cluster.base_jobs import BuildJob, FetchJob, RegistryAccess
from change2task.cluster.kube import Json
from change2task.cluster.layers import layer_of
from change2task.cluster.parts import Subject
from change2task.cluster.step_job import StepJob
from change2task.operator import jobs, statuses
from change2task.operator.actions import StartStep
from change2task.operator.acts import OVERHEAD, Acts
from change2task.operator.observed_bases import next_work
from change2task.operator.running import Running
from change2task.operator.ways_out import BASE_FAILED
from change2task.operator.world import BaseWorld
from change2task.pipeline.wire import (
    BaseOutcome,
    BuildInput,
    BuildResult,
    BuiltImage,
    FetchInput,
    FetchResult,
    RegistryPlace,
    StepInput,
    StepResult,
)

log = structlog.get_logger(__name__)

OUTCOME_TYPE = "application/vnd.change2task.base-outcome.v1+json"
PARCEL_TYPE = "application/vnd.change2task.base-parcel.v1+json"
RESULT_TYPE = "application/vnd.change2task.step-result.v1+json"
_ASK = "/c2t/ask/input.json"


@dataclass(frozen=True)
class BaseActs(Acts[BaseWorld]):
    """Carries decisions out; blocking. ``builds`` counts builds, ``running`` all else."""

    builds: Running

    def _counted(self, world: BaseWorld) -> tuple[Running, str]:
        return self.builds if next_work(world.progress) == "build" else self.running, world.uid

    def _begun(self, world: BaseWorld, attempt: int) -> None:
        world.goes_on(attempts=attempt)

    def _manifest(self, world: BaseWorld, action: StartStep) -> Json:
        match next_work(world.progress):
            case "fetch":
                return self._fetch(world, action).manifest()
            case "build":
                return self._build(world, action).manifest()
            case _:
                return self._step(world, action).manifest()

    def _fetch(self, world: BaseWorld, action: StartStep) -> FetchJob:
        spec, settings = world.base.spec, self.settings
        url = spec.repository.url
        asked = FetchInput(
            base=_plain(world.base),
            source=settings.mirrors.repositories.get(url, url),
            image=settings.images.runner,
            registry=self._place(),
        )
        secret = spec.repository.credentials_secret_ref
        return FetchJob(
            subject=_subject(world),
            key=world.progress.key,
            step=action.step,
            attempt=action.attempt,
            image=self._asking(settings.images.runner, asked.canonical()),
            registry=self._access(),
            credentials=None if secret is None else secret.name,
            authorities=settings.authorities,
            template=spec.pod_template,
        )

    def _build(self, world: BaseWorld, action: StartStep) -> BuildJob:
        settings, progress = self.settings, world.progress
        asked = BuildInput(
            base=_plain(world.base),
            history=progress.history or "",
            built=_built(progress),
            image=settings.base_image,
            images=settings.mirrors.images,
            registry=self._place(),
        )
        setup = world.base.spec.environment.setup_timeout_seconds or DEFAULT_LIMITS.seconds
        image = self._with_results(progress.ground or progress.history or "", progress)
        return BuildJob(
            subject=_subject(world),
            key=progress.key,
            step=action.step,
            attempt=action.attempt,
            namespace=settings.builds_namespace,
            image=self._asking(image, asked.canonical()),
            engine=settings.build.builder,
            builder=settings.engine_image,
            external=settings.build.external,
            registry=self._access(),
            index=settings.index.url,
            index_secret=settings.index.secret,
            authorities=settings.authorities,
            seconds=int(OVERHEAD + 8 * setup),
            template=world.base.spec.pod_template,
        )

    def _step(self, world: BaseWorld, action: StartStep) -> StepJob:
        progress, spec = world.progress, world.base.spec
        asked = StepInput(base=_plain(world.base), built=_built(progress), ground=progress.ground)
        layer = layer_of({"/c2t/step/input.json": asked.canonical()})
        image = self._with_results(progress.ground or "", progress)
        return self._step_job(
            _subject(world),
            action,
            base_uid=world.uid,
            key=progress.key,
            image=self.registry.append(image, layer, repository="steps"),
            base_image=progress.built[-1].image,
            needs=progress.needs,
            suite_seconds=spec.checks.timeout_seconds,
            template=spec.pod_template,
        )

    def _with_results(self, image: str, progress: BaseProgress) -> str:
        """An image with the results of all steps so far."""
        for number, reference in enumerate(progress.results):
            layer = layer_of({f"/c2t/step/results/{number:04}.json": self.registry.read_document(reference)})
            image = self.registry.append(image, layer, repository="steps")
        return image

    def _asking(self, image: str, content: bytes) -> str:
        return self.registry.append(image, layer_of({_ASK: content}), repository="asked")

    def _keep(self, world: BaseWorld, job: Json, digest: str) -> None:
        progress = world.progress
        match next_work(progress):
            case "fetch":
                fetched, _ = jobs.result_of(self.kube, job, digest, FetchResult)
                outcome = fetched.base
                world.goes_on(history=fetched.history)
            case "build":
                built, _ = jobs.result_of(self.kube, job, digest, BuildResult)
                outcome = built.base
                world.goes_on(ground=built.ground, built=_later(progress, built), builds=False)
            case _:
                told, content = jobs.result_of(self.kube, job, digest, StepResult)
                outcome = told.base
                if outcome is None:
                    kept = self.registry.push_document("results", content, RESULT_TYPE)
                    world.goes_on(results=(*progress.results, kept), needs=told.needs, builds=told.build)
        if outcome is not None:
            world.goes_on(outcome=self.registry.push_document("outcomes", outcome.canonical(), OUTCOME_TYPE))
        world.goes_on(step=world.progress.step + 1, attempts=0)

    def _conclude(self, world: BaseWorld, outcome: str) -> bool:
        done = BaseOutcome.model_validate_json(self.registry.read_document(outcome))
        if refused_changes(done.base.spec, world.base.spec):
            # What status names is of another base, so that nothing of it is believed.
            log.warning("outcome.not_ours", outcome=outcome)
            progress = BaseProgress(key=world.progress.key, retry=world.progress.retry)
            world.seen = world.seen.replacing(progress=progress, job=None, attempts=0)
            return True
        parcel = None
        if done.parcel is not None:
            parcel = self.registry.push_document("parcels", done.parcel.canonical(), PARCEL_TYPE)
        told, generation = done.base.status, world.base.metadata.generation
        conditions: Sequence[Condition] = told.conditions
        if parcel is not None and not self.settings.allow_unisolated:
            # Each of its steps would have failed before anything of the repository ran.
            conditions = statuses.isolated(conditions, generation, self.clock())
        if parcel is None:
            conditions = statuses.with_way_out(conditions, BASE_FAILED, self.clock())
        world.told = told.replacing(
            observed_generation=generation, conditions=tuple(conditions), progress=world.progress, parcel=parcel
        )
        return False

    def _place(self) -> RegistryPlace:
        return RegistryPlace(prefix=self.settings.registry.prefix, insecure=self.settings.registry.insecure)

    def _access(self) -> RegistryAccess:
        registry = self.settings.registry
        return RegistryAccess(
            host=registry.prefix.partition("/")[0], insecure=registry.insecure, secret=registry.pods_secret
        )


def _later(progress: BaseProgress, result: BuildResult) -> tuple[BuiltEnvironmentImage, ...]:
    """All environments, the one that was built last in the end: its passes come next."""
    known = {one.key for one in progress.built}
    new = [BuiltEnvironmentImage(key=one.key, image=one.image) for one in result.built if one.key not in known]
    return (*progress.built, *new)


def _built(progress: BaseProgress) -> tuple[BuiltImage, ...]:
    return tuple(BuiltImage(key=one.key, image=one.image) for one in progress.built)


def _subject(world: BaseWorld) -> Subject:
    meta = world.base.metadata
    return Subject(kind="ModernBase", name=meta.name, namespace=meta.namespace or "", uid=world.uid)


def _plain(base: ModernBase) -> ModernBase:
    """What decides the outcome, and nothing that differs between clusters: the same input gives the same image."""
    meta = ObjectMeta(name=base.metadata.name, generation=base.metadata.generation)
    return base.replacing(metadata=meta, status=ModernBaseStatus())
