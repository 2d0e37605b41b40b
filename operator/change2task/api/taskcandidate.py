"""``TaskCandidate``: one merged change on a base, and a task family; it ends as a verdict with its evidence."""

from __future__ import annotations

import re
from collections import Counter
from enum import StrEnum
from typing import Annotated, ClassVar, Final, Literal, Self

from pydantic import ConfigDict, Field, field_validator, model_validator

from change2task.api.conditions import Conditions
from change2task.api.fidelity import Fidelity
from change2task.api.metadata import API_VERSION, ObjectMeta, Reference
from change2task.api.model import Model
from change2task.api.progress import Progress
from change2task.api.reasons import Reason, RejectionClass
from change2task.api.rules import Frozen, ruled
from change2task.api.texts import BLANKS, Glob, Revspec, Word


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

    model_config = ConfigDict(
        json_schema_extra=ruled(
            (
                "[has(self.pullRequest), has(self.commit), has(self.range)].filter(given, given).size() == 1",
                "give exactly one of pullRequest, commit and range",
            )
        )
    )

    pull_request: int | None = Field(default=None, ge=1, description="Number of a pull or merge request.")
    commit: Revspec | None = Field(default=None, description="A commit or tag; the change is it against its parent.")
    range: str | None = Field(
        default=None,
        max_length=511,
        pattern=rf"^[^-.{BLANKS}][^{BLANKS}]*?\.\.[^-.{BLANKS}][^{BLANKS}]*$",
        description="Two revisions a..b; the change is everything after a up to b.",
    )

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

    title: str = Field(min_length=1, max_length=1024, description="One line.")
    body: str = Field(default="", max_length=65_536, description="The rest, Markdown.")


Name = Annotated[str, Field(min_length=1, max_length=1024)]


MOST_PATHS: Final = 256
"""How many globs a static oracle can hold."""


class StaticOracle(Model):
    """A check by reading: dotted API names that must be gone from, and used in, the files matched."""

    model_config = ConfigDict(
        json_schema_extra=ruled(
            (
                "(has(self.gone) && self.gone.size() > 0) || (has(self.used) && self.used.size() > 0)",
                "give at least one name in gone or used",
            )
        )
    )

    gone: tuple[Name, ...] = Field(default=(), max_length=256, description="Names that must not be used any more.")
    used: tuple[Name, ...] = Field(default=(), max_length=256, description="Names that must be used.")
    paths: tuple[Glob, ...] = Field(
        default=(),
        max_length=MOST_PATHS,
        description="Globs of the files read; default: the source files of the change.",
    )

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if not self.gone and not self.used:
            raise ValueError("give at least one name in gone or used")
        return self


_SCRIPT_PATH: Final = re.compile(r"[^/\x00-\x1f\x7f]+(/[^/\x00-\x1f\x7f]+)*")
_LONGEST_SCRIPT_PATH: Final = 255


class Script(Model):
    """A check by running: exit status 0 passes, 1 fails, anything else is no verdict.

    It starts in the project's tree, in the sandbox of the tests, and is never part of that tree.
    """

    command: tuple[Word, ...] = Field(
        min_length=1,
        max_length=64,
        description="Program and arguments. A word that names one of files stands for where that file lies.",
    )
    files: dict[str, str] = Field(
        default_factory=dict, max_length=64, description="Files of the script, by relative path."
    )

    @field_validator("command")
    @classmethod
    def _words_for_a_process(cls, command: tuple[str, ...]) -> tuple[str, ...]:
        if any("\0" in word for word in command):
            raise ValueError("a NUL character cannot be handed to a process")
        return command

    # No rule of the API server says this: it cannot bound the length of a map's keys, nor so a rule's cost.
    @field_validator("files")
    @classmethod
    def _files_lie_below_one_folder(cls, files: dict[str, str]) -> dict[str, str]:
        for path in files:
            parts = path.split("/")
            plain = _SCRIPT_PATH.fullmatch(path) and len(path.encode(errors="replace")) <= _LONGEST_SCRIPT_PATH
            if not plain or {".", ".."} & set(parts):
                raise ValueError(f"{path!r} is not a relative path in its plainest form, such as lib/exploit.py")
            above = next((a for n in range(1, len(parts)) if (a := "/".join(parts[:n])) in files), None)
            if above is not None:
                raise ValueError(f"{above!r} is a file as well as the folder of {path!r}")
        return files


