"""The ladder's order, its profiles, and that no tree is tried twice."""

from __future__ import annotations

from change2task.api.taskcandidate import Profile
from change2task.construct.ladder import climb, strategies
from change2task.construct.models import Proposal


def names(profile, levels=(1, 2, 3)):
    return [strategy.name for strategy in strategies(profile, levels)]


def test_the_papers_profile_is_exact_reversal_and_unique_block_only():
    assert names(Profile.PAPER) == ["exact-reversal", "unique-block"]


def test_levels_choose_strategies():
    assert names(Profile.FULL, [1]) == ["exact-reversal", "relaxed-context", "three-way"]
    assert not set(names(Profile.FULL, [2])) & set(names(Profile.FULL, [1]))
    assert names(Profile.PAPER, [3]) == []


def test_a_tree_already_proposed_is_a_duplicate_that_names_the_first(scene):
    files = {"m.py": b"a\nb\nc\n"}, {"m.py": b"a\nB\nc\n"}, {"m.py": b"a\nB\nc\n"}
    answers = list(climb(strategies(Profile.FULL, [1]), scene.repository, scene.assignment(*files)))
    assert isinstance(answers[0], Proposal)
    assert answers[1].why == "same tree as exact-reversal"
