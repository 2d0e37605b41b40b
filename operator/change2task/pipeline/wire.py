"""What crosses between the operator and its pods: a step's input by volume, its result by log.

These are the only documents that a pod is given or gives back. They hold ids, digests and results, never code that
could be run by whoever reads them; what is in a result was made by a trusted container from hostile bytes.
"""

from __future__ import annotations

from typing import Self

from pydantic import model_validator

from change2task.api.model import Model
from change2task.api.modernbase import ModernBase, Scope
from change2task.api.taskcandidate import Profile, TaskCandidate
from change2task.api.taskvariant import TaskVariant
from change2task.base.inventory import Inventory
from change2task.checks.laying import CheckCommand
from change2task.checks.passes import PassRecord

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


class StepInput(Model):
    """What a step is about: a candidate on a ready base, or a base with the environments that were built for it."""

    candidate: TaskCandidate | None = None
    parcel: BaseParcel | None = None
    base: ModernBase | None = None
    built: tuple[BuiltImage, ...] = ()
    profile: Profile = Profile.FULL

    @model_validator(mode="after")
    def _one_subject(self) -> Self:
        if (self.candidate is None) == (self.base is None) or (self.candidate is None) != (self.parcel is None):
            raise ValueError("a step is about a candidate with its base's parcel, or about a base")
        return self


class CandidateOutcome(Model):
    """A candidate with its verdict, the task if there is one, and all evidence by SHA-256."""

    candidate: TaskCandidate
    variant: TaskVariant | None = None
    evidence: dict[str, bytes] = {}


class BaseOutcome(Model):
    """A base with its status, its parcel if it is ready, and all evidence by SHA-256.

    ``builds``: another environment has to be built first; then there is no status yet.
    """

    base: ModernBase
    parcel: BaseParcel | None = None
    evidence: dict[str, bytes] = {}


class StepResult(Model):
    """What came of one step: the results it added, and the outcome or the number of passes that are needed next.

    ``build``: what is needed next is an environment, not passes.
    """

    answers: Answers = {}
    needs: int = 0
    build: bool = False
    candidate: CandidateOutcome | None = None
    base: BaseOutcome | None = None

    @property
    def done(self) -> bool:
        """Whether there is an outcome."""
        return self.candidate is not None or self.base is not None


class StepTold(Model):
    """A judge's termination message: the SHA-256 of its result's canonical bytes, and what is needed of it at once."""

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
