"""Bases for a run: mirror, preparation, and status; a base that stands in the store is not prepared again.

Once a commit is frozen in the stored status it stays the base's for life, and so do its packages and its checks:
whatever of it was thrown away comes back the same, or the machine is at fault. Another spec is another base. A base
that was ready is never lost to one that is not: what rests on it would be lost with it. What preparing means is left
to the ``base`` room.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass

import structlog

from change2task.api.conditions import ConditionType
from change2task.api.modernbase import ModernBase, ModernBaseStatus
from change2task.api.reasons import Reason
from change2task.api.rules import refused_changes
from change2task.base.build import DEFAULT_LIMITS, Builder
from change2task.base.environment import PlacedEnvironment
from change2task.base.faults import BaseFault
from change2task.base.inventory import Inventory
from change2task.base.known import Held, Known, NotAsItWas
from change2task.base.models import NoBase, PreparedBase
from change2task.base.prepare import STAGES, prepare_base
from change2task.checks.labels import LabelledRunner
from change2task.checks.laying import CheckCommand
from change2task.checks.passes import InfrastructureFault
from change2task.checks.reader import reader_for
from change2task.checks.running import SandboxRunner
from change2task.corpus.store import Store
from change2task.pipeline import status
from change2task.pipeline.base_status import failed_status, ready_status
from change2task.pipeline.journal import JournalRunner
from change2task.pipeline.keys import digest
from change2task.pipeline.ports import BaseOnHand, Clock, Ground, Grounds
from change2task.pipeline.progress import Reporter
from change2task.runtime.models import Limits
from change2task.vcs.errors import (
    EmptyRepository,
    MirrorUnreachable,
    NotARepository,
    PathNotFound,
    VcsError,
    masked,
)
from change2task.vcs.mirror import ensure_mirror, mirror_path
from change2task.vcs.repository import Repository
from change2task.vcs.workbench import Workbench

log = structlog.get_logger(__name__)

_UNUSABLE: dict[type[VcsError], Reason] = {
    EmptyRepository: Reason.EMPTY_REPOSITORY,
    NotARepository: Reason.REPOSITORY_UNREACHABLE,
    PathNotFound: Reason.REPOSITORY_UNREACHABLE,
}
"""What a place that was reached holds is a word about the repository; that nothing was fetched is none."""

_UNREAD: tuple[type[VcsError], ...] = (MirrorUnreachable, *_UNUSABLE)


@dataclass(frozen=True)
class BaseOutcome:
    """A base as it stands, and what candidates work on when it is healthy."""

    base: ModernBase
    on_hand: BaseOnHand | None


@dataclass(frozen=True)
class BaseDriver:
    """Drives bases of one store, each on its ground; ``mirrors`` says where a URL is really read.

    ``limits`` bound each setup step; the manifest may set another time.
    """

    store: Store
    grounds: Grounds
    mirrors: Mapping[str, str]
    clock: Clock
    reporter: Reporter
    cancel: threading.Event
    limits: Limits = DEFAULT_LIMITS

    def drive(self, base: ModernBase) -> BaseOutcome:
        """The base with its status, stored; raises InfrastructureFault, ToolchainMissing and Cancelled."""
        stored = self.store.base(base.metadata.name)
        same = stored is not None and not refused_changes(stored.spec, base.spec)
        ready = self._prepared(base, stored.status if stored is not None and same else ModernBaseStatus())
        if isinstance(ready, NoBase):
            return self._failed(base, stored, ready, same=same)
        done = base.replacing(status=self._ready(base, stored, ready.prepared))
        if stored is not None and same and stored.status.base_key == done.status.base_key:
            done = base.replacing(status=stored.status)
        if stored is not None and status.is_ready(stored) and stored.status.base_key != done.status.base_key:
            log.warning(
                "base.replaced",
                base=base.metadata.name,
                was=(stored.status.base_key or "")[:12],
                now=(done.status.base_key or "")[:12],
                tasks="those made on the earlier one are graded and replayed on it still",
            )
        self.store.put(done)
        ready.preflight.drop()
        return BaseOutcome(base=done, on_hand=ready.on_hand(base))

    def reopen(self, base: ModernBase) -> BaseOnHand:
        """A stored base once more, for grading: nothing of the store but its cache is written.

        Raises InfrastructureFault, with the way out, when it cannot be made as it was.
        """
        ready = self._prepared(base, base.status)
        if isinstance(ready, NoBase):
            fault = ready.fault
            raise InfrastructureFault(
                f"base {base.metadata.name} could not be made again ({fault.reason.value}): {fault.message};"
                f" give --mirror {base.spec.repository.url}=PATH if its repository is read elsewhere"
            )
        return ready.on_hand(base)

    def _prepared(self, base: ModernBase, stored: ModernBaseStatus) -> _Ready | NoBase:
        """The base made ready, as ``stored`` knows it; an empty status knows nothing."""
        name = base.metadata.name
        self.reporter.stage("base", name, "mirror")
        repository = self._mirror(base, fresh=stored.commit is None)
        if isinstance(repository, BaseFault):
            return NoBase(fault=repository)
        ground = self.grounds(name)
        made: dict[str, tuple[SandboxRunner, JournalRunner]] = {}

        def runner(placed: PlacedEnvironment, checks: CheckCommand) -> LabelledRunner:
            log.debug("checks", base=name, command=checks.command, rebuild=checks.rebuild)
            bare = self._runner(ground, repository, placed, checks)
            key = digest("preflight", placed.environment.key, checks.document())
            journal = JournalRunner(bare, self.store, key)
            made[placed.environment.key] = bare, journal
            return LabelledRunner(journal, f"bases/{name}")

        seconds = base.spec.environment.setup_timeout_seconds or self.limits.seconds
        builder = Builder.on_this_machine(
            ground.sandbox, self.store.cache, limits=self.limits.replacing(seconds=seconds), cancel=self.cancel
        )
        try:
            prepared = prepare_base(
                base.spec,
                repository,
                builder,
                runner,
                time.monotonic,
                frozen=stored.commit,
                known=self._known(stored),
                progress=lambda stage: self.reporter.stage("base", name, stage),
            )
        except NotAsItWas:
            # The next run is to look again, not to read that it was so.
            for _, journal in made.values():
                journal.drop()
            raise
        if isinstance(prepared, NoBase):
            return prepared
        if prepared.environment.environment.key not in made:
            runner(prepared.environment, prepared.checks)
        bare, journal = made[prepared.environment.environment.key]
        return _Ready(repository, prepared, bare, journal)

    def _known(self, stored: ModernBaseStatus) -> Known | None:
        """What the store knows of a base; None where nothing, or where it was made by other stages than today's."""
        built = stored.environment
        if stored.commit is None or stored.base_key is None or built is None or stored.stages not in ({}, STAGES):
            return None
        inventory, lock = (self._evidence(stored, kind) for kind in ("inventory", "lock"))
        if inventory is None:
            return None
        return Known(
            commit=stored.commit,
            key=stored.base_key,
            environment=Held(
                key=built.key,
                interpreter=built.interpreter,
                setup=built.setup,
                dated=built.dated,
                lock=None if lock is None else lock.decode(),
            ),
            inventory=Inventory.model_validate_json(inventory),
        )

    def _evidence(self, stored: ModernBaseStatus, kind: str) -> bytes | None:
        digest = stored.evidence.get(kind)
        return None if digest is None else self.store.evidence(digest)

    def _mirror(self, base: ModernBase, *, fresh: bool) -> Workbench | BaseFault:
        """The base's repository; ``fresh`` asks its source once more, since a base not yet frozen wants today's."""
        url, revision = base.spec.repository.url, base.spec.revision
        wanted = [named for named in (revision.healthy, revision.target) if named is not None]

        def mirror(*, refresh: bool) -> Repository:
            return ensure_mirror(
                url,
                self.mirrors.get(url, url),
                self.store.cache / "mirrors",
                wanted=wanted,
                refresh=refresh,
                depth=base.spec.history.depth,
            )

        try:
            try:
                found = mirror(refresh=fresh)
            except _UNREAD as error:
                if not mirror_path(url, self.store.cache / "mirrors").exists():
                    raise
                log.warning("mirror.stale", url=masked(url), detail=str(error))
                found = mirror(refresh=False)
        except tuple(_UNUSABLE) as error:
            if self.mirrors.get(url, url) != url and not isinstance(error, EmptyRepository):
                # Where a URL is read on this machine is the user's word, and none of the repository's.
                raise InfrastructureFault(f"--mirror {masked(url)}={self.mirrors[url]}: {error}") from error
            return BaseFault(reason=_UNUSABLE[type(error)], message=str(error), condition=ConditionType.RESOLVED)
        except MirrorUnreachable as error:
            raise InfrastructureFault(
                f"{error}; look at spec.repository.url and the network, or give --mirror {masked(url)}=PATH"
            ) from error
        except VcsError as error:
            raise InfrastructureFault(str(error)) from error
        return Workbench(found, self.store.cache / "bench" / found.path.name)

    def _runner(
        self, ground: Ground, repository: Repository, placed: PlacedEnvironment, checks: CheckCommand
    ) -> SandboxRunner:
        return SandboxRunner(
            sandbox=ground.sandbox,
            workspaces=ground.workspaces,
            environment=placed.runtime(),
            repository=repository,
            checks=checks,
            logs=self.store.cache / "logs",
            cancel=self.cancel,
        )

    def _failed(self, base: ModernBase, stored: ModernBase | None, failed: NoBase, *, same: bool) -> BaseOutcome:
        fault = failed.fault
        stands = stored is not None and status.is_ready(stored)
        if stands and same:
            raise InfrastructureFault(
                f"it was ready in an earlier run and cannot be made again ({fault.reason.value}): {fault.message};"
                " what is stored of it stays"
            )
        before = stored.status if stored is not None else ModernBaseStatus()
        done = base.replacing(status=failed_status(base, before, failed, self.clock()))
        if stands:
            log.warning("base.not_replaced", base=base.metadata.name, stays="the one stored, which is ready")
        else:
            self.store.put(done)
        return BaseOutcome(base=done, on_hand=None)

    def _ready(self, base: ModernBase, stored: ModernBase | None, prepared: PreparedBase) -> ModernBaseStatus:
        evidence = {kind: self.store.put_evidence(content) for kind, content in prepared.evidence().items()}
        before = stored.status if stored is not None else ModernBaseStatus()
        return ready_status(base, before, prepared, evidence, self.clock())


@dataclass(frozen=True)
class _Ready:
    """A prepared base with what runs its passes, and the journal of its preflight."""

    repository: Repository
    prepared: PreparedBase
    runner: SandboxRunner
    preflight: JournalRunner

    def on_hand(self, base: ModernBase) -> BaseOnHand:
        prepared, inventory = self.prepared, self.prepared.inventory
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
            repository=self.repository,
            runner=self.runner,
            modules=prepared.environment.modules(),
            build=reader_for(prepared.checks.format).build(prepared.checks.command),
        )
