"""Bases for a run: mirror, preparation, and status; a base that stands in the store is not prepared again.

Once a commit is frozen in the stored status it stays the base's for life; another spec is another base. What
preparing means is left to the ``base`` room.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass

import structlog

from change2task.api.conditions import Condition, ConditionType
from change2task.api.modernbase import ModernBase, ModernBaseStatus
from change2task.api.reasons import Reason
from change2task.base.build import Builder
from change2task.base.environment import PlacedEnvironment
from change2task.base.faults import BaseFault
from change2task.base.models import Preparation, PreparedBase
from change2task.base.prepare import prepare_base
from change2task.checks.passes import InfrastructureFault
from change2task.checks.running import CheckCommand, SandboxRunner
from change2task.corpus.store import Store
from change2task.pipeline import status
from change2task.pipeline.candidate import Clock
from change2task.pipeline.ports import BaseOnHand, Ground, Grounds
from change2task.pipeline.progress import Reporter
from change2task.vcs.errors import (
    EmptyRepository,
    MirrorBusy,
    MirrorUnreachable,
    NotARepository,
    PathNotFound,
    VcsError,
)
from change2task.vcs.mirror import ensure_mirror
from change2task.vcs.repository import Repository
from change2task.vcs.workbench import Workbench

log = structlog.get_logger(__name__)

_UNUSABLE: dict[type[VcsError], Reason] = {
    EmptyRepository: Reason.EMPTY_REPOSITORY,
    NotARepository: Reason.REPOSITORY_UNREACHABLE,
    MirrorUnreachable: Reason.REPOSITORY_UNREACHABLE,
    PathNotFound: Reason.REPOSITORY_UNREACHABLE,
}


@dataclass(frozen=True)
class BaseOutcome:
    """A base as it stands, and what candidates work on when it is healthy."""

    base: ModernBase
    on_hand: BaseOnHand | None


@dataclass(frozen=True)
class BaseDriver:
    """Drives bases of one store, each on its ground; ``mirrors`` says where a URL is really read."""

    store: Store
    grounds: Grounds
    mirrors: Mapping[str, str]
    clock: Clock
    reporter: Reporter
    cancel: threading.Event

    def drive(self, base: ModernBase, wanted: tuple[str, ...] = ()) -> BaseOutcome:
        """The base with its status, stored; raises InfrastructureFault, ToolchainMissing and Cancelled.

        ``wanted`` are revisions its mirror must hold, if the repository has them.
        """
        name = base.metadata.name
        stored = self.store.base(name)
        same = stored is not None and stored.spec == base.spec
        frozen = stored.status.commit if stored is not None and same else None
        self.reporter.stage("base", name, "mirror")
        repository = self._mirror(base, wanted)
        if isinstance(repository, BaseFault):
            return self._ended(base, stored, Preparation(fault=repository), None)

        ground = self.grounds(name)

        def runner(placed: PlacedEnvironment, checks: CheckCommand) -> SandboxRunner:
            return self._runner(name, ground, repository, placed, checks)

        builder = Builder.on_this_machine(ground.sandbox, self.store.cache, cancel=self.cancel)
        preparation = prepare_base(
            base.spec,
            repository,
            builder,
            runner,
            time.monotonic,
            frozen=frozen,
            progress=lambda stage: self.reporter.stage("base", name, stage),
        )
        if preparation.base is None:
            return self._ended(base, stored, preparation, None)
        prepared = preparation.base
        on_hand = self._on_hand(base, repository, prepared, runner(prepared.environment, prepared.checks))
        return self._ended(base, stored, preparation, on_hand)

    def _mirror(self, base: ModernBase, wanted: tuple[str, ...]) -> Workbench | BaseFault:
        url = base.spec.repository.url
        declared = (base.spec.revision.healthy, base.spec.revision.target)
        try:
            mirror: Repository = ensure_mirror(
                url,
                self.mirrors.get(url, url),
                self.store.cache / "mirrors",
                wanted=(*(revision for revision in declared if revision is not None), *wanted),
                depth=base.spec.history.depth,
            )
        except MirrorBusy as error:
            raise InfrastructureFault(str(error)) from error
        except tuple(_UNUSABLE) as error:
            return BaseFault(reason=_UNUSABLE[type(error)], message=str(error), condition=ConditionType.RESOLVED)
        except VcsError as error:
            raise InfrastructureFault(str(error)) from error
        return Workbench(mirror, self.store.cache / "bench" / mirror.path.name)

    def _runner(
        self, name: str, ground: Ground, repository: Repository, placed: PlacedEnvironment, checks: CheckCommand
    ) -> SandboxRunner:
        return SandboxRunner(
            sandbox=ground.sandbox,
            workspaces=ground.workspaces,
            environment=placed.runtime(),
            repository=repository,
            checks=checks,
            logs=self.store.cache / "logs" / name,
            cancel=self.cancel,
        )

    @staticmethod
    def _on_hand(base: ModernBase, repository: Repository, prepared: PreparedBase, runner: SandboxRunner) -> BaseOnHand:
        inventory = prepared.inventory
        return BaseOnHand(
            name=base.metadata.name,
            url=prepared.url,
            key=prepared.key,
            commit=prepared.commit,
            tree=prepared.tree,
            environment_key=prepared.environment.environment.key,
            inventory_digest=prepared.inventory_digest,
            healthy=frozenset(inventory.healthy),
            other={identity: check.state for identity, check in inventory.other.items()},
            check_format=prepared.checks.format,
            scope=base.spec.scope,
            repository=repository,
            runner=runner,
        )

    def _ended(
        self, base: ModernBase, stored: ModernBase | None, preparation: Preparation, on_hand: BaseOnHand | None
    ) -> BaseOutcome:
        before = stored.status.conditions if stored is not None else ()
        now = self.clock()
        if preparation.base is None:
            fault = preparation.fault
            if fault is None:
                raise AssertionError("a preparation without a base has a fault")
            done = base.replacing(
                status=ModernBaseStatus(
                    observed_generation=base.metadata.generation,
                    conditions=status.failed_base_conditions(before, fault, base.metadata.generation, now),
                    resolution=preparation.tried,
                    seconds=_rounded(preparation.seconds),
                )
            )
        else:
            done = base.replacing(status=self._ready(base, before, preparation.base))
            if stored is not None and stored.status.base_key == done.status.base_key and stored.spec == base.spec:
                done = stored
        self.store.put(done)
        return BaseOutcome(base=done, on_hand=on_hand)

    def _ready(self, base: ModernBase, before: tuple[Condition, ...], prepared: PreparedBase) -> ModernBaseStatus:
        environment = prepared.environment.environment
        evidence = {kind: self.store.put_evidence(content) for kind, content in prepared.evidence().items()}
        return ModernBaseStatus(
            observed_generation=base.metadata.generation,
            conditions=status.ready_base_conditions(
                before,
                base.metadata.generation,
                self.clock(),
                dated=environment.dated,
                dated_detail=environment.dated_detail,
            ),
            base_key=prepared.key,
            commit=prepared.commit,
            commit_time=prepared.commit_time.isoformat(),
            resolution=prepared.tried,
            environment=environment.summary(),
            inventory=prepared.inventory.counted(),
            evidence=evidence,
            seconds=_rounded(prepared.seconds),
        )


def _rounded(seconds: Mapping[str, float]) -> dict[str, float]:
    return {stage: round(value, 3) for stage, value in seconds.items()}
