"""The fidelity gate has exactly the paper's numbers (appendix A.2)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from change2task.api.fidelity import ChangeProfile
from change2task.api.reasons import Reason
from change2task.validate import fidelity


def profile(**counts: int) -> ChangeProfile:
    base = {"files": 2, "hunks": 4, "lines": 40, "symbols": 4, "target_checks": 2, "regression_checks": 20}
    return ChangeProfile(**{**base, **counts})


def verdict(**counts: int):
    return fidelity.judge(fidelity.measure(profile(), profile(**counts)))


def test_weights_are_the_papers_and_sum_to_one():
    assert fidelity.WEIGHTS == {
        "files": 0.18,
        "hunks": 0.20,
        "lines": 0.28,
        "symbols": 0.10,
        "target_checks": 0.12,
        "regression_checks": 0.12,
    }
    assert sum(fidelity.WEIGHTS.values()) == pytest.approx(1)


def test_an_identical_footprint_scores_one():
    assert fidelity.measure(profile(), profile()).score == 1


def test_equal_empties_are_similar_and_one_empty_is_not():
    assert fidelity.similarity(0, 0) == 1
    assert fidelity.similarity(0, 3) == 0
    assert fidelity.similarity(3, 0) == 0


@pytest.mark.parametrize(
    ("counts", "reason"),
    [
        ({"lines": 19}, Reason.SCOPE_COLLAPSE),
        ({"lines": 20}, Reason.VALIDATED),
        ({"lines": 81}, Reason.SCOPE_INFLATION),
        ({"lines": 80}, Reason.VALIDATED),
        ({"hunks": 1}, Reason.SCOPE_COLLAPSE),
        ({"hunks": 9}, Reason.SCOPE_INFLATION),
        ({"files": 1}, Reason.VALIDATED),
        ({"files": 5}, Reason.SCOPE_INFLATION),
        ({"regression_checks": 4}, Reason.REGRESSION_SURFACE_TOO_SMALL),
        ({"regression_checks": 5}, Reason.VALIDATED),
        ({"regression_checks": 5, "symbols": 0, "lines": 20, "hunks": 2, "target_checks": 0}, Reason.FIDELITY_TOO_LOW),
    ],
)
def test_each_threshold_refuses_with_its_own_reason(counts, reason):
    assert verdict(**counts).reason == reason


def test_a_refusal_names_both_counts():
    assert "19 lines" in verdict(lines=19).message
    assert "40" in verdict(lines=19).message


def test_a_change_without_historical_regression_checks_is_not_refused_for_them():
    source = profile(regression_checks=0)
    assert fidelity.judge(fidelity.measure(source, profile(regression_checks=0))).passed
    assert fidelity.judge(fidelity.measure(source, profile(regression_checks=7))).passed


counts = st.integers(0, 500)
profiles = st.fixed_dictionaries(dict.fromkeys(fidelity.WEIGHTS, counts)).map(lambda c: ChangeProfile(**c))


@given(profiles, profiles)
def test_similarity_is_symmetric_and_within_bounds(a, b):
    there, back = fidelity.measure(a, b), fidelity.measure(b, a)
    assert 0 <= there.score <= 1
    assert there.score == back.score


@given(profiles, profiles)
def test_the_papers_limit_of_two_and_a_half_on_the_line_ratio_holds_for_whatever_passes(a, b):
    measured = fidelity.measure(a, b)
    assert not fidelity.footprint(measured).passed or measured.line_ratio <= 2.50
