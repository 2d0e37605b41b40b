"""From a manifest and a mirror to a base that is ready: the one public function of this room.

It exists to put the steps in order: resolve, infer, build, preflight, each from the cache where it stands there.
A fault of the repository is an outcome; a fault of the machine is raised and says nothing about the base.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Final

import structlog

from change2task.api.conditions import ConditionType
from change2task.api.modernbase import ModernBaseSpec
from change2task.api.reasons import Reason
from change2task.base import preflight as preflights
from change2task.base import resolution, scm_version
from change2task.base.builds import Builds
from change2task.base.environment import STAGE as ENVIRONMENT_STAGE
from change2task.base.environment import Environment, PlacedEnvironment
from change2task.base.faults import BaseFault, Faulted, built_fault
from change2task.base.inventory import Inventory
from change2task.base.known import Known
from change2task.base.models import NoBase, PreparedBase
from change2task.base.project import ProjectFiles
from change2task.base.recipe import Recipe, RecipeUnknown, recipe_for
from change2task.base.refusals import refusals
from change2task.base.resolution import Ineligible, Resolution
from change2task.checks.laying import CheckCommand
from change2task.checks.passes import PassRunner
from change2task.checks.reader import reader_for
from change2task.vcs.errors import MissingObject, UnsafePath
from change2task.vcs.materialise import check_paths
from change2task.vcs.repository import Repository
from change2task.vcs.trees import EXECUTABLE, FILE, SUBMODULE, Tree

_log = structlog.get_logger(__name__)
STAGE: Final = "base/1"
STAGES: Final = {"base": STAGE, "environment": ENVIRONMENT_STAGE}
"""What a base's key depends on beside its inputs: a base of other versions is prepared anew."""

Runners = Callable[[PlacedEnvironment, CheckCommand], PassRunner]


def prepare_base(
    spec: ModernBaseSpec,
    repository: Repository,
    builder: Builds,
    runners: Runners,
    clock: Callable[[], float],
    *,
    frozen: str | None = None,
    known: Known | None = None,
    repeats: int = 2,
    progress: Callable[[str], None] = lambda _: None,
) -> PreparedBase | NoBase:
    """The base that a manifest asks for, or why there is none.

    ``runners`` makes the runner of an environment; ``clock`` counts seconds; ``frozen`` is the commit an earlier run
    froze, which is then the only one tried; ``known`` is all that it found, which is then what comes back. ``progress``
    gets words about what goes on. Everything that stands in the builder's cache is taken from there. Raises
    ToolchainMissing, NotAsItWas, InfrastructureFault, Cancelled, NotBuilt, and ValueError for an unknown
    checks.format.
    """
    reader_for(spec.checks.format)
    preparing = _Preparing(spec, repository, builder, runners, clock, known, repeats, progress)
    if not repository.refs():
        fault = BaseFault(
            reason=Reason.EMPTY_REPOSITORY,
            message=f"{spec.repository.url} holds no commit",
            condition=ConditionType.RESOLVED,
        )
        return NoBase(fault=fault)
    revision = spec.revision
    if known is not None:
        frozen = known.commit
    if frozen is not None:
        revision = revision.replacing(healthy=frozen, strict=True)
    progress("resolve")
    found: Resolution[PreparedBase, BaseFault] = resolution.resolve(
        revision,
        default=repository.default_branch,
        lookup=repository.resolve,
        unresolved=repository.unresolved,
        assess=preparing.assess,
    )
    seconds = dict(preparing.seconds)
    if found.prepared is not None:
        return found.prepared.replacing(tried=found.tried, seconds=seconds)
    return NoBase(fault=_fault(found), tried=found.tried, seconds=seconds)


def _fault(found: Resolution[PreparedBase, BaseFault]) -> BaseFault:
    """The one commit's own fault where only one was assessed, else the list of all that was tried."""
    if len(found.faults) == 1:
        return found.faults[0]
    tried = "; ".join(f"{one.source} {one.revision}: {one.detail}" for one in found.tried)
    return BaseFault(
        reason=Reason.NO_ELIGIBLE_REVISION,
        message=f"tried in this order: {tried}",
        condition=ConditionType.RESOLVED,
    )


