"""How often an answer's tests tell the task from the restored state, and when it is settled that they do not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import product

import pytest

from change2task.checks.naming import naming
from change2task.checks.passes import PassOrder, PassRecord, Perturbation
from change2task.checks.results import SuiteResult, TestResult
from change2task.corpus.grading import REPEATS, Grader
from change2task.corpus.submission import Submission
from change2task.corpus.verdicts import Grade
from tests.corpus.conftest import Task
from tests.support.runners import OneByOne

NEW = "tests/test_new.py::test_{}"


@dataclass
class Falling(OneByOne):
    """Runs on which each added test falls as it was dealt: by its name, whether it passes on each repeat of a state."""

    dealt: Mapping[str, Mapping[str, tuple[bool, ...]]]
    ran: list[str] = field(default_factory=list)
    under: dict[str, Perturbation] = field(default_factory=dict)

    def run(self, order: PassOrder) -> PassRecord:
        state, _, repeat = order.label.removeprefix("grade-").rpartition("-")
        results = {}
        if not state.startswith("before"):
            self.ran.append(f"{state}-{repeat}")
            self.under[f"{state}-{repeat}"] = order.perturbation
            for name, states in self.dealt.items():
                identity, passes = NEW.format(name), states[state][int(repeat)]
                results[identity] = (
                    TestResult(id=identity, outcome="passed", phase=None, signature=None)
                    if passes
                    else TestResult(id=identity, outcome="failed", phase="call", signature="AssertionError: no")
                )
        suite = SuiteResult(results=results, collected=tuple(results), finished=True, ending="finished", canaries=True)
        return PassRecord(suite=suite, seconds=0)


Dealt = Mapping[str, Mapping[str, tuple[bool, ...]]]


@dataclass
class Answer:
    """One answer that adds a test file, graded as often as its tests are dealt."""

    task: Task
    submitted: Submission

    def graded(self, dealt: Dealt) -> tuple[Grade, Falling]:
        runner = Falling(dealt)
        grader = Grader(self.task.repository, runner, naming("pytest"), ())
        return grader.grade(self.task.tests, (), self.submitted), runner


@pytest.fixture
def answer(task: Task) -> Answer:
    return Answer(task, task.submitted({"tests/test_new.py": "def test_new():\n    pass\n"}, tests=True))


def witness(of: int = REPEATS) -> dict[str, tuple[bool, ...]]:
    return {"task": (False,) * of, "restored": (True,) * of}


def test_of_all_ways_in_which_a_coin_may_fall_one_solves_the_task(answer: Answer):
    ways = [tuple(fallen) for fallen in product((False, True), repeat=2 * REPEATS)]
    solving = [
        way for way in ways if answer.graded({"coin": {"task": way[:REPEATS], "restored": way[REPEATS:]}})[0].solved
    ]
    assert solving == [(False,) * REPEATS + (True,) * REPEATS]
    assert len(ways) == 64


def test_a_witness_is_run_three_times_on_each_state_in_turn_and_each_time_otherwise(answer: Answer):
    grade, runner = answer.graded({"new": witness()})
    assert grade.solved
    assert runner.ran == ["task-0", "restored-0", "restored-1", "task-1", "task-2", "restored-2"]
    assert len({under.canonical() for under in runner.under.values()}) == 3
    assert all(runner.under[f"task-{n}"] == runner.under[f"restored-{n}"] for n in range(3))


@pytest.mark.parametrize("repeat", [0, 1, 2])
@pytest.mark.parametrize("state", ["task", "restored"])
def test_nothing_more_is_run_once_an_answer_has_failed(answer: Answer, state: str, repeat: int):
    fallen = witness()
    fallen[state] = tuple(passes != (number == repeat) for number, passes in enumerate(fallen[state]))
    grade, runner = answer.graded({"coin": fallen})
    assert not grade.solved
    assert len(runner.ran) == 2 * (repeat + 1)


def test_a_test_that_falls_beside_a_witness_spoils_it_only_on_the_restored_state(answer: Answer):
    wavering = {"task": (True, False, True), "restored": (True, True, True)}
    assert answer.graded({"new": witness(), "beside": wavering})[0].solved
    swapped = {"task": wavering["restored"], "restored": wavering["task"]}
    grade, _ = answer.graded({"new": witness(), "beside": swapped})
    assert grade.failed_regression == (NEW.format("beside"),)
    assert "pass on some repeats of the restored state only" in grade.message
