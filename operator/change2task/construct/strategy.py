"""The one interface behind which every way of undoing a change stands."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol, runtime_checkable

from change2task.construct.models import Assignment, NotApplicable, Proposal
from change2task.construct.trials import Trials
from change2task.vcs.repository import Repository


class Strategy(Protocol):
    """A small, deterministic way to undo a change on later code."""

    name: str
    level: int

    def propose(self, repository: Repository, assignment: Assignment) -> Iterator[Proposal | NotApplicable]:
        """Candidate task states, most precise first, or why there are none; never raises on repository content."""
        ...


@runtime_checkable
class Searching(Protocol):
    """A strategy that looks among refused proposals for one that would pass."""

    def search(
        self, repository: Repository, assignment: Assignment, trials: Trials
    ) -> Iterator[Proposal | NotApplicable]:
        """Candidate task states, each asked for after the one before was refused."""
        ...