@dataclass
class _Preparing:
    spec: ModernBaseSpec
    repository: Repository
    builder: Builds
    runners: Runners
    clock: Callable[[], float]
    known: Known | None
    repeats: int
    progress: Callable[[str], None]
    seconds: dict[str, float] = field(default_factory=dict)

    def assess(self, commit: str) -> PreparedBase | Ineligible[BaseFault]:
        try:
            return self._prepared(commit)
        except Faulted as error:
            fault = error.fault
            return Ineligible(f"{fault.reason}: {fault.message}", fault)

    def _prepared(self, commit: str) -> PreparedBase:
        info = self.repository.commit(commit)
        tree = self._clean(info.tree)
        refused = [str(one) for one in refusals(self.spec, self.builder.kind)]
        if refused:
            raise built_fault(Reason.RECIPE_UNKNOWN, "; ".join(refused))
        recipe = self._recipe(commit, tree)
        self.progress("build")
        started = self.clock()
        held = None if self.known is None else self.known.environment
        placed = self.builder.build(self.repository, self.spec.repository.url, info.tree, recipe, held)
        self._count("build", started)
        # An environment that stands knows the check command of its own day.
        checks = _checks(self.spec, recipe)
        key = base_key(self.spec.repository.url, commit, placed.environment, checks, self.repeats)
        if self.known is not None:
            self.known.check_key(key)
        inventory, durations = self._inventory(key, info.tree, placed, checks)
        return PreparedBase(
            key=key,
            url=self.spec.repository.url,
            commit=commit,
            commit_time=info.committer_time,
            tree=info.tree,
            environment=placed,
            checks=checks,
            inventory=inventory,
            durations=durations,
        )

    def _clean(self, tree_id: str) -> Tree:
        """The tree, if a clean checkout of it can be made."""
        try:
            tree = self.repository.tree(tree_id)
            check_paths(tree)
            blobs = {entry.oid for entry in tree.values() if entry.mode != SUBMODULE}
            absent = self.repository.objects.absent(blobs)
        except (MissingObject, UnsafePath) as error:
            raise _no_checkout(str(error)) from error
        if absent:
            raise _no_checkout(f"{len(absent)} objects are missing from the mirror, such as {min(absent)}")
        return tree

    def _recipe(self, commit: str, tree: Tree) -> Recipe:
        info = self.repository.commit(commit)
        version = scm_version.version_of(scm_version.nearest(self.repository, commit))
        try:
            return recipe_for(self.spec, project_files(self.repository, tree), info.committer_time, version)
        except RecipeUnknown as error:
            raise built_fault(Reason.RECIPE_UNKNOWN, str(error)) from error

    def _inventory(
        self, key: str, tree: str, placed: PlacedEnvironment, checks: CheckCommand
    ) -> tuple[Inventory, dict[str, float]]:
        place, known = self.builder.cache / "inventories" / f"{key}.json", self.known
        if place.is_file():
            document = json.loads(place.read_bytes())
            taken = Inventory.model_validate(document["inventory"])
            if known is None or known.agrees(taken):
                return taken if known is None else known.inventory, document["durations"]
        started = self.clock()
        found = preflights.preflight(
            self.runners(placed, checks),
            tree,
            placed.environment.key,
            timeout_seconds=checks.timeout_seconds,
            repeats=self.repeats,
            progress=self.progress,
        )
        self._count("preflight", started)
        inventory = found.inventory
        if known is not None:
            known.check_inventory(inventory)
            inventory = known.inventory
        document = {"inventory": inventory.document(), "durations": found.durations}
        _write(place, json.dumps(document, sort_keys=True).encode())
        return inventory, found.durations

    def _count(self, stage: str, started: float) -> None:
        self.seconds[stage] = self.seconds.get(stage, 0.0) + self.clock() - started


def base_key(url: str, commit: str, environment: Environment, checks: CheckCommand, repeats: int) -> str:
    """The identity of a base: 64 hex digits over all that decides its inventory.

    What setup resolved is part of it: an environment built again may hold other packages under the same recipe.
    """
    document = [STAGE, url, commit, environment.key, environment.lock_digest, checks.document(), repeats]
    return hashlib.sha256(json.dumps(document, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def project_files(repository: Repository, tree: Tree) -> ProjectFiles:
    """The revision's regular files, for inference."""
    oids = {_name(path): entry.oid for path, entry in tree.items() if entry.mode in {FILE, EXECUTABLE}}
    oids.pop(None, None)
    return ProjectFiles(frozenset(name for name in oids if name is not None), lambda name: repository.blob(oids[name]))


def _name(path: bytes) -> str | None:
    try:
        return path.decode()
    except UnicodeDecodeError:
        return None


def _checks(spec: ModernBaseSpec, recipe: Recipe) -> CheckCommand:
    return CheckCommand(
        command=recipe.command,
        format=recipe.format,
        reports=spec.checks.reports,
        rebuild=recipe.rebuild,
        timeout_seconds=spec.checks.timeout_seconds,
        test_timeout_seconds=spec.checks.test_timeout_seconds,
    )


def _no_checkout(detail: str) -> Faulted:
    return Faulted(Reason.NO_ELIGIBLE_REVISION, f"no clean checkout can be made: {detail}", ConditionType.RESOLVED)


def _write(path: Path, data: bytes) -> None:
    """The file appears whole or not at all, whatever ends the program or the machine meanwhile."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with NamedTemporaryFile(dir=path.parent, prefix=".part-", delete=False) as file:
        temporary = Path(file.name)
        try:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
            temporary.replace(path)
        except OSError:
            temporary.unlink(missing_ok=True)
            raise
