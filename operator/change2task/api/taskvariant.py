"""``TaskVariant``: a verified task, complete and immutable; made by us, never written by a user.

Its name is the hash of its canonical spec, which holds no time, so that the same change on the same base
gives the same variant everywhere.
"""

from __future__ import annotations

import hashlib
import json
from datetime import datetime
from typing import ClassVar, Final, Literal

from pydantic import Field

from change2task.api.conditions import Conditions
from change2task.api.fidelity import Fidelity
from change2task.api.labels import Label
from change2task.api.metadata import API_VERSION, ObjectMeta
from change2task.api.model import Model
from change2task.api.patches import Patch
from change2task.api.progress import Progress
from change2task.api.rules import Frozen
from change2task.api.taskcandidate import CheckCounts, Family, StaticOracle


class VariantBase(Model):
    """The healthy base, by everything that identifies it."""

    name: str = Field(description="The ModernBase's name.")
    key: str = Field(description="The base's key.")
    repository: str = Field(description="The repository's canonical address.")
    commit: str = Field(description="The frozen commit.")
    tree: str = Field(description="Its git tree.")
    environment_key: str = Field(
        description="Hash of the tree, the recipe with its date and given lock, the toolchain and the sandbox."
    )
    image_digest: str | None = Field(default=None, description="Digest of the base image.")


class SourceChange(Model):
    """The historical change and its source patch's digest."""

    commit: str = Field(description="The commit that holds the change.")
    parent: str | None = Field(default=None, description="What it is compared with; absent for a root commit.")
    pull_request: int | None = Field(default=None, description="The request it came by.")
    title: str = Field(description="First line of its message.")
    patch_digest: str = Field(description="SHA-256 of its source patch.")
    advisories: tuple[str, ...] = Field(
        default=(), description="Advisory ids it is known by; never shown to an agent, who could look the answer up."
    )


class VariantScript(Model):
    """A script check of a task: small files stand here, larger ones in the store."""

    command: tuple[str, ...] = Field(description="Program and arguments; a file's path stands for where it lies.")
    files: dict[str, str] = Field(default_factory=dict, description="Small files, by relative path.")
    artifacts: dict[str, str] = Field(
        default_factory=dict, description="Relative path to SHA-256 in the store of each larger file."
    )


class InterfaceName(Model):
    """A name, or a text of several words, that an answer must bring, because hidden checks use it."""

    name: str = Field(description="The name, with what encloses it; or the text.")
    path: str = Field(description="Quoted path of the file that holds it in the restored state.")


class Statement(Model):
    """What the agent is told, and where the words come from (paper, "Deriving Task Evidence")."""

    title: str = Field(description="One line.")
    body: str = Field(description="The rest, Markdown.")
    provenance: Literal["title", "template", "summary", "intent"] = Field(description="Where the words come from.")
    code_cut: int = Field(
        default=0, ge=0, description="Pieces of code taken out of these words because they were the answer's."
    )
    interface: tuple[InterfaceName, ...] = Field(
        default=(),
        max_length=1000,
        description="Names that hidden checks use and that neither these words nor the agent's tree tells.",
    )


class OutputContract(Model):
    """What the agent hands in and what of it counts."""

    output: Literal["patch", "tests"] = Field(description="What is handed in.")
    permitted: tuple[str, ...] = Field(description="Globs of files the agent may change.")
    protected: tuple[str, ...] = Field(
        description="Globs of files put back before grading, also where permitted covers them."
    )


CheckRole = Literal["target", "regression", "observer"]


class Check(Model):
    """One check by which the task is validated and graded."""

    id: str = Field(description="The test's id in the runner, or the check's name.")
    kind: Literal["test", "static", "script"] = Field(default="test", description="How it is decided.")
    role: CheckRole = Field(description="What it must do on each state.")
    hidden: bool = Field(default=False, description="Whether the agent's tree is without it.")
    static: StaticOracle | None = Field(default=None, description="For kind static.")
    script: VariantScript | None = Field(default=None, description="For kind script.")


class Checks(Model):
    """All checks; long regression lists lie in the store by digest."""

    targets: tuple[Check, ...] = Field(max_length=10_000, description="Checks that an answer must make pass.")
    observers: tuple[Check, ...] = Field(
        default=(), max_length=10_000, description="Checks younger than the change, graded as targets."
    )
    regression: tuple[Check, ...] = Field(
        default=(), max_length=1000, description="Regression checks that are no tests."
    )
    regression_digest: str = Field(description="SHA-256 of the evidence file with the ids of all regression tests.")
    regression_count: int = Field(description="How many regression checks there are, tests and others.")
    hidden_files: dict[str, str] = Field(
        default_factory=dict, description="Quoted path to git blob of each file that holds hidden checks."
    )
    hidden_regression: tuple[str, ...] = Field(
        default=(),
        max_length=10_000,
        description="Regression tests of the change itself, which the agent's tree is without though they pass there.",
    )


class OraclePart(Model):
    """A part of the restoration that an answer may lack without any check noticing."""

    kind: Literal["hunk", "file", "function"] = Field(description="What kind of part.")
    path: str = Field(description="Quoted path of its file.")
    line: int = Field(ge=1, description="Its first line in the restored state.")
    name: str = Field(default="", description="The function's name.")
    idle: bool = Field(
        default=False, description="No hidden check ends otherwise when this alone is restored to the task state."
    )


