"""Which checks are healthy, and what is said of the others."""

from __future__ import annotations

import pytest

from change2task.base.inventory import take
from change2task.checks.results import CollectionError, SuiteResult, TestOutcome, TestResult


def suite(duplicates: tuple[str, ...] = (), errors: tuple[str, ...] = (), /, **outcomes: TestOutcome) -> SuiteResult:
    return SuiteResult(
        results={
            name: TestResult(id=name, outcome=outcome, signature=None if outcome == "passed" else f"{outcome}!")
            for name, outcome in outcomes.items()
        },
        collected=tuple(outcomes),
        duplicates=duplicates,
        collection_errors=tuple(CollectionError(file=file, signature="ImportError: x") for file in errors),
        finished=True,
        ending="finished",
    )


@pytest.mark.parametrize(
    ("outcomes", "state"),
    [
        (("passed", "passed"), None),
        (("failed", "failed"), "failing"),
        (("failed", "error"), "failing"),
        (("hung", "hung"), "failing"),
        (("crashed", "failed"), "failing"),
        (("passed", "failed"), "unstable"),
        (("failed", "passed"), "unstable"),
        (("passed", "skipped"), "unstable"),
        (("skipped", "skipped"), "skipped"),
        (("xfailed", "xfailed"), "xfailed"),
        (("xpassed", "xpassed"), "xfailed"),
        (("xfailed", "xpassed"), "unstable"),
        (("failed", "skipped"), "unstable"),
    ],
)
def test_only_what_passes_in_every_pass_is_healthy(
    outcomes: tuple[TestOutcome, TestOutcome], state: str | None
) -> None:
    found = take("t", "e", [("one", suite(x=outcomes[0])), ("two", suite(x=outcomes[1]))])
    assert found.healthy == (("x",) if state is None else ())
    assert [check.state for check in found.other.values()] == ([] if state is None else [state])


def test_a_test_that_only_one_pass_knows_is_unstable_and_says_where_it_is_missing() -> None:
    found = take("t", "e", [("own order", suite(a="passed")), ("order 1", suite(b="passed"))])
    assert found.healthy == ()
    assert found.other["a"].outcomes == ("passed", "missing")
    assert found.other["a"].reason == "passed with own order, missing with order 1"


def test_an_id_that_stands_for_two_tests_is_never_healthy() -> None:
    found = take("t", "e", [("one", suite(("x",), x="passed")), ("two", suite(x="passed"))])
    assert found.other["x"].state == "duplicate"


def test_reasons_carry_the_failures_signature() -> None:
    found = take("t", "e", [("one", suite(x="failed", y="passed")), ("two", suite(x="failed", y="error"))])
    assert found.other["x"].reason == "failed!"
    assert found.other["y"].reason == "passed with one, error with two: error!"


def test_equal_behaviour_gives_equal_bytes_whatever_the_order() -> None:
    one = take("t", "e", [("one", suite(a="passed", b="failed")), ("two", suite(a="passed", b="failed"))])
    other = take("t", "e", [("one", suite(b="failed", a="passed")), ("two", suite(b="failed", a="passed"))])
    assert one.canonical() == other.canonical()


def test_collection_errors_of_any_pass_are_kept_once() -> None:
    found = take(
        "t", "e", [("one", suite((), ("b.py", "a.py"), x="passed")), ("two", suite((), ("a.py",), x="passed"))]
    )
    assert [error.file for error in found.collection_errors] == ["a.py", "b.py"]


def test_the_summary_counts_all_and_shows_the_first_twenty() -> None:
    outcomes: dict[str, TestOutcome] = {f"f{n:02d}": "failed" for n in range(30)}
    outcomes |= {"ok": "passed", "s": "skipped", "x": "xfailed"}
    counted = take("t", "e", [("one", suite(**outcomes)), ("two", suite(**outcomes))]).counted()
    assert (counted.healthy, counted.failing, counted.unstable, counted.not_run) == (1, 30, 0, 2)
    assert counted.failing_ids == tuple(f"f{n:02d}" for n in range(20))


@pytest.mark.parametrize(
    ("then", "now", "told"),
    [
        (("passed", "passed"), ("failed", "failed"), ("x was healthy and is failing",)),
        (("failed", "failed"), ("passed", "passed"), ("x was failing and is healthy",)),
        (("passed", "passed"), ("skipped", "skipped"), ("x was healthy and is skipped",)),
        (("passed", "passed"), ("passed", "failed"), ()),
        (("passed", "failed"), ("failed", "failed"), ()),
        (("failed", "failed"), ("error", "failed"), ()),
    ],
)
def test_inventories_contradict_each_other_where_a_check_differs_by_no_chance_of_its_own(
    then: tuple[TestOutcome, TestOutcome], now: tuple[TestOutcome, TestOutcome], told: tuple[str, ...]
) -> None:
    before, after = (take("t", "e", [("one", suite(x=a)), ("two", suite(x=b))]) for a, b in (then, now))
    assert before.contradictions(after) == told


def test_a_check_that_came_or_went_is_a_contradiction() -> None:
    before = take("t", "e", [("one", suite(x="passed")), ("two", suite(x="passed"))])
    after = take("t", "e", [("one", suite(y="failed")), ("two", suite(y="failed"))])
    assert before.contradictions(after) == ("x was healthy and is absent", "y was absent and is failing")
