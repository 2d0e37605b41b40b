"""What a base must show before any task rests on it, told with results as runners give them."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from change2task.api.conditions import ConditionType
from change2task.api.reasons import Reason
from change2task.base.faults import BaseFault, Faulted
from change2task.base.preflight import Preflight, preflight
from change2task.checks.passes import PassOrder, PassRecord, perturbation
from change2task.checks.results import CollectionError, Ending, SuiteResult, TestOutcome, TestResult
from tests.support.runners import OneByOne


class Recorded(OneByOne):
    """A runner whose passes have been recorded before."""

    def __init__(self, records: Sequence[PassRecord]) -> None:
        self.records = list(records)
        self.orders: list[PassOrder] = []

    def run(self, order: PassOrder) -> PassRecord:
        self.orders.append(order)
        return self.records.pop(0)


def record(
    *outcomes: TestOutcome, ending: Ending = "finished", message: str | None = None, stopped_by: str | None = None,
    canaries: bool | None = True, harness_error: str | None = None, errors: tuple[str, ...] = (), listed: int = 0,
    seconds: float = 1.0,
) -> PassRecord:  # fmt: skip
    names = [f"t{number}" for number in range(max(len(outcomes), listed))]
    suite = SuiteResult(
        results={name: TestResult(id=name, outcome=outcome) for name, outcome in zip(names, outcomes, strict=False)},
        collected=tuple(names),
        collection_errors=tuple(CollectionError(file=file, signature="ImportError: x") for file in errors),
        finished=ending == "finished",
        ending=ending,
        message=message,
        canaries=canaries,
        harness_error=harness_error,
    )
    durations = dict.fromkeys(names, seconds)
    return PassRecord.model_validate(
        {"suite": suite, "seconds": seconds, "durations": durations, "stoppedBy": stopped_by}
    )


def ran(*records: PassRecord) -> tuple[Preflight, Recorded]:
    runner = Recorded(records)
    return preflight(runner, "tree", "environment", timeout_seconds=60), runner


def fault(*records: PassRecord) -> BaseFault:
    with pytest.raises(Faulted) as caught:
        ran(*records)
    assert caught.value.fault.condition is ConditionType.HEALTHY
    return caught.value.fault


def test_the_whole_suite_runs_twice_under_validations_own_perturbations() -> None:
    _, runner = ran(record("passed"), record("passed"))
    assert [order.perturbation for order in runner.orders] == [perturbation(0), perturbation(1)]
    assert all(order.ids is None and order.tree == "tree" for order in runner.orders)
    assert runner.orders[0].perturbation.order_seed is None


def test_a_few_failing_checks_do_not_forbid_a_base() -> None:
    found, _ = ran(record("passed", "failed"), record("passed", "failed"))
    assert found.inventory.healthy == ("t0",)
    assert found.inventory.counted().failing == 1


def test_durations_are_the_longest_seen_and_no_part_of_the_inventory() -> None:
    found, _ = ran(record("passed", seconds=1), record("passed", seconds=3))
    assert found.durations == {"t0": 3}
    assert b"3" not in found.inventory.replacing(passes=()).canonical()


def test_no_test_at_all_is_no_base() -> None:
    assert fault(record()).reason is Reason.NO_CHECKS


def test_files_that_cannot_be_collected_are_named_when_nothing_else_is_there() -> None:
    found = fault(record(errors=("tests/a.py",)))
    assert found.reason is Reason.NO_CHECKS
    assert "tests/a.py: ImportError: x" in found.message


def test_a_command_that_runs_no_test_says_what_it_said() -> None:
    found = fault(record(ending="stuck", message="The check command ended with 4: unrecognized arguments"))
    assert found.reason is Reason.NO_CHECKS
    assert "unrecognized arguments" in found.message


def test_no_healthy_check_is_no_base() -> None:
    found = fault(record("failed", "passed"), record("failed", "failed"))
    assert found.reason is Reason.NO_HEALTHY_CHECKS
    assert "t0" in found.message


@pytest.mark.parametrize("stopped_by", [None, "deadline"])
def test_a_suite_beyond_its_time_says_how_far_it_came_and_the_way_out(stopped_by: str | None) -> None:
    ending: Ending = "deadline" if stopped_by is None else "interrupted"
    found = fault(record("passed", ending=ending, listed=5, stopped_by=stopped_by))
    assert found.reason is Reason.UNHEALTHY
    assert "not over after 60 s, 1 of 5 tests had run" in found.message
    assert "checks.timeoutSeconds" in found.message


def test_a_suite_stopped_at_its_memory_says_so() -> None:
    found = fault(record("passed", ending="interrupted", stopped_by="memory"))
    assert found.reason is Reason.UNHEALTHY
    assert "limit of memory" in found.message


def test_a_crash_of_the_harness_once_is_repeated_and_forgotten() -> None:
    found, runner = ran(record(harness_error="broken"), record("passed"), record("passed"))
    assert found.inventory.healthy == ("t0",)
    assert len(runner.orders) == 3


def test_the_same_crash_twice_is_of_the_harness_class() -> None:
    found = fault(record(harness_error="broken"), record(harness_error="broken"))
    assert found.reason is Reason.HARNESS_CRASHED
    assert "broken" in found.message


def test_planted_tests_that_lie_are_no_base() -> None:
    assert fault(record("passed", canaries=False)).reason is Reason.RESULTS_FORGED


def test_a_rebuild_step_that_fails_on_the_base_is_a_fault_of_setup() -> None:
    assert fault(record(ending="rebuildFailed", message="make: no rule")).reason is Reason.SETUP_FAILED


def test_stability_needs_two_passes() -> None:
    with pytest.raises(ValueError, match="repeats: 1"):
        preflight(Recorded([]), "tree", "environment", timeout_seconds=60, repeats=1)