class OracleStrength(Model):
    """What the checks notice of the restoration's parts, each left out once."""

    parts: int = Field(ge=0, description="Parts that were left out in turn.")
    noticed: int = Field(ge=0, description="Of these, without how many some check did not pass.")
    untried: int = Field(default=0, ge=0, description="Parts that were not tried.")
    unnoticed: tuple[OraclePart, ...] = Field(default=(), max_length=50, description="The first that nobody noticed.")


class Trees(Model):
    """Git trees of the states; H = V·T⁻¹·G."""

    healthy: str = Field(description="H, the base.")
    task: str = Field(description="C = H with D.")
    agent: str = Field(description="V = C with T, what the agent is given.")


class TaskVariantSpec(Frozen):
    """The whole task. Immutable."""

    mutable: ClassVar[frozenset[str]] = frozenset()
    way_out: ClassVar[str] = "a task's name is the hash of its spec, so another spec is another TaskVariant"

    base: VariantBase = Field(description="The healthy base.")
    source_change: SourceChange = Field(description="The historical change.")
    family: Family = Field(description="The kind of task, never Auto.")
    goal: str = Field(max_length=4096, description="The family's sentence, put before the statement.")
    statement: Statement = Field(description="What the agent is told.")
    output: OutputContract = Field(description="What the agent hands in and what of it counts.")
    task_patch: Patch = Field(description="D: healthy base to task state.")
    hiding_patch: Patch = Field(description="T: task state to the agent's tree.")
    restoration_patch: Patch = Field(description="G: task state to restored state.")
    trees: Trees = Field(description="Git trees of the states.")
    checks: Checks = Field(description="All checks.")
    shared: tuple[str, ...] = Field(
        default=(), max_length=50, description="Lines and unusual names of the answer that the statement holds."
    )
    traces: dict[str, str] = Field(
        default_factory=dict,
        description="Quoted path to what T took out of it because it names the change: documents, change-log entries.",
    )
    oracle: OracleStrength | None = Field(
        default=None, description="What the checks notice; absent where it was not measured."
    )
    traces_left: dict[str, str] = Field(
        default_factory=dict,
        description="Quoted path to why what the change wrote there stays in the agent's tree; the path * means all.",
    )
    labels: tuple[Label, ...] = Field(
        default=(),
        max_length=32,
        description="What whoever uses the task should know of its checks and words; docs/reference/labels.md.",
    )
    level: int = Field(description="The paper's level that made the task.")
    strategy: str = Field(description="The strategy that made the task.")
    fidelity: Fidelity = Field(description="Likeness to the source change.")
    tool_version: str = Field(description="Version of change2task that made it.")


_YOUNGER: Final = (
    ("oracle",),
    ("traces",),
    ("tracesLeft",),
    ("labels",),
    ("shared",),
    ("checks", "hiddenRegression"),
    ("statement", "codeCut"),
)
"""Fields that came after tasks were published: where they say nothing they do not count, so that names stay."""


def variant_name(spec: TaskVariantSpec) -> str:
    """The name of a task, which is the hash of its canonical spec; a task of another name was changed by somebody."""
    document = spec.document()
    for *above, last in _YOUNGER:
        owner = document
        for step in above:
            owner = owner[step]
        if not owner.get(last):
            owner.pop(last, None)
    canonical = json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return f"tv-{hashlib.sha256(canonical.encode()).hexdigest()[:16]}"


class Replayed(Model):
    """What came of the last replay that was asked for on a cluster."""

    request: str = Field(description="The word of the annotation change2task.dev/replay that asked for it.")
    times: int = Field(ge=1, description="How often the three states were run.")
    same: bool = Field(description="Whether every check came out each time as the task says.")
    checks: int = Field(ge=0, description="Checks that were compared each time.")
    message: str = Field(default="", max_length=1024, description="What came of it, in a sentence.")
    differences: tuple[str, ...] = Field(
        default=(), max_length=20, description="The first checks that came out otherwise, with state and outcome."
    )
    at: datetime = Field(description="When it ended.")


class TaskVariantStatus(Model):
    """State of a published variant."""

    observed_generation: int = Field(default=0, description="Generation of the spec that this status speaks of.")
    conditions: Conditions = Field(default=(), description="Ready, Reconciling, Stalled; Verified, Published.")
    checks: CheckCounts | None = Field(default=None, description="Number of checks of each role.")
    progress: Progress | None = Field(default=None, description="How far a replay on a cluster is.")
    replayed: Replayed | None = Field(default=None, description="The last replay that was asked for on a cluster.")


class TaskVariant(Model):
    """A verified task an agent can be given, exported or graded; made by the operator, never by hand."""

    api_version: Literal["change2task.dev/v1alpha1"] = API_VERSION
    kind: Literal["TaskVariant"] = "TaskVariant"
    metadata: ObjectMeta
    spec: TaskVariantSpec = Field(description="The whole task. Immutable.")
    status: TaskVariantStatus = Field(default=TaskVariantStatus(), description="State of the published task.")
