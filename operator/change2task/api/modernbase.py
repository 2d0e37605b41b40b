"""``ModernBase``: a repository, how its revision is picked, how it is built and checked.

It becomes a frozen commit, one environment and an inventory of healthy checks. How that happens is left to
the ``base`` room; fields that only mean something on a cluster say so.
"""

from __future__ import annotations

from datetime import date
from typing import ClassVar, Literal, Self

from pydantic import ConfigDict, Field, model_validator

from change2task.api.conditions import Conditions
from change2task.api.metadata import API_VERSION, ObjectMeta, Reference
from change2task.api.minedstatus import MiningStatus
from change2task.api.model import Model
from change2task.api.podtemplate import PodTemplate
from change2task.api.progress import BaseProgress
from change2task.api.rules import Frozen, ruled
from change2task.api.texts import BLANKS, Glob, Revspec, ShellCommand, Value, Word

MinedFamily = Literal["BugFix", "FeatureAddition", "TestGeneration", "APIMigration", "SecurityRepair"]
"""Families that mining can be asked for: all but Auto, which asks for none."""


class Repository(Model):
    """Where the history is."""

    url: str = Field(
        min_length=1,
        max_length=2048,
        pattern=rf"^https?://[^{BLANKS}/@]+(/[^{BLANKS}]*)?$|^ssh://([^{BLANKS}/@:]+@)?[^{BLANKS}/@]+(/[^{BLANKS}]*)?$"
        rf"|^(git|file)://[^{BLANKS}]+$|^[A-Za-z0-9_][A-Za-z0-9_.-]*@[A-Za-z0-9_.-]+:[^{BLANKS}]+$",
        description="What the world calls the repository: https://, ssh://, git://, file:// or user@host:path. It is"
        " published with every task, so no user or password of https stands in it: git's own settings or"
        " credentialsSecretRef say those.",
    )
    credentials_secret_ref: Reference | None = Field(
        default=None,
        description="Secret with git's credentials: username and password, or token, or ssh-privatekey and known_hosts;"
        " ca.crt beside any of them, or alone (cluster only).",
    )


class Revision(Model):
    """Which revision becomes the base; tried in the order of the paper's appendix A.2."""

    healthy: Revspec | None = Field(default=None, description="A commit, tag or branch known to be healthy.")
    target: Revspec | None = Field(default=None, description="The revision wanted, tried after healthy.")
    strict: bool = Field(default=False, description="Stop at the first revision tried, eligible or not.")


class Environment(Model):
    """How the one environment of this base is made; inferred where absent."""

    image: str | None = Field(
        default=None,
        min_length=1,
        max_length=512,
        pattern=rf"^[^{BLANKS}]+$",
        description="Image to start from; without a container engine only python:X.Y means something.",
    )
    as_of: date | None = Field(
        default=None, description="Dependencies as they were on this day; default: the base commit's own."
    )
    setup: tuple[ShellCommand, ...] | None = Field(
        default=None,
        max_length=64,
        description="Shell commands that fetch and install dependencies; absent: inferred. An empty list: none.",
    )
    setup_timeout_seconds: int | None = Field(
        default=None, ge=1, le=86_400, description="Longest time of one setup command; default: half an hour."
    )
    rebuild: tuple[ShellCommand, ...] = Field(
        default=(), max_length=64, description="Shell commands run after each state's tree is laid out."
    )
    system_packages: tuple[Word, ...] = Field(
        default=(), max_length=256, description="Packages of the image's own distribution."
    )
    env: dict[str, Value] = Field(
        default_factory=dict, max_length=256, description="Environment variables of setup, rebuild and checks."
    )
    lock: str | None = Field(
        default=None, max_length=524_288, description="Frozen dependencies with hashes (change2task lock)."
    )