class CheckSpec(Model):
    """A check the user states instead of leaving it to be derived."""

    model_config = ConfigDict(
        json_schema_extra=ruled(
            ("has(self.static) == (self.kind == 'static')", "static is given exactly when kind is static"),
            ("has(self.script) == (self.kind == 'script')", "script is given exactly when kind is script"),
        )
    )

    id: str = Field(min_length=1, max_length=4096, description="The test's id in the runner, or a name of your own.")
    kind: Literal["test", "static", "script"] = Field(default="test", description="How it is decided.")
    role: Literal["target", "regression"] = Field(
        default="target", description="target: fails on the task; regression: passes throughout."
    )
    static: StaticOracle | None = Field(default=None, description="For kind static.")
    script: Script | None = Field(default=None, description="For kind script.")

    @model_validator(mode="after")
    def _body_matches_kind(self) -> Self:
        if (self.kind == "static") != (self.static is not None):
            raise ValueError("static is given exactly when kind is static")
        if (self.kind == "script") != (self.script is not None):
            raise ValueError("script is given exactly when kind is script")
        return self


class Construction(Model):
    """How far construction may go."""

    profile: Profile | None = Field(default=None, description="paper or full; default: the run's.")
    levels: tuple[Literal[1, 2, 3], ...] = Field(
        default=(1, 2, 3), min_length=1, max_length=3, description="The paper's levels that may be tried."
    )
    attempts: int = Field(default=4, ge=1, le=4, description="Model attempts (paper: at most four).")


class OracleDemand(Model):
    """How it is found out what the checks would notice, and how much they must."""

    parts: int = Field(
        default=12, ge=0, le=100, description="Parts of the restoration that are left out in turn; 0 measures nothing."
    )
    minimum: float | None = Field(
        default=None, ge=0, le=1, description="Share of these parts that checks must notice; absent: it is told only."
    )

    @model_validator(mode="after")
    def _measured_where_asked(self) -> OracleDemand:
        if self.minimum is not None and self.parts == 0:
            raise ValueError("minimum asks for a share of parts, and parts: 0 measures none; give parts, or no minimum")
        return self


class Validation(Model):
    """How often states are run, and what of their checks is measured."""

    task_repeats: int = Field(default=3, ge=1, le=20, description="Runs of the task state.")
    healthy_repeats: int = Field(default=2, ge=1, le=20, description="Runs of the healthy and the restored state.")
    oracle: OracleDemand | None = Field(
        default=None, description="What the checks would notice; absent: at most 12 parts are left out, and it is told."
    )


