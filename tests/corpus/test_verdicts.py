"""Grades as tables: which outcomes make an answer solved, not solved, or not graded."""

from __future__ import annotations

import pytest

from change2task.checks.results import TestResult
from change2task.corpus.submission import Submission
from change2task.corpus.verdicts import NoGrade, Repeats, Told, Wanted, added_tests, judge_patch, judge_tests

SUBMITTED = Submission(tree="0" * 40, counted=("a.py",), put_back=())
WANTED = Wanted(targets=("t",), observers=("o",), regression=("r", "script"))
ALL = {"t": "passed", "o": "passed", "r": "passed", "script": "passed"}


def patch(told: Told, submitted: Submission = SUBMITTED):
    return judge_patch("tv", WANTED, told, submitted)


class TestPatches:
    def test_everything_passing_is_solved(self):
        graded = patch(Told(outcomes=ALL))
        assert graded.solved
        assert graded.message == "all 1 target checks and all regression checks pass"

    @pytest.mark.parametrize(
        ("check", "field"),
        [
            ("t", "failed_targets"),
            ("o", "failed_observers"),
            ("r", "failed_regression"),
            ("script", "failed_regression"),
        ],
    )
    @pytest.mark.parametrize("outcome", ["failed", "error", "skipped", "xpassed", "crashed", "hung", "missing"])
    def test_only_passing_is_passing(self, check: str, field: str, outcome: str):
        graded = patch(Told(outcomes={**ALL, check: outcome}))
        assert not graded.solved
        assert getattr(graded, field) == (check,)
        assert graded.outcomes == {check: outcome}

    def test_a_check_without_an_outcome_is_a_failure(self):
        assert patch(Told(outcomes={"t": "passed", "o": "passed"})).failed_regression == ("r", "script")

    def test_a_run_that_said_nothing_is_no_grade(self):
        with pytest.raises(NoGrade, match="script: exit code 3"):
            patch(Told(outcomes={"t": "passed", "o": "passed", "r": "passed"}, no_verdict=("script: exit code 3",)))

    def test_a_definite_failure_beside_it_is_a_grade_all_the_same(self):
        graded = patch(Told(outcomes={"t": "failed"}, no_verdict=("grade-open: flood",)))
        assert (graded.solved, graded.failed_targets, graded.failed_regression) == (False, ("t",), ())
        assert graded.no_verdict == ("grade-open: flood",)

    def test_forged_results_are_never_a_solution_and_always_a_grade(self):
        told = Told(outcomes={"t": "passed"}, forged=("grade-open: a canary passed",), no_verdict=("grade-x: flood",))
        graded = patch(told)
        assert not graded.solved
        assert graded.message == "results were forged: grade-open: a canary passed"

    def test_why_a_target_fails_is_told(self):
        graded = patch(Told(outcomes={**ALL, "t": "failed"}, signatures={"t": "AssertionError: 1 == 2", "r": "x"}))
        assert "1 of 1 target checks fail: t (AssertionError: 1 == 2)" in graded.message
        assert graded.signatures == {"t": "AssertionError: 1 == 2"}

    def test_what_was_put_back_is_told_with_its_reason(self):
        back = SUBMITTED.replacing(put_back=("tests/a.py",), why={"tests/a.py": "it belongs to the tests"})
        assert "put back: tests/a.py (it belongs to the tests)" in patch(Told(outcomes=ALL), back).message


def result(outcome: str, phase: str | None = "call", signature: str | None = None) -> TestResult:
    return TestResult.model_validate({"id": "x", "outcome": outcome, "phase": phase, "signature": signature})


PASSED, FAILED = result("passed", None), result("failed")


def answer(task, restored, *, added=("n",), healthy=(), **more):
    repeats = Repeats(task=tuple(task), restored=tuple(restored), added=added, healthy=frozenset(healthy), **more)
    return judge_tests("tv", repeats, SUBMITTED)


