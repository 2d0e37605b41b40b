"""What compiles on the healthy base must compile on the task state; the base is asked only when it matters."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from change2task.api.reasons import Reason
from change2task.checks.passes import PassOrder, PassRecord, ScriptCall
from change2task.checks.results import SuiteResult, TestResult
from change2task.validate import builds
from tests.support.runners import OneByOne

CALL = ScriptCall(id="build", command=("make",))


def ended(outcome: str, said: str | None = None) -> PassRecord:
    result = TestResult.model_validate({"id": CALL.id, "outcome": outcome, "phase": "call", "signature": said})
    return PassRecord(suite=_suite(results={CALL.id: result}), seconds=1)


def _suite(**more: object) -> SuiteResult:
    return SuiteResult.model_validate(
        {"results": {}, "collected": (), "finished": True, "ending": "finished", "rounds": 1, **more}
    )


CRASHED = PassRecord(suite=_suite(harness_error="the script was ended by signal 9"), seconds=1)
BUILT, BROKEN = ended("passed"), ended("failed", "undefined: Mark")


@dataclass
class Answers(OneByOne):
    """Gives what is told for a tree, and remembers what was asked."""

    by_tree: dict[str, PassRecord]
    asked: list[str] = field(default_factory=list)

    def run(self, order: PassOrder) -> PassRecord:
        assert order.script == CALL
        self.asked.append(order.tree)
        return self.by_tree[order.tree]


@pytest.mark.parametrize(
    ("task", "healthy", "reason", "asked"),
    [
        (BUILT, CRASHED, Reason.VALIDATED, ["task"]),
        (BROKEN, BUILT, Reason.TASK_STATE_DOES_NOT_LOAD, ["task", "healthy"]),
        (BROKEN, BROKEN, Reason.VALIDATED, ["task", "healthy"]),
        (CRASHED, BUILT, Reason.HARNESS_CRASHED, ["task", "task"]),
        (BROKEN, CRASHED, Reason.VALIDATED, ["task", "healthy", "healthy"]),
    ],
)
def test_the_healthy_base_decides_whether_a_failure_to_build_is_news(
    task: PassRecord, healthy: PassRecord, reason: Reason, asked: list[str]
) -> None:
    runner = Answers({"task": task, "healthy": healthy})
    verdict = builds.judge(runner, CALL, "task", "healthy")
    assert verdict.reason is reason
    assert verdict.passed == (reason is Reason.VALIDATED)
    assert runner.asked == asked


def test_what_went_wrong_is_said() -> None:
    verdict = builds.judge(Answers({"task": BROKEN, "healthy": BUILT}), CALL, "task", "healthy")
    assert verdict.message == "build fails on the task state: undefined: Mark"


def test_where_nothing_is_built_by_name_nothing_is_run() -> None:
    assert builds.judge(Answers({}), None, "task", "healthy").passed
