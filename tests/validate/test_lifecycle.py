"""Pass, fail, pass for targets; pass throughout for regression; on every repeat."""

from __future__ import annotations

import pytest

from change2task.api.reasons import Reason
from change2task.validate.lifecycle import Demand, Expectation, Observation, State, judge

TARGETS = ("t::a", "t::b")
REGRESSION = ("r::x", "r::y")


def expectation(**changes):
    return Expectation(targets=TARGETS, regression=REGRESSION).replacing(**changes)


def observe(state: State, repeat: int = 0, *, failing=(), missing=(), **more) -> Observation:
    outcomes = {c: "passed" for c in (*TARGETS, *REGRESSION, "o::new") if c not in missing}
    outcomes.update(dict.fromkeys(failing, "failed"))
    return Observation(state=state, repeat=repeat, outcomes=outcomes, **more)


def lifecycle(*, healthy=(), task=TARGETS, restored=(), expected=None):
    return judge(
        expected or expectation(),
        [
            *(observe(State.HEALTHY, r, failing=healthy) for r in range(2)),
            *(observe(State.TASK, r, failing=task) for r in range(3)),
            *(observe(State.RESTORED, r, failing=restored) for r in range(2)),
        ],
    )


def test_pass_fail_pass_is_validated():
    verdict = lifecycle()
    assert verdict.passed
    assert verdict.evidence["targets"] == list(TARGETS)


@pytest.mark.parametrize(
    ("failing", "reason"),
    [
        ({"healthy": ("t::a",)}, Reason.HEALTHY_STATE_FAILED),
        ({"healthy": ("r::x",)}, Reason.HEALTHY_STATE_FAILED),
        ({"task": ()}, Reason.TARGET_DID_NOT_FAIL),
        ({"task": (*TARGETS, "r::x")}, Reason.REGRESSION_BROKE),
        ({"restored": ("t::b",)}, Reason.RESTORATION_FAILED),
        ({"restored": ("r::y",)}, Reason.RESTORATION_FAILED),
    ],
)
def test_each_wrong_state_has_its_reason(failing, reason):
    assert lifecycle(**failing).reason == reason


def test_the_full_profile_wants_one_failing_target_and_the_paper_all():
    assert lifecycle(task=("t::a",)).passed
    verdict = lifecycle(task=("t::a",), expected=expectation(demand=Demand.ALL))
    assert verdict.reason == Reason.TARGET_DID_NOT_FAIL
    assert "t::b" in verdict.message


def test_a_missing_result_is_a_failure():
    runs = [observe(State.HEALTHY), observe(State.TASK, failing=TARGETS), observe(State.RESTORED, missing=("r::x",))]
    assert judge(expectation(), runs).reason == Reason.RESTORATION_FAILED


@pytest.mark.parametrize("state", list(State))
@pytest.mark.parametrize("check", ["t::a", "r::x"])
def test_repeats_that_disagree_are_unstable(state, check):
    usual = {State.HEALTHY: (), State.TASK: TARGETS, State.RESTORED: ()}
    runs = [observe(s, 0, failing=usual[s]) for s in State]
    flipped = set(usual[state]) ^ {check}
    runs.append(observe(state, 1, failing=tuple(flipped)))
    assert judge(expectation(), runs).reason == Reason.UNSTABLE


def test_a_crashed_harness_is_of_the_harness_class_and_never_a_failed_check():
    runs = [observe(State.HEALTHY), observe(State.TASK, fault="crashed", detail="exit 3"), observe(State.RESTORED)]
    verdict = judge(expectation(), runs)
    assert verdict.reason == Reason.HARNESS_CRASHED
    assert "exit 3" in verdict.message


def test_forged_results_outrank_a_crash():
    runs = [observe(State.TASK, fault="crashed"), observe(State.TASK, 1, fault="forged", detail="canary passed")]
    assert judge(expectation(), runs).reason == Reason.RESULTS_FORGED


def test_a_state_that_was_not_observed_is_a_programming_error():
    with pytest.raises(ValueError, match="restored"):
        judge(expectation(), [observe(State.HEALTHY), observe(State.TASK, failing=TARGETS)])


def test_long_lists_are_named_in_part():
    many = tuple(f"r::{n}" for n in range(50))
    runs = [
        Observation(state=s, repeat=0, outcomes=dict.fromkeys((*TARGETS, *many), "passed"))
        if s is not State.TASK
        else Observation(state=s, repeat=0, outcomes={})
        for s in State
    ]
    verdict = judge(expectation(regression=many), runs)
    assert "and 45 more" in verdict.message
    assert len(verdict.evidence["broken"]) == 50


@pytest.mark.parametrize("demand", list(Demand))
def test_a_stated_target_must_fail_whatever_is_demanded_of_the_others(demand):
    verdict = lifecycle(task=("t::a",), expected=expectation(demand=demand, required=("t::b",)))
    assert verdict.reason == Reason.TARGET_DID_NOT_FAIL
    assert "still passing: t::b" in verdict.message
    assert lifecycle(task=TARGETS, expected=expectation(demand=demand, required=("t::b",))).passed


def test_a_script_without_a_verdict_has_its_own_reason():
    fault = observe(State.TASK, fault="noVerdict", detail="script x: exit code 3")
    verdict = judge(expectation(), [observe(State.HEALTHY), fault, observe(State.RESTORED)])
    assert verdict.reason == Reason.SCRIPT_WITHOUT_VERDICT
    assert "exit code 3" in verdict.message
