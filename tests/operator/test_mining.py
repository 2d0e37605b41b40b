"""What mining creates on a cluster: bounded, labelled, never twice, never again what was deleted."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from change2task.api.conditions import Condition, ConditionType
from change2task.api.metadata import ObjectMeta, Reference
from change2task.api.mining import MINED_BY, MINED_FROM, OPERATOR, candidate_name, ending_of, mined_from
from change2task.api.modernbase import Mining, ModernBase, ModernBaseSpec, ModernBaseStatus
from change2task.api.reasons import Reason
from change2task.api.rules import refused_changes
from change2task.api.taskcandidate import Change, Family, TaskCandidate, TaskCandidateSpec
from change2task.operator.mining import decide_mining
from change2task.pipeline.keys import base_work_key
from change2task.pipeline.mining_rules import wish_of
from change2task.pipeline.status import is_ready


def base(mining: Mining | None, *, ready: bool = True) -> ModernBase:
    condition = Condition(
        type=ConditionType.READY,
        status="True" if ready else "False",
        reason=Reason.COMPLETE,
        message="",
        last_transition_time=datetime(2026, 1, 1, tzinfo=UTC).isoformat(),
        observed_generation=1,
    )
    made = ModernBase(
        metadata=ObjectMeta(name="project", namespace="tasks"),
        spec=ModernBaseSpec.model_validate({"repository": {"url": "https://forge.example.org/a"}, "mining": mining}),
        status=ModernBaseStatus(conditions=(condition,), observed_generation=1),
    )
    assert is_ready(made) is ready
    return made


def candidates(count: int, *, labels: dict[str, str] | None = None, first: int = 1) -> list[TaskCandidate]:
    return [
        TaskCandidate(
            metadata=ObjectMeta(name=candidate_name("project", n, ""), namespace="tasks", labels=labels or {}),
            spec=TaskCandidateSpec(base_ref=Reference(name="project"), change=Change(pull_request=n)),
        )
        for n in range(first, first + count)
    ]


def test_absence_is_off_and_an_unhealthy_base_waits() -> None:
    assert decide_mining(base(None), candidates(3), [], ()).create == ()
    assert decide_mining(base(Mining(), ready=False), candidates(3), [], ()).create == ()
    assert decide_mining(base(Mining()), None, [], ()).create == ()


def test_what_was_mined_is_created_with_one_label_up_to_the_limit() -> None:
    decision = decide_mining(base(Mining(limit=2)), candidates(3), [], ())
    assert [one.metadata.name for one in decision.create] == ["project-1", "project-2"]
    assert all(one.metadata.labels == {MINED_FROM: "project", MINED_BY: OPERATOR} for one in decision.create)
    assert decision.message == "2 candidates mined; 1 more are beyond the limit of 2"


def test_what_is_there_is_not_made_again_and_what_was_deleted_neither() -> None:
    mine = {MINED_FROM: "project"}
    decision = decide_mining(base(Mining()), candidates(4), candidates(1, labels=mine), ["project-2"])
    assert [one.metadata.name for one in decision.create] == ["project-3", "project-4"]


def test_a_change_that_a_person_wrote_down_is_left_to_them() -> None:
    by_hand = candidates(1)[0].replacing(metadata=ObjectMeta(name="by-hand", namespace="tasks"))
    decision = decide_mining(base(Mining(limit=2)), candidates(3), [by_hand], ())
    assert [one.metadata.name for one in decision.create] == ["project-2", "project-3"]


def test_a_name_that_something_unreadable_bears_is_left_to_it() -> None:
    decision = decide_mining(base(Mining()), candidates(2), [], (), ["project-1"])
    assert ([one.metadata.name for one in decision.create], decision.left) == (["project-2"], {"nameTaken": 1})


def test_of_everything_found_it_is_told_what_became_of_it() -> None:
    mine = {MINED_FROM: "project", MINED_BY: OPERATOR}
    by_person = candidates(1, labels={MINED_FROM: "project"}, first=2)
    other = candidates(1, first=3)[0].replacing(
        spec=TaskCandidateSpec(base_ref=Reference(name="other"), change=Change(pull_request=3))
    )
    there = [*candidates(1, labels=mine), *by_person, other]
    decision = decide_mining(base(Mining(limit=4)), candidates(6), there, ["project-9"])
    assert [one.metadata.name for one in decision.create] == ["project-4"]
    assert decision.left == {"madeBefore": 1, "writtenByHand": 1, "nameTaken": 1, "beyondLimit": 2}


@settings(deadline=None)
@given(st.integers(1, 500), st.integers(0, 40), st.integers(0, 40), st.integers(0, 40))
def test_there_are_never_more_than_the_limit(limit: int, mined: int, there: int, deleted: int) -> None:
    known = candidates(there, labels={MINED_FROM: "project"}, first=100)
    gone = [one.metadata.name for one in candidates(deleted, first=1000)]
    create = decide_mining(base(Mining(limit=limit)), candidates(mined), known, gone).create
    assert len(create) == min(mined, max(limit - there - deleted, 0))


@pytest.mark.parametrize(("number", "commit"), [(7, ""), (None, "0123456789abcdef"), (999_999, "f" * 40)])
def test_a_name_is_known_again_by_its_ending(number: int | None, commit: str) -> None:
    for name in ("a", "a.b-c", "a" * 253):
        made = candidate_name(name, number, commit)
        assert candidate_name(name, None, ending_of(made)) == made


@pytest.mark.parametrize("bad", [{"limit": 0}, {"limit": 501}, {"families": ["Auto"]}, {"minimumScore": 2}, {"x": 1}])
def test_rules_out_of_bounds_are_refused(bad: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        Mining.model_validate(bad)


def test_rules_may_change_and_make_no_other_base() -> None:
    off, on = base(None), base(Mining())
    assert refused_changes(off.spec, on.spec) == ()
    assert base_work_key(off, {}) == base_work_key(on, {})


def test_rules_say_the_same_to_the_miner() -> None:
    wish, span = wish_of(Mining(since=date(2024, 1, 2), families=("BugFix",), limit=7, minimum_score=0.2))
    assert (wish.limit, wish.families, wish.least) == (7, {Family.BUG_FIX}, 0.2)
    assert span.since == datetime(2024, 1, 2, tzinfo=UTC)


@pytest.mark.parametrize("name", ["a", "a.b-c", "a" * 63, "a" * 64, "a" * 61 + "-" + "b" * 10, "a" * 253])
def test_a_label_and_a_name_can_be_made_of_every_bases_name(name: str) -> None:
    assert re.fullmatch(r"[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?", mined_from(name))
    ObjectMeta(name=candidate_name(name, None, "f" * 40))
    assert mined_from(name) != mined_from(name + "x")