class Checks(Model):
    """The check command and how its results are read."""

    model_config = ConfigDict(
        json_schema_extra=ruled(
            (
                "self.testTimeoutSeconds <= self.timeoutSeconds",
                "testTimeoutSeconds is above timeoutSeconds; one test must fit into the run",
            )
        )
    )

    command: tuple[Word, ...] = Field(
        default=("python", "-m", "pytest"),
        min_length=1,
        max_length=64,
        description="The test runner and its arguments; reporting and selection are added to them.",
    )
    format: str = Field(
        default="pytest",
        min_length=1,
        max_length=63,
        pattern=r"^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$",
        description="How results are taken from the runner, e.g. pytest, go, jest or junit.",
    )
    reports: tuple[Glob, ...] | None = Field(
        default=None,
        min_length=1,
        max_length=64,
        description="Formats junit, tap and ctrf: the files that the command writes, from the root of the tree, or from"
        " the folder that stands for {reports} where the command names that; - is what the command prints (tap only)."
        " Default: all of {reports}, or where Maven and Gradle write theirs.",
    )
    timeout_seconds: int = Field(default=900, ge=1, le=86_400, description="Longest time of one run of the suite.")
    test_timeout_seconds: int = Field(default=60, ge=1, le=86_400, description="Longest time of one test.")

    @model_validator(mode="after")
    def _one_test_fits(self) -> Self:
        if self.test_timeout_seconds > self.timeout_seconds:
            raise ValueError(
                f"testTimeoutSeconds ({self.test_timeout_seconds}) is above timeoutSeconds"
                f" ({self.timeout_seconds}); one test must fit into the run"
            )
        return self


class Scope(Model):
    """Globs that say which files are what; where none is given, defaults of the language decide."""

    source: tuple[Glob, ...] = Field(default=(), max_length=256, description="Files that tasks may be made of.")
    tests: tuple[Glob, ...] = Field(default=(), max_length=256, description="Files that hold tests.")
    docs: tuple[Glob, ...] = Field(default=(), max_length=256, description="Documents.")
    generated: tuple[Glob, ...] = Field(default=(), max_length=256, description="Files made by a tool.")
    protected: tuple[Glob, ...] = Field(
        default=(), max_length=256, description="Files that no task and no answer may touch."
    )


class History(Model):
    """How much history is fetched."""

    depth: int | None = Field(default=None, ge=1, description="Commits fetched; absent: all.")


class Mining(Model):
    """Candidates found in the base's own history, once it is healthy (cluster only). Its presence turns it on."""

    since: date | None = Field(default=None, description="Only changes committed on this day or later.")
    limit: int = Field(default=50, ge=1, le=500, description="Most candidates of this base that mining ever makes.")
    families: tuple[MinedFamily, ...] = Field(
        default=(), max_length=5, description="Only these families, said in the candidates; default: all, as Auto."
    )
    minimum_score: float = Field(
        default=0.0, ge=0.0, le=1.0, description="Least score; change2task mine shows what a history gives."
    )


class Build(Model):
    """Where and by what images are built (cluster only)."""

    builder: Literal["dind", "podman", "external", "none"] | None = Field(
        default=None, description="The engine that builds; none: environment.image is the base image already."
    )
    registry: str | None = Field(
        default=None,
        min_length=1,
        max_length=512,
        pattern=rf"^[^{BLANKS}]+$",
        description="Registry and repository prefix that images are pushed to.",
    )
    cache: bool = Field(default=True, description="Whether layers of earlier builds may be used.")


class Retention(Model):
    """How long finished work is kept (cluster only)."""

    finished_jobs_seconds: int = Field(
        default=3600, ge=0, le=31_536_000, description="How long a finished Job stays, at most a year."
    )


class ModernBaseSpec(Frozen):
    """What a user says of a base. Immutable but for ``mining`` and ``retention``."""

    mutable: ClassVar[frozenset[str]] = frozenset({"mining", "retention"})
    way_out: ClassVar[str] = "a base is resolved once, so make a new ModernBase"

    repository: Repository = Field(description="Where the history is.")
    revision: Revision = Field(default=Revision(), description="Which revision becomes the base.")
    environment: Environment = Field(default=Environment(), description="How the one environment is made.")
    checks: Checks = Field(default=Checks(), description="The check command and how its results are read.")
    scope: Scope = Field(default=Scope(), description="Which files are source, tests, documents, protected.")
    history: History = Field(default=History(), description="How much history is fetched.")
    mining: Mining | None = Field(
        default=None, description="Makes candidates of the base's own history (cluster only); absent: none are made."
    )
    build: Build = Field(default=Build(), description="Where and by what images are built (cluster only).")
    pod_template: PodTemplate = Field(default=PodTemplate(), description="What users may set on pods (cluster only).")
    retention: Retention = Field(default=Retention(), description="How long finished work is kept (cluster only).")


