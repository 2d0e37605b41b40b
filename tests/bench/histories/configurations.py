"""What is compared: the ladders of the two profiles, and git alone in three ways, each under both profiles' gates.

A configuration is a ladder and the profile whose gates judge it. The gates are the product's own; only the ladder
differs, so that a difference in the numbers is the construction's.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from change2task.api.taskcandidate import Profile
from change2task.construct.ladder import strategies
from change2task.construct.models import Assignment, NotApplicable, Proposal
from change2task.construct.strategies.exact_reversal import ExactReversal, source_patch
from change2task.construct.strategies.three_way import ThreeWay
from change2task.construct.strategy import Strategy
from change2task.vcs.errors import PatchDoesNotApply
from change2task.vcs.repository import Repository

LEVELS = (1, 2, 3)


class ApplyThreeWay:
    """``git apply --reverse --3way``: a baseline only. It merges file by file and follows no rename."""

    name = "git-apply-3way"
    level = 1

    def propose(self, repository: Repository, assignment: Assignment) -> Iterator[Proposal | NotApplicable]:
        patch = source_patch(repository, assignment)
        try:
            tree = repository.apply(assignment.healthy_tree, patch, reverse=True, three_way=True)
        except PatchDoesNotApply as refusal:
            yield NotApplicable(strategy=self.name, level=self.level, why=str(refusal))
            return
        yield Proposal(strategy=self.name, level=self.level, tree=tree)


@dataclass(frozen=True)
class Configuration:
    """A ladder under a profile's gates."""

    name: str
    gates: Profile
    strategies: tuple[Strategy, ...]

    def ladder(self, profile: Profile, levels: Collection[int]) -> Sequence[Strategy]:
        return self.strategies


def configurations() -> tuple[Configuration, ...]:
    """All that is compared; `paper.paper` and `full.full` are the product's two profiles as they are."""
    ladders: tuple[tuple[str, tuple[Strategy, ...]], ...] = (
        ("apply-R", (ExactReversal(),)),
        ("apply-R-3way", (ApplyThreeWay(),)),
        ("merge-ort", (ThreeWay(),)),
        *((profile.value, strategies(profile, LEVELS)) for profile in Profile),
    )
    return tuple(Configuration(f"{name}.{gates.value}", gates, ladder) for gates in Profile for name, ladder in ladders)
