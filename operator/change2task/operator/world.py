"""What one look knows while it acts, and what it needs from outside: the parts that looks of every kind share."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

from change2task.api.minedstatus import MiningStatus
from change2task.api.modernbase import ModernBase, ModernBaseStatus
from change2task.api.progress import BaseProgress, Progress
from change2task.api.taskcandidate import TaskCandidate, TaskCandidateStatus
from change2task.api.taskvariant import TaskVariant, TaskVariantStatus
from change2task.cluster.kube import Json
from change2task.operator.mining_work import SeenMining
from change2task.operator.observed import SeenCandidate, SeenWork
from change2task.operator.observed_bases import SeenModernBase
from change2task.operator.replays import SeenReplay
from change2task.pipeline.grading import Replay

Found = TypeVar("Found", bound=SeenWork)
Told = TypeVar("Told", ModernBaseStatus, TaskCandidateStatus, TaskVariantStatus)


class Keeper(Protocol):
    """What the registry does for the operator; see ``cluster.registry``."""

    def append(self, image: str, layer: bytes, *, repository: str) -> str:
        """An image with one layer more, by digest."""
        ...

    def push_document(self, repository: str, content: bytes, media_type: str) -> str:
        """Where a document lies, by digest."""
        ...

    def read_document(self, reference: str) -> bytes:
        """A document, checked against its digest."""
        ...


class Recorder(Protocol):
    """Tells people of what changed, as events."""

    def event(self, about: Json, reason: str, message: str, *, warning: bool = False) -> None:
        """Something happened to this object."""
        ...


@dataclass(kw_only=True)
class World(Generic[Found, Told]):
    """A look under way. ``uid`` is that of what is looked at, ``job`` the API's object of ``seen.job``.

    ``told`` is a status that ends the matter; ``captured`` are Jobs whose results are kept, so that they may go.
    """

    uid: str
    seen: Found
    job: Json | None = None
    told: Told | None = None
    captured: list[Json] = field(default_factory=list)


@dataclass(kw_only=True)
class CandidateWorld(World[SeenCandidate, TaskCandidateStatus]):
    """A look at a candidate; ``base_uid`` is empty where there is no base."""

    candidate: TaskCandidate
    base: ModernBase | None
    base_uid: str
    progress: Progress | None


@dataclass(kw_only=True)
class BaseWorld(World[SeenModernBase, ModernBaseStatus]):
    """A look at a base."""

    base: ModernBase

    @property
    def progress(self) -> BaseProgress:
        """How far the work is."""
        return self.seen.progress

    def goes_on(self, **changes: object) -> None:
        """The work has come further."""
        self.seen = self.seen.replacing(progress=self.progress.replacing(**changes))


@dataclass(kw_only=True)
class MiningWorld(World[SeenMining, ModernBaseStatus]):
    """A look at a base's mining. ``progress`` is None while nothing is asked for.

    ``made``: endings of the names of all candidates ever made, in their order. ``ended``: what status says of a mining
    that has come to its end, with ``message``.
    """

    base: ModernBase
    progress: Progress | None
    made: dict[str, None] = field(default_factory=dict)
    ended: MiningStatus | None = None
    message: str = ""

    def goes_on(self, **changes: object) -> None:
        """The work has come further."""
        assert self.progress is not None
        self.progress = self.progress.replacing(**changes)


@dataclass(kw_only=True)
class VariantWorld(World[SeenReplay, TaskVariantStatus]):
    """A look at a task. ``progress`` is None while no replay is asked for; ``replays`` are what its last step said."""

    variant: TaskVariant
    progress: Progress | None
    replays: tuple[Replay, ...] = ()
