"""What the bench's table says of rows."""

from __future__ import annotations

import pytest

from tests.bench.recovery.table import lost_kind, markdown, wilson, without_effect


def row(accepted, reason, *attempts, commit="a" * 40, **more):
    verdict = {
        "accepted": accepted,
        "reason": reason,
        "strategy": attempts[-1][0] if accepted else None,
        "seconds": {"construction": 0.5},
        "attempts": [{"strategy": s, "outcome": o, "reason": r} for s, o, r in attempts],
    }
    by = {"ladder": verdict, **more}
    return {"repo": "o/n", "commit": commit, "days": 400, "lines": 12, "language": "python", "by": by}


@pytest.mark.parametrize(
    ("part", "whole", "low", "high"), [(0, 0, 0.0, 1.0), (0, 10, 0.0, 0.278), (5, 10, 0.237, 0.763), (10, 10, 0.722, 1)]
)
def test_intervals_are_wilsons(part, whole, low, high):
    assert wilson(part, whole) == pytest.approx((low, high), abs=0.001)


WON = row(True, "Accepted", ("exact-reversal", "notApplicable", "x"), ("word-merge+repair", "accepted", "Accepted"))
BROKE = row(False, "RegressionBroke", ("exact-reversal", "rejected", "RegressionBroke"), commit="b" * 40)
BLIND = row(False, "TargetDidNotFail", ("exact-reversal", "rejected", "TargetDidNotFail"), commit="c" * 40)


def test_a_change_whose_trees_its_own_tests_never_saw_has_no_effect():
    assert [without_effect(one) for one in (WON, BROKE, BLIND)] == [False, False, True]
    never_run = row(False, "ScopeInflation", ("older-units", "rejected", "ScopeInflation"))
    assert not without_effect(never_run)


def test_reasons_are_gathered_in_kinds_and_unknown_ones_stay_themselves():
    assert lost_kind(BROKE) == "breaks an older test"
    assert lost_kind(row(False, "CopyOfTheAnswer")) == "CopyOfTheAnswer"


def test_first_success_counts_under_the_strategy_that_was_repaired_and_adds_up():
    page = markdown([WON, BROKE, BLIND], [], [])
    assert "| word-merge | 1 | 1 | 1 of 3 (33 %) |" in page
    assert "Verified: 1 (33 %," in page
    assert "of the 2 with an effect that their tests see: 1 (50 %," in page
    assert "| breaks an older test | 1 | n bbbbbbbb |" in page


def test_what_was_narrowed_counts_under_the_search():
    narrowed = row(
        True,
        "Accepted",
        ("older-units", "rejected", "RegressionBroke"),
        ("narrowed", "notApplicable", "x"),
        ("older-units+narrowed", "accepted", "Accepted"),
    )
    assert "| narrowed | 1 | 1 | 1 of 1 (100 %) |" in markdown([narrowed], [], [])


def test_what_the_machine_failed_is_drawn_but_not_decided():
    machine = row(None, "Machine")
    assert markdown([WON, machine], [], []).startswith("1 changes decided of 2 drawn;")
    assert markdown([machine], [], []) == "Nothing was decided.\n"


def test_a_baseline_that_is_absent_is_told_loudly():
    assert "| wiggle | NOT MEASURED, its program is absent | | |" in markdown([WON], [], ["wiggle"])


def test_what_a_baseline_wins_alone_is_shown():
    alone = row(False, "RegressionBroke", ("exact-reversal", "rejected", "RegressionBroke"), wiggle={"accepted": True})
    assert "| wiggle | 1 of 1 (100 %) | 21–100 % | 1 |" in markdown([alone], ["wiggle"], [])