class TaskCandidateSpec(Frozen):
    """What a user says of a candidate. Immutable but for ``suspend``."""

    mutable: ClassVar[frozenset[str]] = frozenset({"suspend"})
    way_out: ClassVar[str] = "make a new TaskCandidate"

    base_ref: Reference = Field(description="The ModernBase, in the same namespace.")
    change: Change = Field(description="Which merged change: exactly one of the three.")
    family: Family = Field(default=Family.AUTO, description="The kind of task; Auto decides from the evidence.")
    intent: Intent | None = Field(default=None, description="What the change was for; else forge or commits say it.")
    checks: tuple[CheckSpec, ...] | None = Field(
        default=None,
        max_length=1000,
        description="Checks by id; absent: derived from the change's own tests.",
        json_schema_extra={"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["id"]},
    )
    construction: Construction = Field(default=Construction(), description="How far construction may go.")
    validation: Validation = Field(default=Validation(), description="How often states are run, what is measured.")
    suspend: bool = Field(default=False, description="Start nothing new while this is true.")

    @field_validator("checks")
    @classmethod
    def _each_check_once(cls, checks: tuple[CheckSpec, ...] | None) -> tuple[CheckSpec, ...] | None:
        twice = [identity for identity, times in Counter(c.id for c in checks or ()).items() if times > 1]
        if twice:
            raise ValueError(f"the id {twice[0]!r} is given twice; each check has an id of its own")
        return checks


class ResolvedChange(Model):
    """The change as found."""

    commit: str = Field(description="The commit that holds the change.")
    parent: str | None = Field(default=None, description="What it is compared with; absent for a root commit.")
    pull_request: int | None = Field(default=None, description="The request it came by.")
    kind: str = Field(description="How it was merged: commit, merge, squash, range, ...")
    title: str = Field(description="First line of its message.")


class Attempt(Model):
    """One candidate patch or one strategy's refusal, with the reason it ended."""

    level: int = Field(description="The paper's level.")
    strategy: str = Field(description="The strategy's own name.")
    outcome: Literal["accepted", "rejected", "notApplicable", "duplicate"] = Field(description="How it ended.")
    reason: Reason = Field(description="Why it ended so.")
    message: str = Field(default="", description="What happened in this case.")
    tree: str | None = Field(default=None, description="Git tree of the task state.")
    task_patch: str | None = Field(default=None, description="SHA-256 of D in the store.")
    fidelity: Fidelity | None = Field(default=None, description="Likeness to the source change.")
    evidence: dict[str, str] = Field(default_factory=dict, description="Kind to SHA-256 in the store.")


class CheckCounts(Model):
    """How many checks of each role the verdict rests on."""

    target: int = Field(default=0, description="Fail on the task, pass on the healthy and the restored state.")
    regression: int = Field(default=0, description="Pass throughout.")
    observer: int = Field(default=0, description="Hidden and graded like targets, but younger than the change.")


class TaskCandidateStatus(Model):
    """What is known of a candidate, and its verdict once there is one."""

    observed_generation: int = Field(default=0, description="Generation of the spec that this status speaks of.")
    conditions: Conditions = Field(
        default=(),
        description="Ready, Reconciling, Stalled; Aligned, Constructed, Validated, Reviewed, Accepted.",
    )
    base_key: str | None = Field(default=None, description="Key of the base that the verdict rests on.")
    family: Family | None = Field(default=None, description="The family, once resolved.")
    family_reason: str | None = Field(default=None, description="Why this family.")
    change: ResolvedChange | None = Field(default=None, description="The change as found.")
    profile: Profile | None = Field(default=None, description="The profile in force.")
    accepted: bool | None = Field(default=None, description="The verdict; absent while there is none.")
    reason: Reason | None = Field(default=None, description="The verdict's reason.")
    rejection: RejectionClass | None = Field(default=None, description="The paper's class of a rejection.")
    message: str = Field(default="", description="The verdict in a sentence.")
    level: int | None = Field(default=None, description="The paper's level that made the task.")
    strategy: str | None = Field(default=None, description="The strategy that made the task.")
    fidelity: Fidelity | None = Field(default=None, description="Likeness to the source change.")
    checks: CheckCounts | None = Field(default=None, description="Checks the verdict rests on.")
    variant_ref: Reference | None = Field(default=None, description="The TaskVariant made, if accepted.")
    attempts: tuple[Attempt, ...] = Field(default=(), description="Everything tried, in order.")
    stages: dict[str, str] = Field(default_factory=dict, description="Stage to its key.")
    evidence: dict[str, str] = Field(default_factory=dict, description="Kind to SHA-256 in the store.")
    seconds: dict[str, float] = Field(default_factory=dict, description="How long each stage took.")
    progress: Progress | None = Field(default=None, description="How far work is (cluster only).")


class TaskCandidate(Model):
    """One merged change, to be re-created as a task on a base; it ends as a verdict with its evidence."""

    api_version: Literal["change2task.dev/v1alpha1"] = API_VERSION
    kind: Literal["TaskCandidate"] = "TaskCandidate"
    metadata: ObjectMeta
    spec: TaskCandidateSpec = Field(description="What a user says of the candidate. Immutable but for suspend.")
    status: TaskCandidateStatus = Field(default=TaskCandidateStatus(), description="What is known, and the verdict.")
