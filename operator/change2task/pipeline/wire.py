"""What crosses between the operator and its pods: a step's input by volume, its result by log.

These are the only documents that a pod is given or gives back. They hold ids, digests and results, never code that
could be run by whoever reads them; what is in a result was made by a trusted container from hostile bytes.
"""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from change2task.api.model import Model
from change2task.api.modernbase import Mining, ModernBase, Scope
from change2task.api.taskcandidate import Profile, TaskCandidate
from change2task.api.taskvariant import TaskVariant
from change2task.base.inventory import Inventory
from change2task.checks.laying import CheckCommand
from change2task.checks.passes import PassRecord
from change2task.history.mining.funnel import Funnel
from change2task.pipeline.grading import Replay

Answers = dict[str, tuple[PassRecord, ...]]
"""By an order's key its results, in the order in which they were asked for."""


class BaseParcel(Model):
    """A ready base as candidates need it; its environment's document lies in the ground image under the key.

    ``image`` is the base image by digest, ``ground`` the ground image, ``url`` what the world calls the repository.
    """

    name: str
    url: str
    key: str
    commit: str
    tree: str
    environment_key: str
    image: str
    ground: str
    checks: CheckCommand
    inventory: Inventory
    scope: Scope


class BuiltImage(Model):
    """An environment that a build Job made: its key, and the base image that holds it, by digest."""

    key: str
    image: str


class ReplayInput(Model):
    """A task that is to be replayed, with all the evidence that it was published with, and how often."""

    variant: TaskVariant
    evidence: dict[str, bytes]
    times: int = Field(default=1, ge=1)


class StepInput(Model):
    """What a step is about: a candidate or a task on a ready base, or a base with what was built for it.

    ``ground`` is the image that holds the base's history and these environments.
    """

    candidate: TaskCandidate | None = None
    replay: ReplayInput | None = None
    parcel: BaseParcel | None = None
    base: ModernBase | None = None
    built: tuple[BuiltImage, ...] = ()
    ground: str | None = None
    profile: Profile = Profile.FULL

    @model_validator(mode="after")
    def _one_subject(self) -> Self:
        subjects = [one for one in (self.candidate, self.replay, self.base) if one is not None]
        if len(subjects) != 1 or (self.base is None) == (self.parcel is None):
            raise ValueError("a step is about a candidate or a task with its base's parcel, or about a base")
        if self.base is not None and self.ground is None:
            raise ValueError("a step of a base needs its ground image")
        return self


class CandidateOutcome(Model):
    """A candidate with its verdict, the task if there is one, and all evidence by SHA-256."""

    candidate: TaskCandidate
    variant: TaskVariant | None = None
    evidence: dict[str, bytes] = {}


class BaseOutcome(Model):
    """A base with its status, its parcel if it is ready, and all evidence by SHA-256."""

    base: ModernBase
    parcel: BaseParcel | None = None
    evidence: dict[str, bytes] = {}


class RegistryPlace(Model):
    """Where images are pushed to: a prefix (host/path), and whether its host speaks plain HTTP."""

    prefix: str
    insecure: bool = False


class FetchInput(Model):
    """What a fetch is about: the base, where its repository is really read, and the image that grows by its history."""

    base: ModernBase
    source: str
    image: str
    registry: RegistryPlace


class FetchResult(Model):
    """What came of a fetch: the history image by digest, or a base whose repository cannot serve."""

    history: str | None = None
    base: BaseOutcome | None = None


class BuildInput(Model):
    """What a build is about: the base, and the history image, which grows by the base's environments.

    ``built`` is what earlier builds of this base gave; their environments, and the passes run in them, lie in the image
    that the build runs in. ``images`` says by the name that manifests use where an image is really pulled from;
    ``image`` is the name where the manifest has none.
    """

    base: ModernBase
    history: str
    built: tuple[BuiltImage, ...] = ()
    image: str | None = None
    images: dict[str, str] = {}
    registry: RegistryPlace


class BuildResult(Model):
    """What came of a build: the ground image by digest with all environments in it, or a base that cannot serve."""

    built: tuple[BuiltImage, ...] = ()
    ground: str | None = None
    base: BaseOutcome | None = None


class MineInput(Model):
    """What mining is about: the base, the commit under which its history is mined, and its rules."""

    base: ModernBase
    commit: str
    rules: Mining


class MineResult(Model):
    """What came of mining: the candidates, best first, and where every other change went."""

    candidates: tuple[TaskCandidate, ...]
    funnel: Funnel


class StepResult(Model):
    """What came of one step: the results it added, and the outcome or the number of passes that are needed next.

    ``build``: what is needed next is an environment, not passes.
    """

    answers: Answers = {}
    needs: int = 0
    build: bool = False
    candidate: CandidateOutcome | None = None
    base: BaseOutcome | None = None
    replays: tuple[Replay, ...] = ()

    @property
    def done(self) -> bool:
        """Whether there is an outcome."""
        return self.candidate is not None or self.base is not None or bool(self.replays)


class StepTold(Model):
    """The termination message of whoever gives a result: SHA-256 of its canonical bytes, and what is needed at once.

    ``done``: an outcome is in it, so that nothing more need be done.
    """

    digest: str
    done: bool
    needs: int = 0
    build: bool = False


def merged(earlier: Answers, later: Answers) -> Answers:
    """Answers of steps put together: results of one order follow each other."""
    together = dict(earlier)
    for key, records in later.items():
        together[key] = (*together.get(key, ()), *records)
    return together
