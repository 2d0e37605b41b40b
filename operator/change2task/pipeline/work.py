"""What has been won so far for one candidate: evidence by digest, attempts, seconds a stage, and in the end a task."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from change2task.api.taskcandidate import Attempt, Family
from change2task.api.taskvariant import TaskVariant
from change2task.construct.models import Proposal
from change2task.history.models import MergedChange
from change2task.validate.qualification import Qualification


@dataclass(frozen=True)
class Won:
    """An accepted proposal with its qualification and the variant made of it."""

    proposal: Proposal
    qualification: Qualification
    variant: TaskVariant


@dataclass
class Work:
    """Grows stage by stage; belongs to one thread."""

    seconds: dict[str, float] = field(default_factory=dict)
    evidence: dict[str, str] = field(default_factory=dict)
    attempts: list[Attempt] = field(default_factory=list)
    change: MergedChange | None = None
    family: Family | None = None
    family_reason: str = ""
    won: Won | None = None

    @contextmanager
    def apart(self, outer: str, inner: str) -> Iterator[None]:
        """Seconds of an inner stage are not counted under the outer one that it lies in."""
        before = self.seconds.get(inner, 0.0)
        try:
            yield
        finally:
            self.seconds[outer] = self.seconds.get(outer, 0.0) - (self.seconds.get(inner, 0.0) - before)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Count the wall time of a stage, also when it ends in a rejection."""
        started = time.monotonic()
        try:
            yield
        finally:
            self.seconds[name] = round(self.seconds.get(name, 0.0) + time.monotonic() - started, 3)
