"""Trials: what a refused proposal broke, and a few tests run once on a tree."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import SimpleNamespace

import pytest

from change2task.api.reasons import Reason
from change2task.checks.passes import PassOrder, PassRecord
from change2task.checks.results import SuiteResult, TestResult
from change2task.construct.models import Proposal
from change2task.pipeline.trials import MOST_CHECKS, CaseTrials
from change2task.pipeline.work import Work
from change2task.validate.qualification import Qualification
from change2task.validate.verdict import refused
from tests.support.runners import OneByOne


@dataclass
class Scripted(OneByOne):
    outcomes: dict[str, str]
    harness_error: str | None = None
    orders: list[PassOrder] = field(default_factory=list)

    def run(self, order: PassOrder) -> PassRecord:
        self.orders.append(order)
        results = {
            check: TestResult.model_validate({"id": check, "outcome": outcome, "phase": "call", "signature": None})
            for check, outcome in self.outcomes.items()
        }
        suite = SuiteResult(
            results=results,
            collected=tuple(results),
            finished=True,
            ending="finished",
            rounds=1,
            harness_error=self.harness_error,
        )
        return PassRecord(suite=suite, seconds=1)


def trials(healthy=("t::own", "t::old", "t::older"), outcomes=None, harness_error=None) -> CaseTrials:
    case = SimpleNamespace(tests=SimpleNamespace(ids=("t::own",)), healthy=frozenset(healthy))
    return CaseTrials(None, Scripted(outcomes or {}, harness_error), case, Work())  # type: ignore[arg-type]


def proposal(name: str) -> Proposal:
    return Proposal(strategy=name, level=2, tree=name)


def refusal(reason: Reason, *broken: str) -> Qualification:
    named = [{"id": check, "role": "regression", "why": "x"} for check in broken]
    return Qualification(gates=[refused("lifecycle", reason, "x", broken=named)], targets=("t::own",))


def test_what_broke_least_is_searched_first_and_what_has_no_effect_never():
    some = trials()
    some.note(proposal("two"), refusal(Reason.REGRESSION_BROKE, "t::old", "t::older"))
    some.note(proposal("one"), refusal(Reason.REGRESSION_BROKE, "t::old"))
    some.note(proposal("none"), refusal(Reason.TARGET_DID_NOT_FAIL))
    assert [(one.proposal.strategy, sorted(one.broken)) for one in some.rejected()] == [
        ("one", ["t::old"]),
        ("two", ["t::old", "t::older"]),
    ]


def test_where_nothing_loads_checks_from_all_over_the_suite_are_asked():
    healthy = ("t::own", *(f"t::{n:05}" for n in range(10 * MOST_CHECKS)))
    some = trials(healthy)
    some.note(proposal("crash"), refusal(Reason.TASK_STATE_DOES_NOT_LOAD))
    (one,) = some.rejected()
    assert 0 < len(one.broken) <= MOST_CHECKS
    assert "t::own" not in one.broken


@pytest.mark.parametrize(
    ("outcomes", "targets_fail", "broken"),
    [
        ({"t::own": "failed", "t::old": "passed"}, True, set()),
        ({"t::own": "skipped", "t::old": "failed"}, False, {"t::old"}),
        ({"t::own": "passed"}, False, {"t::old"}),
        ({}, True, {"t::old"}),
    ],
)
def test_a_missing_result_is_a_failure_and_a_skip_says_nothing(outcomes, targets_fail, broken):
    some = trials(outcomes=outcomes)
    assert some.run("tree", frozenset({"t::old"})) == (targets_fail, frozenset(broken))
    assert some.runner.orders[0].ids == ("t::old", "t::own")


def test_a_crash_of_the_harness_helps_no_tree():
    told = trials(outcomes={"t::own": "failed", "t::old": "passed"}, harness_error="x").run("t", frozenset({"t::old"}))
    assert told == (True, frozenset({"t::old"}))


def test_time_for_trials_is_no_time_of_construction():
    work = Work(seconds={"construction": 1.0})
    with work.stage("construction"), work.apart("construction", "trials"):
        work.seconds["trials"] = 0.5
    assert 0.5 <= work.seconds["construction"] < 1.0
