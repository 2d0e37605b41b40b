"""Another strategy's proposals, repaired where their code misses names (``construct.repair``).

A tree that misses names is not worth a run: its tests fail for want of a name, not of the change. It is reported as
such, and the repaired tree is proposed in its place, under a name that says so.
"""

from __future__ import annotations

from collections.abc import Iterator

from change2task.construct.models import Assignment, NotApplicable, Proposal
from change2task.construct.repair import Undefined, repair
from change2task.construct.strategy import Strategy
from change2task.vcs.repository import Repository

SUFFIX = "+repair"


class Repaired:
    """A strategy whose proposals are whole."""

    def __init__(self, plain: Strategy) -> None:
        self.plain = plain
        self.name = plain.name
        self.level = plain.level

    def propose(self, repository: Repository, assignment: Assignment) -> Iterator[Proposal | NotApplicable]:
        """The strategy's own answers, and repaired trees instead of those that can be repaired."""
        for answer in self.plain.propose(repository, assignment):
            if isinstance(answer, Proposal):
                yield from self.mended(repository, assignment, answer)
            else:
                yield answer

    def mended(
        self, repository: Repository, assignment: Assignment, answer: Proposal
    ) -> Iterator[Proposal | NotApplicable]:
        """One proposal as it is where nothing is missed or can be mended, else repaired, or refused as hopeless."""
        try:
            found = repair(repository, assignment, answer.tree)
        except Undefined as undefined:
            yield NotApplicable(strategy=self.name, level=self.level, why=str(undefined))
            return
        if found is None:
            yield answer
            return
        yield NotApplicable(strategy=self.name, level=self.level, why=f"repaired, as {found.missed}")
        yield Proposal(
            strategy=self.name + SUFFIX,
            level=max(self.level, 2),
            tree=found.tree,
            regions=(*answer.regions, *found.regions),
        )
