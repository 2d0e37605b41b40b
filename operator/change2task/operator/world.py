"""What one look knows while it acts, and what it needs from outside: the parts that looks of every kind share."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from change2task.api.modernbase import ModernBase
from change2task.api.progress import Progress
from change2task.api.taskcandidate import TaskCandidate, TaskCandidateStatus
from change2task.cluster.kube import Json
from change2task.operator.observed import SeenCandidate


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


@dataclass
class World:
    """A look at a candidate under way. ``job`` is the API's object of ``seen.job``, ``base`` of the candidate's base.

    ``verdict`` is a status that ends the matter; ``captured`` are Jobs whose results are kept, so that they may go.
    """

    candidate: TaskCandidate
    uid: str
    base: ModernBase | None
    base_uid: str
    seen: SeenCandidate
    progress: Progress | None
    job: Json | None = None
    verdict: TaskCandidateStatus | None = None
    captured: list[Json] = field(default_factory=list)