class TestTests:
    def test_a_test_that_fails_on_the_task_and_passes_on_the_restored_state_is_a_witness(self):
        graded = answer([{"n": FAILED}] * 2, [{"n": PASSED}] * 2)
        assert (graded.solved, graded.witnesses) == (True, ("n",))

    @pytest.mark.parametrize(
        "told",
        [
            PASSED,
            None,
            result("error", "setup"),
            result("failed", "setup"),
            result("skipped", "setup"),
            result("xfailed"),
            result("crashed", None),
            result("hung", None),
            result("failed", "call", "ImportError: cannot import name 'x'"),
            result("failed", "call", "ModuleNotFoundError: No module named 'x'"),
        ],
    )
    def test_no_other_outcome_on_the_task_state_is_a_witness(self, told: TestResult | None):
        run = {} if told is None else {"n": told}
        graded = answer([run, run], [{"n": PASSED}] * 2)
        assert (graded.solved, graded.witnesses) == (False, ())
        assert "none of the 1 added tests fails in its call phase" in graded.message

    @pytest.mark.parametrize("outcome", ["crashed", "hung"])
    def test_a_process_that_its_own_code_ended_is_a_witness(self, outcome: str):
        assert answer([{"n": result(outcome)}], [{"n": PASSED}]).solved

    @pytest.mark.parametrize("told", [FAILED, result("skipped"), result("xpassed"), result("error", "setup"), None])
    def test_every_added_test_passes_on_the_restored_state(self, told: TestResult | None):
        task = [{"n": FAILED, "m": FAILED}]
        restored = {"n": PASSED} if told is None else {"n": PASSED, "m": told}
        graded = answer(task, [restored], added=("m", "n"))
        assert (graded.solved, graded.failed_regression) == (False, ("m",))
        assert "1 added tests do not pass on the restored state: m" in graded.message

    def test_repeats_that_disagree_on_the_restored_state_are_no_answer(self):
        graded = answer([{"n": FAILED}] * 2, [{"n": PASSED}, {"n": FAILED}])
        assert not graded.solved
        assert "on some repeats of the restored state only: n" in graded.message

    def test_repeats_that_disagree_on_the_task_state_are_no_witness(self):
        graded = answer([{"n": FAILED}, {"n": PASSED}], [{"n": PASSED}] * 2)
        assert (graded.solved, graded.witnesses) == (False, ())
        assert graded.outcomes == {"n": "task state: failed in call, passed; restored state: passed"}

    def test_tests_that_were_there_before_still_pass(self):
        graded = answer([{"n": FAILED}], [{"n": PASSED, "old": FAILED}], healthy=("old",))
        assert not graded.solved
        assert "1 tests that were there before no longer pass: old" in graded.message

    def test_they_are_asked_of_the_sources_as_they_are_only(self):
        runs = [{"n": PASSED, "old": PASSED}, {"n": PASSED, "old": FAILED}]
        assert answer([{"n": FAILED}] * 2, runs, healthy=("old",)).solved

    def test_forged_results_are_no_answer(self):
        graded = answer([], [], added=(), forged="grade-task-0, twice: a canary passed")
        assert (graded.solved, graded.message) == (
            False,
            "results were forged: grade-task-0, twice: a canary passed",
        )

    def test_no_added_test_says_what_could_not_be_looked_into(self):
        graded = answer([{}], [{}], added=(), lost=("tests/test_n.py: SyntaxError",))
        assert graded.message == (
            "the patch adds no test that the project's check command runs: tests/test_n.py: SyntaxError"
        )


def place(check: str) -> tuple[str, str]:
    scope, _, rest = check.partition("::")
    return scope, rest.partition("[")[0]


class TestAdded:
    def test_what_was_known_before_is_not_added(self):
        assert added_tests([frozenset({"a::x", "a::y"})] * 2, frozenset({"a::x"}), place) == ("a::y",)

    def test_what_one_state_alone_has_is_added(self):
        assert added_tests([frozenset({"a::y"}), frozenset()], frozenset({"a::x"}), place) == ("a::y",)

    def test_cases_of_an_old_function_count_when_every_run_has_them(self):
        runs = [frozenset({"a::x[1]", "a::x[2]", "a::x[s1]"}), frozenset({"a::x[1]", "a::x[2]", "a::x[s2]"})]
        assert added_tests(runs, frozenset({"a::x[1]"}), place) == ("a::x[2]",)

    def test_nothing_run_is_nothing_added(self):
        assert added_tests([], frozenset(), place) == ()
