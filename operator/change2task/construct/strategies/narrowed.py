"""Level 2, last: a refused proposal without the pieces that break later work.

A proposal may undo the change and take along a line that older tests stand on: a later feature written into the same
function, a default that others have come to rely on. Its pieces are left as they are today, function by function, then
one by one, and kept left where fewer older tests fail and the change's tests still do. No tree is looked at whose
footprint the gates would refuse, so that never a small rest of the change is taken for all of it; and the one that is
proposed goes through every gate like any other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from change2task.construct.models import Assignment, NotApplicable, Proposal, Region
from change2task.construct.pieces import Pieces
from change2task.construct.trials import Rejected, Trials
from change2task.vcs.repository import Repository

MOST_PROPOSALS = 3
MOST_RUNS = 24
"""Runs of a few tests, for each candidate."""
MOST_PIECES = 60
MOST_ROUNDS = 2
SUFFIX = "+narrowed"


class Narrowed:
    """Searches the proposals that the gates refused; without somebody who runs tests it has nothing to say."""

    name = "narrowed"
    level = 2

    def propose(self, repository: Repository, assignment: Assignment) -> Iterator[Proposal | NotApplicable]:
        """A refusal: searching takes trials."""
        yield NotApplicable(strategy=self.name, level=self.level, why="nobody runs trials here")

    def search(
        self, repository: Repository, assignment: Assignment, trials: Trials
    ) -> Iterator[Proposal | NotApplicable]:
        """For each of the least broken proposals the narrower one that breaks nothing, or why there is none."""
        left = [MOST_RUNS]
        chosen = trials.rejected()[:MOST_PROPOSALS]
        if not chosen:
            yield NotApplicable(
                strategy=self.name, level=self.level, why="no proposal was refused for older tests alone"
            )
        for rejected in chosen:
            yield from self._narrowed(repository, assignment, trials, rejected, left)

    def _narrowed(
        self, repository: Repository, assignment: Assignment, trials: Trials, rejected: Rejected, left: list[int]
    ) -> Iterator[Proposal | NotApplicable]:
        name, broken = rejected.proposal.strategy, rejected.broken
        pieces = Pieces(repository, assignment.healthy_tree, rejected.proposal.tree)
        if not 2 <= len(pieces.all) <= MOST_PIECES:
            why = f"{name}: {len(pieces.all)} pieces, searched are 2 to {MOST_PIECES}"
            yield NotApplicable(strategy=self.name, level=self.level, why=why)
            return
        search = _Search(pieces, trials, left)
        for _ in range(MOST_ROUNDS):
            out = search.run(broken)
            if out is None:
                why = f"{name}: no part of its {len(pieces.all)} pieces can stay so that older tests pass"
                yield NotApplicable(strategy=self.name, level=self.level, why=why)
                return
            kept = tuple(
                Region(path="", how=f"left as it is, since older tests need it: {pieces.all[n].where()}")
                for n in sorted(out)
            )
            tree = pieces.without(out)
            yield Proposal(
                strategy=name + SUFFIX, level=self.level, tree=tree, regions=(*rejected.proposal.regions, *kept)
            )
            more = next((r.broken for r in trials.rejected() if r.proposal.tree == tree), None)
            if more is None:
                return
            broken |= more


class _Search:
    """Greedy, largest gain first; ``left`` counts down over all proposals of a candidate."""

    def __init__(self, pieces: Pieces, trials: Trials, left: list[int]) -> None:
        self._pieces, self._trials, self._left = pieces, trials, left
        self._out: frozenset[int] = frozenset()
        self._known: dict[tuple[frozenset[int], frozenset[str]], frozenset[str] | None] = {}

    def run(self, broken: frozenset[str]) -> frozenset[int] | None:
        """The pieces to be left out so that none of the broken tests fails; None where that is not found."""
        now = broken
        for groups in (self._by_function(), [frozenset({n}) for n in range(len(self._pieces.all))]):
            while now and self._left[0] > 0:
                gains = self._gains(groups, broken, now)
                if not gains:
                    break
                now, group = gains[0][1], gains[0][2]
                self._out |= group
        return self._out if not now and self._out else None

    def _gains(
        self, groups: Sequence[frozenset[int]], broken: frozenset[str], now: frozenset[str]
    ) -> list[tuple[tuple[int, int, int], frozenset[str], frozenset[int]]]:
        found = []
        for place, group in enumerate(groups):
            if group <= self._out:
                continue
            still = self._broken(self._out | group, broken)
            if still is not None and len(still & now) < len(now):
                size = sum(self._pieces.all[n].size for n in group)
                found.append(((len(still), size, place), still, group))
                if not still:
                    break
        return sorted(found, key=lambda gain: gain[0])

    def _broken(self, out: frozenset[int], checks: frozenset[str]) -> frozenset[str] | None:
        """Which of the checks fail with these pieces left out; None where it does not fit, or the targets pass."""
        if (out, checks) not in self._known:
            self._known[out, checks] = self._tried(self._pieces.without(out), checks)
        return self._known[out, checks]

    def _tried(self, tree: str, checks: frozenset[str]) -> frozenset[str] | None:
        if self._left[0] <= 0 or not self._trials.fits(tree):
            return None
        self._left[0] -= 1
        told = self._trials.run(tree, checks)
        return told.broken if told.targets_fail else None

    def _by_function(self) -> list[frozenset[int]]:
        """The pieces of each function and of each file's rest, small ones first."""
        places: dict[tuple[bytes, str], set[int]] = {}
        for number, piece in enumerate(self._pieces.all):
            places.setdefault((piece.path, piece.within or str(number)), set()).add(number)
        groups = [frozenset(numbers) for numbers in places.values()]
        return sorted(groups, key=lambda group: (sum(self._pieces.all[n].size for n in group), min(group)))
