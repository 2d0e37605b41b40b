"""Passes of unfinished work are run once, whatever ends the program between them."""

from __future__ import annotations

from pathlib import Path

import pytest

from change2task.checks.labels import LabelledRunner
from change2task.checks.passes import PassOrder, PassRecord, perturbation
from change2task.checks.results import SuiteResult, TestResult
from change2task.corpus.store import Store
from change2task.pipeline.journal import JournalRunner
from tests.support.runners import OneByOne

FINISHED = SuiteResult(
    results={"a": TestResult(id="a", outcome="passed")}, finished=True, ending="finished", canaries=True
)
ORDER = PassOrder(tree="1" * 40, ids=("a",), perturbation=perturbation(0), label="task-0")


class Counting(OneByOne):
    """Answers every pass alike and remembers what it was asked."""

    def __init__(self, suite: SuiteResult, stopped_by: str | None = None) -> None:
        self.record = PassRecord(suite=suite, seconds=1.0, stopped_by=stopped_by)
        self.labels: list[str] = []

    def run(self, order: PassOrder) -> PassRecord:
        """One answer."""
        self.labels.append(order.label)
        return self.record


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store.open(tmp_path / "store", create=True)


def test_a_pass_that_was_kept_is_not_run_again_by_the_next_program(store: Store) -> None:
    first, second = Counting(FINISHED), Counting(FINISHED)
    record = JournalRunner(first, store, "k" * 64).run(ORDER)
    assert JournalRunner(second, store, "k" * 64).run(ORDER.replacing(label="another")) == record
    assert (first.labels, second.labels) == (["task-0"], [])


@pytest.mark.parametrize(
    "other", [{"tree": "2" * 40}, {"ids": None}, {"perturbation": perturbation(1)}], ids=["tree", "tests", "repeat"]
)
def test_another_pass_is_another_one(store: Store, other: dict[str, object]) -> None:
    inner = Counting(FINISHED)
    journal = JournalRunner(inner, store, "k" * 64)
    journal.run(ORDER)
    journal.run(ORDER.replacing(**other))
    assert len(inner.labels) == 2


def test_other_work_has_a_journal_of_its_own(store: Store) -> None:
    inner = Counting(FINISHED)
    for key in ("k", "l"):
        JournalRunner(inner, store, key * 64).run(ORDER)
    assert len(inner.labels) == 2


@pytest.mark.parametrize(
    ("suite", "stopped_by"),
    [
        (FINISHED.replacing(harness_error="no results"), None),
        (FINISHED.replacing(canaries=False), None),
        (FINISHED.replacing(finished=False, ending="stuck"), None),
        (FINISHED.replacing(finished=False, ending="deadline"), None),
        (FINISHED, "memory"),
    ],
    ids=["harness", "forged", "stuck", "deadline", "limit"],
)
def test_what_gave_no_verdict_is_run_again(store: Store, suite: SuiteResult, stopped_by: str | None) -> None:
    inner = Counting(suite, stopped_by)
    journal = JournalRunner(inner, store, "k" * 64)
    journal.run(ORDER)
    journal.run(ORDER)
    assert len(inner.labels) == 2


def test_a_torn_entry_counts_as_absent(store: Store) -> None:
    inner = Counting(FINISHED)
    journal = JournalRunner(inner, store, "k" * 64)
    journal.run(ORDER)
    [entry] = (store.cache / "journal").glob("*/*.json")
    entry.write_bytes(entry.read_bytes()[:40])
    assert journal.run(ORDER) == inner.record
    assert len(inner.labels) == 2


def test_a_finished_journal_leaves_nothing(store: Store) -> None:
    journal = JournalRunner(Counting(FINISHED), store, "k" * 64)
    journal.run(ORDER)
    journal.drop()
    assert list((store.cache / "journal").iterdir()) == []
    journal.drop()


def test_labels_say_whose_pass_it_is(store: Store) -> None:
    inner = Counting(FINISHED)
    LabelledRunner(JournalRunner(inner, store, "k" * 64), "candidates/one").run(ORDER)
    assert inner.labels == ["candidates/one/task-0"]
