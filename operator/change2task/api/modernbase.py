"""``ModernBase``: a repository, how its revision is picked, how it is built and checked.

It becomes a frozen commit, one environment and an inventory of healthy checks. How that happens is left to
the ``base`` room; fields that only mean something on a cluster say so.
"""

from __future__ import annotations

from datetime import date
from typing import Any, Literal, Self

from pydantic import Field, model_validator

from change2task.api.conditions import Condition
from change2task.api.metadata import API_VERSION, ObjectMeta, Reference
from change2task.api.model import Model


class Repository(Model):
    """Where the history is."""

    url: str = Field(
        min_length=1,
        max_length=2048,
        pattern=r"^(https?|ssh|git|file)://\S+$|^[\w.-]+@[\w.-]+:\S+$",
        description="What the world calls the repository: https://, ssh://, git://, file:// or user@host:path.",
    )
    credentials_secret_ref: Reference | None = Field(
        default=None, description="Secret with the git credentials (cluster only)."
    )


class Revision(Model):
    """Which revision becomes the base; tried in the order of the paper's appendix A.2."""

    healthy: str | None = Field(default=None, min_length=1, max_length=255, pattern=r"^[^-\s]\S*$")
    target: str | None = Field(default=None, min_length=1, max_length=255, pattern=r"^[^-\s]\S*$")
    strict: bool = Field(default=False, description="Stop at the first revision tried, eligible or not.")


class Environment(Model):
    """How the one environment of this base is made; inferred where absent."""

    image: str | None = Field(default=None, min_length=1, description="Start image, or python:X.Y for process.")
    as_of: date | None = Field(default=None, description="Dependency date; default: the base commit's own.")
    setup: tuple[str, ...] | None = Field(
        default=None, max_length=64, description="Shell commands that fetch and install dependencies."
    )
    rebuild: tuple[str, ...] = Field(
        default=(), max_length=64, description="Shell commands run after each state's tree is laid out."
    )
    system_packages: tuple[str, ...] = Field(default=(), max_length=256)
    env: dict[str, str] = Field(default_factory=dict)
    lock: str | None = Field(
        default=None, max_length=1_048_576, description="Frozen dependencies with hashes (change2task lock)."
    )


class Checks(Model):
    """The check command and how its results are read."""

    command: tuple[str, ...] = Field(default=("python", "-m", "pytest"), min_length=1, max_length=64)
    format: str = Field(default="pytest", min_length=1)
    timeout_seconds: int = Field(default=900, ge=1, le=86_400, description="One whole run of the suite.")
    test_timeout_seconds: int = Field(default=60, ge=1, le=86_400, description="One test.")

    @model_validator(mode="after")
    def _one_test_fits(self) -> Self:
        if self.test_timeout_seconds > self.timeout_seconds:
            raise ValueError(
                f"testTimeoutSeconds ({self.test_timeout_seconds}) is above timeoutSeconds"
                f" ({self.timeout_seconds}); one test must fit into the run"
            )
        return self


class Scope(Model):
    """Globs that say which files are source, tests, documents, and which no task may touch."""

    source: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    docs: tuple[str, ...] = ()
    generated: tuple[str, ...] = ()
    protected: tuple[str, ...] = ()


class History(Model):
    """How much history is fetched."""

    depth: int | None = Field(default=None, ge=1, description="Commits fetched; absent: all.")


class Build(Model):
    """Where and by what images are built (cluster only)."""

    builder: Literal["dind", "podman", "external", "none"] | None = None
    registry: str | None = None
    cache: bool = True


class PodTemplate(Model):
    """The small part of a pod that users may set (cluster only)."""

    resources: dict[str, dict[str, str]] = Field(default_factory=dict)
    node_selector: dict[str, str] = Field(default_factory=dict)
    tolerations: tuple[dict[str, Any], ...] = ()
    priority_class_name: str | None = None
    service_account_name: str | None = None
    image_pull_secrets: tuple[Reference, ...] = ()
    labels: dict[str, str] = Field(default_factory=dict)


class Retention(Model):
    """How long finished work is kept (cluster only)."""

    finished_jobs_seconds: int = Field(default=3600, ge=0)


class ModernBaseSpec(Model):
    """What a user says of a base. Immutable but for ``retention``."""

    repository: Repository
    revision: Revision = Revision()
    environment: Environment = Environment()
    checks: Checks = Checks()
    scope: Scope = Scope()
    history: History = History()
    build: Build = Build()
    pod_template: PodTemplate = PodTemplate()
    retention: Retention = Retention()


class TriedRevision(Model):
    """One step of the resolution and why it was taken or not."""

    source: Literal["healthy", "target", "default", "main", "master", "devel", "develop", "trunk"]
    revision: str
    commit: str | None = None
    eligible: bool
    detail: str


class Inventory(Model):
    """Counts of the base's checks; the ids lie in the evidence by digest."""

    digest: str
    healthy: int
    failing: int
    unstable: int
    not_run: int = Field(description="Skipped, expected to fail, or listed twice under one id.")
    failing_ids: tuple[str, ...] = Field(default=(), description="The first 20.")
    unstable_ids: tuple[str, ...] = Field(default=(), description="The first 20.")


class BuiltEnvironment(Model):
    """The environment that stands: its key is the hash of commit, recipe and date."""

    key: str
    image: str | None = None
    digest: str | None = None
    interpreter: str | None = None
    dated: bool
    as_of: date
    lock_digest: str | None = None
    setup: tuple[str, ...] = ()
    bytes: int = Field(default=0, ge=0, description="Disk the environment takes.")


class ModernBaseStatus(Model):
    """What is known of a base."""

    observed_generation: int = 0
    conditions: tuple[Condition, ...] = ()
    base_key: str | None = None
    commit: str | None = None
    commit_time: str | None = None
    resolution: tuple[TriedRevision, ...] = ()
    environment: BuiltEnvironment | None = None
    inventory: Inventory | None = None
    evidence: dict[str, str] = Field(default_factory=dict, description="Kind to SHA-256 in the store.")
    seconds: dict[str, float] = Field(default_factory=dict)


class ModernBase(Model):
    """A healthy modern revision with one environment for many tasks."""

    api_version: Literal["change2task.dev/v1alpha1"] = API_VERSION
    kind: Literal["ModernBase"] = "ModernBase"
    metadata: ObjectMeta
    spec: ModernBaseSpec
    status: ModernBaseStatus = ModernBaseStatus()
