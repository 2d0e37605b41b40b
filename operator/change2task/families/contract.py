"""What a family fixes for one task, and the interface by which every family fixes it.

The paper's adapters "vary the objective and oracle while sharing one construction and validation core"; these values
are all the core is told of a family. Nothing here reads a repository or runs a check.
"""

from __future__ import annotations

from typing import Literal, Protocol

from pydantic import Field

from change2task.api.model import Model
from change2task.api.modernbase import Scope
from change2task.api.taskcandidate import MOST_PATHS, CheckSpec, Family, TaskCandidateSpec
from change2task.api.taskvariant import OutputContract
from change2task.families.places import covering, source_globs
from change2task.history.globs import literal
from change2task.history.models import Evidence
from change2task.patch.paths import unquote


class Surface(Model):
    """The files of the base by what a task may do to them; paths quoted, sorted, each in one list."""

    source: tuple[str, ...] = ()
    tests: tuple[str, ...] = Field(default=(), description="Tests, what they need, and documents that are checks.")
    protected: tuple[str, ...] = Field(default=(), description="Metadata, generated files, and scope.protected.")
    others: tuple[str, ...] = Field(default=(), description="Documents.")


class SourcePlaces(Model):
    """Where the change's source files lie."""

    hosts: tuple[str, ...] = Field(default=(), description="On the base, quoted.")
    earlier: tuple[str, ...] = Field(default=(), description="Before the change, quoted.")


class Oracle(Model):
    """Which checks decide, and how."""

    beside: tuple[CheckSpec, ...] = Field(
        default=(), description="Checks that are no tests: the user's and what the family derived, globs filled in."
    )
    grading: Literal["checks", "addedTests"] = Field(
        description="checks: targets and regressions run on the agent's tree. addedTests: the agent's own tests run on"
        " the task state, where one must fail in its call phase, and on the restored state, where all must pass."
    )
    behaviour_must_fail: bool = Field(
        description="Whether tests must fail on the task state; a migration changes no behaviour."
    )


class FamilyContract(Model):
    """Everything a family fixes for one task."""

    family: Family
    goal: str = Field(description="The sentence put before the statement in what the agent reads.")
    output: OutputContract
    oracle: Oracle


class Applicability(Model):
    """Whether a family fits a change, and the sentence why or why not."""

    applies: bool
    reason: str


class FamilyAdapter(Protocol):
    """One family."""

    @property
    def family(self) -> Family:
        """Its name in manifests."""
        ...

    def applies(self, evidence: Evidence, spec: TaskCandidateSpec) -> Applicability:
        """Whether the evidence gives what the family's oracle needs."""
        ...

    def contract(self, evidence: Evidence, spec: TaskCandidateSpec, scope: Scope, surface: Surface) -> FamilyContract:
        """The contract of a task; only for evidence that applies."""
        ...


def source_places(evidence: Evidence) -> SourcePlaces:
    """Where the source that a change touched lies today, and where it lay before it."""
    hosts = sorted({path for f in evidence.files if f.undone and (path := evidence.modern_paths.get(f.path))})
    earlier = sorted({f.old_path or f.path for f in evidence.files if f.undone and f.status != "added"})
    return SourcePlaces(hosts=tuple(hosts), earlier=tuple(earlier))


def patch_output(scope: Scope, surface: Surface) -> OutputContract:
    """The contract of a family whose answer is a source patch: tests and protected files are put back."""
    protected = covering((*surface.tests, *surface.protected), (*surface.source, *surface.others))
    return OutputContract(
        output="patch",
        permitted=scope.source or source_globs(surface.source),
        protected=tuple(dict.fromkeys((*protected, *scope.protected))),
    )


def own_target_tests(evidence: Evidence) -> int:
    """How many test functions the change itself added or altered."""
    return sum(len(t.added) + len(t.altered) for t in evidence.touched_tests)


def beside_tests(
    spec: TaskCandidateSpec, where: SourcePlaces, derived: tuple[CheckSpec, ...] = ()
) -> tuple[CheckSpec, ...]:
    """The stated checks that are no tests, and the ``derived`` ones.

    A static check that names no files reads the change's source files, where they lie today and where they lay
    before it, since the task state may have them there.
    """
    places = tuple(literal(unquote(path)) for path in sorted({*where.hosts, *where.earlier}))
    checks = (*(check for check in spec.checks or () if check.kind != "test"), *derived)
    return tuple(_placed(check, places) for check in checks)


def _placed(check: CheckSpec, places: tuple[str, ...]) -> CheckSpec:
    if check.static is None or check.static.paths or len(places) > MOST_PATHS:
        return check
    return check.replacing(static=check.static.replacing(paths=places))


def stated(spec: TaskCandidateSpec, kind: str) -> tuple[CheckSpec, ...]:
    """The target checks of a kind that the user states."""
    return tuple(c for c in spec.checks or () if c.kind == kind and c.role == "target")
