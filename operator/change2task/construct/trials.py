"""What a strategy that searches is told of trees: whether the change's tests still fail, and what else does.

Construction runs nothing. Whoever drives the ladder runs a few checks for it; the word of such a run is advisory, and
what a search proposes goes through every gate like any other proposal.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol, runtime_checkable

from change2task.construct.models import Proposal


class Rejected(NamedTuple):
    """A proposal that fails the change's tests and older ones too, by id."""

    proposal: Proposal
    broken: frozenset[str]


class Told(NamedTuple):
    """Which of the asked tests failed on a tree, and whether any of the change's own did."""

    targets_fail: bool
    broken: frozenset[str]


@runtime_checkable
class Trials(Protocol):
    """The ladder's driver as a search sees it."""

    def rejected(self) -> Sequence[Rejected]:
        """What the gates refused for older tests so far, least broken first."""
        ...

    def fits(self, tree: str) -> bool:
        """Whether a tree passes the gates that need no run."""
        ...

    def run(self, tree: str, checks: frozenset[str]) -> Told:
        """The change's tests and these, run once on a tree."""
        ...
