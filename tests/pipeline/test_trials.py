"""Trials: what a refused proposal broke, and a few tests run once on a tree."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from change2task.api.fidelity import ChangeProfile
from change2task.api.reasons import Reason
from change2task.api.taskvariant import Statement
from change2task.checks import mapping
from change2task.checks.mapping import HistoricalTest, MappedTest
from change2task.checks.naming import naming
from change2task.checks.passes import PassOrder, PassRecord
from change2task.checks.results import SuiteResult, TestResult
from change2task.construct.models import Proposal
from change2task.pipeline.trials import MOST_CHECKS, CaseTrials
from change2task.pipeline.work import Work
from change2task.validate.case import Case
from change2task.validate.lifecycle import Demand
from change2task.validate.qualification import Qualification
from change2task.validate.verdict import refused
from change2task.vcs.repository import Repository
from change2task.vcs.workbench import Workbench
from tests.support.repos import RepoBuilder
from tests.support.runners import OneByOne

OWN, OLD, OLDER = (f"test_t.py::test_{name}" for name in ("own", "old", "older"))
TESTS = "".join(f"def test_{name}():\n    pass\n\n\n" for name in ("own", "old", "older"))
_PROFILE = ChangeProfile(files=1, hunks=1, lines=2, symbols=1, target_checks=1, regression_checks=0)


@dataclass
class Scripted(OneByOne):
    """Tells what it was told to tell; a test without a word is missing."""

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


@pytest.fixture
def trials(tmp_path: Path):
    repo = RepoBuilder(tmp_path / "repo")
    tree = repo.tree(repo.commit({"test_t.py": TESTS}))
    repository = Workbench(Repository.open(repo.path), tmp_path / "bench")
    historical = HistoricalTest(path="test_t.py", modern_path="test_t.py", function="test_own")
    mapped = MappedTest(historical=historical, scope="test_t.py", function="test_own", how="same name", ids=(OWN,))

    def make(outcomes=None, harness_error=None, more=()) -> tuple[CaseTrials, Scripted, str]:
        case = Case(
            healthy_tree=tree, before_tree=tree, after_tree=tree, permitted=frozenset(), roles={},
            tests=mapping.TestMap(mapped=(mapped,), lost=()), healthy=frozenset({OWN, OLD, OLDER, *more}),
            naming=naming("pytest"), demand=Demand.ANY, source_profile=_PROFILE, historical_regression=frozenset(),
            introduced=frozenset(), test_paths={"test_t.py": "test_t.py"},
            statement=Statement(title="x", body="", provenance="title"),
        )  # fmt: skip
        runner = Scripted(outcomes or {}, harness_error)
        return CaseTrials(repository, runner, case, Work()), runner, tree

    return make


def proposal(name: str) -> Proposal:
    return Proposal(strategy=name, level=2, tree=name)


def refusal(reason: Reason, *broken: str) -> Qualification:
    named = [{"id": check, "role": "regression", "why": "x"} for check in broken]
    return Qualification(gates=[refused("lifecycle", reason, "x", broken=named)], targets=(OWN,))


def test_what_broke_least_is_searched_first_and_what_has_no_effect_never(trials):
    some, _, _ = trials()
    some.note(proposal("two"), refusal(Reason.REGRESSION_BROKE, OLD, OLDER))
    some.note(proposal("one"), refusal(Reason.REGRESSION_BROKE, OLD))
    some.note(proposal("none"), refusal(Reason.TARGET_DID_NOT_FAIL))
    assert [(one.proposal.strategy, one.broken) for one in some.rejected()] == [
        ("one", frozenset({OLD})),
        ("two", frozenset({OLD, OLDER})),
    ]


def test_where_nothing_loads_checks_from_all_over_the_suite_are_asked(trials):
    some, _, _ = trials(more=[f"test_more.py::test_{n:05}" for n in range(10 * MOST_CHECKS)])
    some.note(proposal("crash"), refusal(Reason.TASK_STATE_DOES_NOT_LOAD))
    (one,) = some.rejected()
    assert 0 < len(one.broken) <= MOST_CHECKS
    assert OWN not in one.broken


@pytest.mark.parametrize(
    ("outcomes", "targets_fail", "broken", "asked"),
    [
        ({OWN: "failed", OLD: "passed"}, True, set(), [(OLD, OLDER), (OWN,)]),
        ({OWN: "skipped", OLD: "passed"}, False, set(), [(OLD, OLDER), (OWN,)]),
        ({OWN: "failed", OLD: "failed"}, True, {OLD}, [(OLD, OLDER), (OWN,)]),
        ({OLDER: "failed"}, True, {OLD, OLDER}, [(OLD, OLDER)]),
    ],
    ids=["narrower", "a skip says nothing", "half", "a missing result is a failure"],
)
def test_the_changes_own_tests_are_asked_where_older_ones_got_better(trials, outcomes, targets_fail, broken, asked):
    some, runner, tree = trials({OLDER: "passed", **outcomes})
    assert some.run(tree, frozenset({OLD, OLDER})) == (targets_fail, frozenset(broken))
    assert [order.ids for order in runner.orders] == asked


def test_older_tests_are_asked_without_the_changes_own_beside_them(trials):
    some, runner, tree = trials({OLD: "passed"})
    some.run(tree, frozenset({OLD}))
    seen, whole = (order.tree for order in runner.orders)
    assert whole == tree
    assert b"test_own" not in some.repository.blob(some.repository.entry(seen, b"test_t.py").oid)


def test_a_crash_of_the_harness_helps_no_tree(trials):
    some, _, tree = trials({OWN: "failed", OLD: "passed"}, harness_error="x")
    assert some.run(tree, frozenset({OLD})) == (True, frozenset({OLD}))


def test_time_for_trials_is_no_time_of_construction():
    work = Work(seconds={"construction": 1.0})
    with work.stage("construction"), work.apart("construction", "trials"):
        work.seconds["trials"] = 0.5
    assert 0.5 <= work.seconds["construction"] < 1.0
