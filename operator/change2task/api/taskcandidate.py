"""``TaskCandidate``: one merged change on a base, and a task family; it ends as a verdict with its evidence."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal, Self

from pydantic import Field, model_validator

from change2task.api.conditions import Condition
from change2task.api.fidelity import Fidelity
from change2task.api.metadata import API_VERSION, ObjectMeta, Reference
from change2task.api.model import Model
from change2task.api.reasons import Reason, RejectionClass


class Family(StrEnum):
    """Task families of the paper; ``Auto`` is resolved once into status.family."""

    AUTO = "Auto"
    BUG_FIX = "BugFix"
    FEATURE_ADDITION = "FeatureAddition"
    TEST_GENERATION = "TestGeneration"
    API_MIGRATION = "APIMigration"
    SECURITY_REPAIR = "SecurityRepair"


class Profile(StrEnum):
    """``paper``: exactly the paper's conservative levels 1 and 2; ``full``: everything there is."""

    PAPER = "paper"
    FULL = "full"


class Change(Model):
    """Which merged change: exactly one of the three."""

    pull_request: int | None = Field(default=None, ge=1)
    commit: str | None = Field(default=None, min_length=1, max_length=255, pattern=r"^[^-\s]\S*$")
    range: str | None = Field(default=None, max_length=511, pattern=r"^[^-\s.][^\s]*?\.\.[^-\s.][^\s]*$")

    @model_validator(mode="after")
    def _exactly_one(self) -> Self:
        given = [n for n in ("pull_request", "commit", "range") if getattr(self, n) is not None]
        if len(given) != 1:
            raise ValueError("give exactly one of pullRequest, commit and range")
        return self

    def label(self) -> str:
        """Short human name: ``#603``, ``1.0.2`` or ``a..b``."""
        if self.pull_request is not None:
            return f"#{self.pull_request}"
        return self.commit or self.range or ""


class Intent(Model):
    """What the change was for, in its author's words; derived from forge or commits where absent."""

    title: str = Field(min_length=1, max_length=1024)
    body: str = Field(default="", max_length=65_536)


class StaticOracle(Model):
    """A check by reading: dotted API names that must be gone from, and used in, the files matched."""

    gone: tuple[str, ...] = ()
    used: tuple[str, ...] = ()
    paths: tuple[str, ...] = Field(default=(), description="Globs; default: the source files of the change.")

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if not self.gone and not self.used:
            raise ValueError("give at least one name in gone or used")
        return self


class Script(Model):
    """A check by running: exit status 0 passes, 1 fails, anything else is no verdict."""

    command: tuple[str, ...] = Field(min_length=1)
    files: dict[str, str] = Field(default_factory=dict, description="Files laid beside it, by relative path.")


class CheckSpec(Model):
    """A check the user states instead of leaving it to be derived."""

    id: str = Field(min_length=1, max_length=4096)
    kind: Literal["test", "static", "script"] = "test"
    role: Literal["target", "regression"] = "target"
    static: StaticOracle | None = None
    script: Script | None = None

    @model_validator(mode="after")
    def _body_matches_kind(self) -> Self:
        if (self.kind == "static") != (self.static is not None):
            raise ValueError("static is given exactly when kind is static")
        if (self.kind == "script") != (self.script is not None):
            raise ValueError("script is given exactly when kind is script")
        return self


class Construction(Model):
    """How far construction may go."""

    profile: Profile | None = Field(default=None, description="Default: the run's.")
    levels: tuple[Literal[1, 2, 3], ...] = Field(default=(1, 2, 3), min_length=1)
    attempts: int = Field(default=4, ge=1, le=4, description="Model attempts (paper: at most four).")


class Validation(Model):
    """How often states are run and how strict gates are."""

    task_repeats: int = Field(default=3, ge=1, le=20)
    healthy_repeats: int = Field(default=2, ge=1, le=20)


class TaskCandidateSpec(Model):
    """What a user says of a candidate. Immutable but for ``suspend``."""

    base_ref: Reference
    change: Change
    family: Family = Family.AUTO
    intent: Intent | None = None
    checks: tuple[CheckSpec, ...] | None = Field(default=None, max_length=10_000)
    construction: Construction = Construction()
    validation: Validation = Validation()
    suspend: bool = False


class ResolvedChange(Model):
    """The change as found."""

    commit: str
    parent: str | None
    pull_request: int | None = None
    kind: str
    title: str


class Attempt(Model):
    """One candidate patch or one strategy's refusal, with the reason it ended."""

    level: int
    strategy: str
    outcome: Literal["accepted", "rejected", "notApplicable", "duplicate"]
    reason: Reason
    message: str = ""
    tree: str | None = Field(default=None, description="Git tree of the task state.")
    task_patch: str | None = Field(default=None, description="SHA-256 of D in the store.")
    fidelity: Fidelity | None = None
    evidence: dict[str, str] = Field(default_factory=dict)


class CheckCounts(Model):
    """How many checks of each role the verdict rests on."""

    target: int = 0
    regression: int = 0
    observer: int = 0


class TaskCandidateStatus(Model):
    """What is known of a candidate, and its verdict once there is one."""

    observed_generation: int = 0
    conditions: tuple[Condition, ...] = ()
    base_key: str | None = None
    family: Family | None = None
    family_reason: str | None = None
    change: ResolvedChange | None = None
    profile: Profile | None = None
    accepted: bool | None = None
    reason: Reason | None = None
    rejection: RejectionClass | None = None
    message: str = ""
    level: int | None = None
    strategy: str | None = None
    fidelity: Fidelity | None = None
    checks: CheckCounts | None = None
    variant_ref: Reference | None = None
    attempts: tuple[Attempt, ...] = ()
    stages: dict[str, str] = Field(default_factory=dict, description="Stage to its key.")
    evidence: dict[str, str] = Field(default_factory=dict, description="Kind to SHA-256 in the store.")
    seconds: dict[str, float] = Field(default_factory=dict)


class TaskCandidate(Model):
    """One merged change, to be re-created as a task on a base."""

    api_version: Literal["change2task.dev/v1alpha1"] = API_VERSION
    kind: Literal["TaskCandidate"] = "TaskCandidate"
    metadata: ObjectMeta
    spec: TaskCandidateSpec
    status: TaskCandidateStatus = TaskCandidateStatus()