class TriedRevision(Model):
    """One step of the resolution and why it was taken or not."""

    source: Literal["healthy", "target", "default", "main", "master", "devel", "develop", "trunk"] = Field(
        description="Which step of the order this was."
    )
    revision: str = Field(description="The revision by name.")
    commit: str | None = Field(default=None, description="The commit it names, if it names one.")
    eligible: bool = Field(description="Whether it could serve as the base.")
    detail: str = Field(description="Why it could, or could not.")


class Inventory(Model):
    """Counts of the base's checks; the ids lie in the evidence by digest."""

    digest: str = Field(description="SHA-256 of the evidence file with all ids.")
    healthy: int = Field(description="Pass on every repeat.")
    failing: int = Field(description="Fail on every repeat; excluded.")
    unstable: int = Field(description="Differ between repeats; excluded.")
    not_run: int = Field(description="Skipped, expected to fail, or listed twice under one id.")
    failing_ids: tuple[str, ...] = Field(default=(), description="The first 20.")
    unstable_ids: tuple[str, ...] = Field(default=(), description="The first 20.")


class BuiltEnvironment(Model):
    """The environment that stands. What setup resolved is no part of its key; lock_digest says that."""

    key: str = Field(
        description="Hash of the tree, the recipe with its date and given lock, the toolchain and the sandbox."
    )
    image: str | None = Field(default=None, description="The base image's name.")
    digest: str | None = Field(default=None, description="The base image's digest.")
    interpreter: str | None = Field(default=None, description="Version of the language's interpreter or compiler.")
    dated: bool = Field(description="Whether dependencies are those of as_of's day.")
    as_of: date = Field(description="The day of the dependencies.")
    lock_digest: str | None = Field(default=None, description="SHA-256 of the lock used or made.")
    setup: tuple[str, ...] = Field(default=(), description="Setup commands that were run.")
    bytes: int = Field(default=0, ge=0, description="Disk the environment takes.")


class ModernBaseStatus(Model):
    """What is known of a base."""

    observed_generation: int = Field(default=0, description="Generation of the spec that this status speaks of.")
    conditions: Conditions = Field(
        default=(), description="Ready, Reconciling, Stalled; Resolved, Built, Dated, Healthy, Isolated, Mined."
    )
    base_key: str | None = Field(default=None, description="Hash of everything that identifies this base.")
    commit: str | None = Field(default=None, description="The frozen commit.")
    commit_time: str | None = Field(default=None, description="When it was committed.")
    resolution: tuple[TriedRevision, ...] = Field(default=(), description="Revisions tried, in order.")
    environment: BuiltEnvironment | None = Field(default=None, description="The environment that stands.")
    inventory: Inventory | None = Field(default=None, description="Counts of the checks.")
    evidence: dict[str, str] = Field(default_factory=dict, description="Kind to SHA-256 in the store.")
    stages: dict[str, str] = Field(
        default_factory=dict, description="Version of each stage that made it; under another it is made anew."
    )
    seconds: dict[str, float] = Field(default_factory=dict, description="How long each stage took.")
    progress: BaseProgress | None = Field(default=None, description="How far work is (cluster only).")
    mining: MiningStatus | None = Field(default=None, description="What came of spec.mining (cluster only).")
    parcel: str | None = Field(
        default=None, description="Where what candidates need of it lies in the registry, by digest (cluster only)."
    )


class ModernBase(Model):
    """A healthy modern revision of a repository with one environment, on which many tasks are made."""

    api_version: Literal["change2task.dev/v1alpha1"] = API_VERSION
    kind: Literal["ModernBase"] = "ModernBase"
    metadata: ObjectMeta
    spec: ModernBaseSpec = Field(description="What a user says of the base. Immutable but for mining and retention.")
    status: ModernBaseStatus = Field(default=ModernBaseStatus(), description="What is known of the base.")
