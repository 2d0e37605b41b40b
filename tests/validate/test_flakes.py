"""The rate at which a task's checks flicker: bounds that are known in closed form, and when they decide."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from change2task.validate.flakes import Decision, decide, flake_rate


@pytest.mark.parametrize("runs", [0, 1, 10, 59, 300])
def test_without_a_difference_the_bound_is_that_of_the_closed_form(runs: int) -> None:
    assert flake_rate(runs, 0).at_most == pytest.approx(1 - 0.05 ** (1 / (runs + 1)), abs=1e-4)


def test_where_all_differ_it_is_the_same_from_the_other_side() -> None:
    assert flake_rate(10, 10).at_least == pytest.approx(1 - flake_rate(10, 0).at_most, abs=1e-4)


@settings(deadline=None)
@given(st.integers(1, 200), st.data())
def test_bounds_enclose_the_mean_and_more_differences_raise_them(runs: int, data: st.DataObject) -> None:
    differed = data.draw(st.integers(0, runs - 1))
    fewer, more = flake_rate(runs, differed), flake_rate(runs, differed + 1)
    assert fewer.at_least < fewer.mean < fewer.at_most
    assert fewer.at_most <= more.at_most
    assert fewer.at_least <= more.at_least


@pytest.mark.parametrize(
    ("runs", "differed", "tolerated", "decision"),
    [
        (10, 0, 0.05, Decision.UNDECIDED),
        (59, 0, 0.05, Decision.STABLE),
        (4, 4, 0.05, Decision.FLAKY),
        (1, 1, 0.05, Decision.FLAKY),
        (20, 1, 0.05, Decision.UNDECIDED),
        (0, 0, 1.0, Decision.STABLE),
    ],
)
def test_asking_ends_when_the_bounds_decide(runs: int, differed: int, tolerated: float, decision: Decision) -> None:
    assert decide(flake_rate(runs, differed), tolerated) is decision


def test_counts_that_cannot_be_are_a_mistake() -> None:
    with pytest.raises(ValueError, match="3 of 2"):
        flake_rate(2, 3)
