"""What a family fixes for one task, and the interface by which every family fixes it.

The paper's adapters "vary the objective and oracle while sharing one construction and validation core"; these values
are all the core is told of a family. Nothing here reads a repository or runs a check.
"""

from __future__ import annotations

from typing import Literal, Protocol

from pydantic import Field

from change2task.api.model import Model
from change2task.api.modernbase import Scope
from change2task.api.taskcandidate import CheckSpec, Family, StaticOracle, TaskCandidateSpec
from change2task.api.taskvariant import OutputContract
from change2task.history.models import Evidence


class Surface(Model):
    """The files of the base by what a task may do to them; paths quoted, sorted."""

    tests: tuple[str, ...] = ()
    protected: tuple[str, ...] = Field(default=(), description="Metadata, generated files, and scope.protected.")


class EditScope(Model):
    """What the task patch D may touch: files of these roles, and none of the protected ones."""

    roles: tuple[Literal["source"], ...] = ("source",)
    protected: tuple[str, ...] = Field(default=(), description="Globs of scope.protected.")
    hosts: tuple[str, ...] = Field(default=(), description="Where the change's source files lie on the base, quoted.")


class Oracle(Model):
    """Which checks decide, and how."""

    target_kinds: tuple[Literal["test", "static", "script"], ...]
    static: StaticOracle | None = Field(default=None, description="Target by reading, for API migrations.")
    scripts: tuple[CheckSpec, ...] = Field(default=(), description="Targets by running, stated by the user.")
    regression: bool = True
    grading: Literal["checks", "addedTests"] = Field(
        description="checks: targets and regressions run on the agent's tree. addedTests: the agent's own tests run on"
        " the task state, where one must fail in its call phase, and on the restored state, where all must pass."
    )
    behaviour_must_fail: bool = Field(
        description="Whether tests must fail on the task state; a migration changes no behaviour."
    )
    judged: str = Field(description="One sentence for people: when the work counts as done.")


class FamilyContract(Model):
    """Everything a family fixes for one task."""

    family: Family
    goal: str = Field(description="The sentence put before the statement in what the agent reads.")
    output: OutputContract
    oracle: Oracle
    edit_scope: EditScope


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


def edit_scope(evidence: Evidence, scope: Scope) -> EditScope:
    """The edit scope all families share: permitted source, wherever the change's files lie today."""
    hosts = sorted({path for f in evidence.files if f.undone and (path := evidence.modern_paths.get(f.path))})
    return EditScope(protected=scope.protected, hosts=tuple(hosts))


def patch_output(scope: Scope, surface: Surface) -> OutputContract:
    """The contract of a family whose answer is a source patch: tests and protected files are put back."""
    protected = tuple(sorted({*surface.tests, *surface.protected}))
    return OutputContract(output="patch", permitted=scope.source or ("**",), protected=protected)


def own_target_tests(evidence: Evidence) -> int:
    """How many test functions the change itself added or altered."""
    return sum(len(t.added) + len(t.altered) for t in evidence.touched_tests)


def stated(spec: TaskCandidateSpec, kind: str) -> tuple[CheckSpec, ...]:
    """The target checks of a kind that the user states."""
    return tuple(c for c in spec.checks or () if c.kind == kind and c.role == "target")
