"""Counts that are made of fates, and a funnel that cannot be built where they do not add up."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from change2task.api.reasons import Reason, RejectionClass
from change2task.history.mining.funnel import MINED, RUN, FunnelDoesNotAddUp, checked, funnel_of, with_verdicts
from change2task.history.mining.leaving import Left, left_by

_FATES = st.lists(st.sampled_from([None, *Left]), max_size=60)


@settings(deadline=None)
@given(_FATES, st.integers(0, 20))
def test_every_stage_takes_in_what_the_one_before_passed_and_loses_nothing(
    fates: list[Left | None], within: int
) -> None:
    named = {f"c{number}": fate for number, fate in enumerate(fates)}
    funnel = funnel_of(len(named) + within, within, list(named), named)
    assert [stage.name for stage in funnel.stages] == list(MINED)
    left = sum(count for stage in funnel.stages for count in stage.left.values())
    assert funnel.commits == funnel.within + left + funnel.candidates
    assert funnel.candidates == fates.count(None)


@settings(deadline=None)
@given(_FATES, st.data())
def test_verdicts_go_on_where_mining_ended(fates: list[Left | None], data: st.DataObject) -> None:
    named = {f"c{number}": fate for number, fate in enumerate(fates)}
    funnel = funnel_of(len(named), 0, list(named), named)
    verdict = st.one_of(st.none(), st.just(True), st.tuples(st.sampled_from(RejectionClass), st.just("Why")))
    verdicts = [data.draw(verdict) for _ in range(funnel.candidates)]
    whole = with_verdicts(funnel, verdicts)
    assert [stage.name for stage in whole.stages] == [*MINED, *RUN]
    assert whole.waiting == verdicts.count(None)
    assert whole.stages[-1].passed == verdicts.count(True)


def test_a_change_without_a_fate_is_a_defect() -> None:
    with pytest.raises(FunnelDoesNotAddUp, match="b"):
        funnel_of(2, 0, ["a", "b"], {"a": None})


def test_a_count_that_is_wrong_is_a_defect() -> None:
    funnel = funnel_of(3, 1, ["a", "b"], {"a": None, "b": Left.BOT})
    with pytest.raises(FunnelDoesNotAddUp):
        checked(funnel, 2)
    with pytest.raises(FunnelDoesNotAddUp):
        checked(funnel.replacing(commits=4), 1)
    with pytest.raises(FunnelDoesNotAddUp):
        checked(funnel.replacing(stages=(funnel.stages[0].replacing(left={}), *funnel.stages[1:])), 1)


def test_every_refusal_of_the_closer_look_has_a_reason_here() -> None:
    assert {left_by(reason) for reason in Reason} <= set(Left)
    assert left_by(Reason.BRANCH_MERGE) is Left.BRANCH_MERGE
    assert left_by(Reason.STATEMENT_TOO_POOR) is Left.UNUSABLE
