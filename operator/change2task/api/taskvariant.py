"""``TaskVariant``: a verified task, complete and immutable; made by us, never written by a user.

Its name is the hash of its canonical spec, which holds no time, so that the same change on the same base
gives the same variant everywhere.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from change2task.api.conditions import Condition
from change2task.api.fidelity import Fidelity
from change2task.api.metadata import API_VERSION, ObjectMeta
from change2task.api.model import Model
from change2task.api.patches import Patch
from change2task.api.taskcandidate import Family, Script, StaticOracle


class VariantBase(Model):
    """The healthy base, by everything that identifies it."""

    name: str
    key: str
    repository: str
    commit: str
    tree: str
    environment_key: str
    image_digest: str | None = None


class SourceChange(Model):
    """The historical change and its source patch's digest."""

    commit: str
    parent: str | None
    pull_request: int | None = None
    title: str
    patch_digest: str


class Statement(Model):
    """What the agent is told, and where the words come from (paper, "Deriving Task Evidence")."""

    title: str
    body: str
    provenance: Literal["title", "template", "summary", "intent"]


class OutputContract(Model):
    """What the agent hands in and what of it counts."""

    output: Literal["patch", "tests"]
    permitted: tuple[str, ...] = Field(description="Globs of files the agent may change.")
    protected: tuple[str, ...] = Field(description="Files put back before grading, by quoted path.")


class Check(Model):
    """One check by which the task is validated and graded."""

    id: str
    kind: Literal["test", "static", "script"] = "test"
    role: Literal["target", "regression", "observer"]
    hidden: bool = False
    static: StaticOracle | None = None
    script: Script | None = None


class Checks(Model):
    """All checks; long regression lists lie in the store by digest."""

    targets: tuple[Check, ...]
    observers: tuple[Check, ...] = ()
    regression_digest: str = Field(description="SHA-256 of the evidence file with all regression ids.")
    regression_count: int
    hidden_files: dict[str, str] = Field(
        default_factory=dict, description="Quoted path to git blob of each file that holds hidden checks."
    )


class Trees(Model):
    """Git trees of the states; H = V·T⁻¹·G."""

    healthy: str
    task: str
    agent: str


class TaskVariantSpec(Model):
    """The whole task."""

    base: VariantBase
    source_change: SourceChange
    family: Family
    statement: Statement
    output: OutputContract
    task_patch: Patch = Field(description="D: healthy base to task state.")
    hiding_patch: Patch = Field(description="T: task state to the agent's tree.")
    restoration_patch: Patch = Field(description="G: task state to restored state.")
    trees: Trees
    checks: Checks
    level: int
    strategy: str
    fidelity: Fidelity
    tool_version: str


class TaskVariantStatus(Model):
    """State of a published variant."""

    observed_generation: int = 0
    conditions: tuple[Condition, ...] = ()


class TaskVariant(Model):
    """A verified task an agent can be given, exported or graded."""

    api_version: Literal["change2task.dev/v1alpha1"] = API_VERSION
    kind: Literal["TaskVariant"] = "TaskVariant"
    metadata: ObjectMeta
    spec: TaskVariantSpec
    status: TaskVariantStatus = TaskVariantStatus()
