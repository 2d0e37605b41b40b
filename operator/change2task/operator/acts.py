"""How decisions are carried out that mean the same for all work: Jobs begun and ended, results kept or found lost.

Every action may be repeated: what it makes has a name from its content, and what is there already is success once its
owner and key are checked. What a Job is made of, and what its result is, is each kind's own.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Generic, TypeVar

import structlog

from change2task.api.podtemplate import PodTemplate
from change2task.api.reasons import Reason
from change2task.cluster.failures import Failure
from change2task.cluster.kube import Json, Kube
from change2task.cluster.parts import Subject
from change2task.cluster.step_job import StepJob
from change2task.operator import common, jobs
from change2task.operator.actions import Action, Capture, Conclude, EndJob, Publish, Reject, StartStep
from change2task.operator.addresses import Addresses
from change2task.operator.observed import SeenJob
from change2task.operator.running import Running
from change2task.operator.schedule import Key
from change2task.operator.settings import OperatorSettings
from change2task.operator.world import Keeper, World

log = structlog.get_logger(__name__)

OVERHEAD = 600
"""Seconds of a Job for its trusted containers and images."""
_A_PASS = 60
"""Seconds that a slot may take beyond its suite's own limit."""
W = TypeVar("W", bound=World[Any, Any])


@dataclass(frozen=True)
class Acts(ABC, Generic[W]):
    """Carries decisions out; blocking."""

    kube: Kube
    registry: Keeper
    settings: OperatorSettings
    running: Running
    clock: Callable[[], datetime]
    addresses: Addresses = field(default_factory=Addresses, kw_only=True)

    def act(self, world: W, action: Action, key: Key) -> bool:
        """Carry an action out; whether what it changed is worth another decision in the same look.

        Raises KubeFault, RegistryFault.
        """
        match action:
            case StartStep():
                return self._start(world, action, key)
            case Capture():
                self._capture(world, action)
                return True
            case EndJob(failure=failure):
                assert world.job is not None
                common.end(self.kube, world.job, failure)
            case Conclude(outcome=outcome):
                return self._conclude(world, outcome)
            case Publish(outcome=outcome):
                self._publish(world, outcome)
            case Reject():
                self._reject(world, action)
        return False

    @abstractmethod
    def _manifest(self, world: W, action: StartStep) -> Json:
        """The Job of a step."""

    @abstractmethod
    def _counted(self, world: W) -> tuple[Running, str]:
        """Among which Jobs the next one counts, and the uid of its base."""

    @abstractmethod
    def _begun(self, world: W, attempt: int) -> None:
        """The Job of a step is there."""

    @abstractmethod
    def _keep(self, world: W, job: Json, digest: str) -> None:
        """Keep a finished Job's result; the work has then come further. Raises ResultUnreadable."""

    @abstractmethod
    def _conclude(self, world: W, outcome: str) -> bool:
        """Take an outcome over; see ``act``."""

    def _publish(self, world: W, outcome: str) -> None:
        raise NotImplementedError

    def _reject(self, world: W, action: Reject) -> None:
        raise NotImplementedError

    def _start(self, world: W, action: StartStep, key: Key) -> bool:
        manifest = self._manifest(world, action)
        counted, base_uid = self._counted(world)
        made = common.begin(self.kube, counted, manifest, base_uid, key, self.clock)
        if made is None or isinstance(made, SeenJob):
            world.seen = world.seen.replacing(room=made is not None, job=made or world.seen.job)
            return True
        log.info("job.started", job=manifest["metadata"]["name"], what=world.seen.what, attempt=action.attempt)
        world.job = made
        self._begun(world, action.attempt)
        return False

    def _step_job(
        self,
        subject: Subject,
        action: StartStep,
        *,
        base_uid: str,
        key: str,
        image: str,
        base_image: str,
        needs: int,
        suite_seconds: float,
        template: PodTemplate,
    ) -> StepJob:
        """The Job of a step, with as many slots as there are passes needed and allowed (``needs`` 0: not known)."""
        settings = self.settings
        slots = min(needs or settings.slots, settings.slots)
        return StepJob(
            subject=subject,
            base_uid=base_uid,
            key=key,
            step=action.step,
            attempt=action.attempt,
            image=image,
            base_image=base_image,
            slots=slots,
            seconds=int(OVERHEAD + slots * (suite_seconds + _A_PASS)),
            closed=self.addresses.of(settings.closed()),
            allow_open=settings.allow_unisolated,
            template=template,
            runtime_class=settings.runtime_class_name,
        )

    def _capture(self, world: W, action: Capture) -> None:
        assert world.job is not None
        assert world.seen.job is not None
        try:
            self._keep(world, world.job, action.result)
        except jobs.ResultUnreadable as error:
            failure = Failure(reason=Reason.RESULT_LOST, message=str(error))
            seen = world.seen.job.replacing(phase="failed", result=None, failure=failure)
            world.seen = world.seen.replacing(job=seen)
            return
        world.captured.append(world.job)
        world.job = None
        world.seen = world.seen.replacing(job=None, attempts=0)
