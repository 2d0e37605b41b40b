"""What a suite did, test by test, as every reader tells it.

The one shape between runners and judges: no runner's word for an outcome, no log line, no clock goes beyond it.
What an outcome means for a task is decided elsewhere; here only `passed` is healthy and absence is not an outcome.
"""

from __future__ import annotations

from typing import Literal

from change2task.api.model import Model

TestOutcome = Literal["passed", "failed", "error", "skipped", "xfailed", "xpassed", "crashed", "hung"]
Phase = Literal["setup", "call", "teardown", "collect"]
Ending = Literal["finished", "rebuildFailed", "stuck", "rounds", "deadline", "flood", "interrupted"]

WORST_FIRST: tuple[TestOutcome, ...] = (
    "crashed",
    "hung",
    "error",
    "failed",
    "xpassed",
    "skipped",
    "xfailed",
    "passed",
)


class TestResult(Model):
    """One test's outcome; `signature` is the exception's type and first line, at most 300 bytes of UTF-8.

    `phase` of a test that crashed or hung is `call` once its own code had begun, and unknown before.
    """

    __test__ = False

    id: str
    outcome: TestOutcome
    phase: Phase | None = None
    signature: str | None = None


class CollectionError(Model):
    """A file (or package) whose tests could not even be listed, with the reason as a signature."""

    file: str
    signature: str


class SuiteResult(Model):
    """A whole pass, free of times so that equal behaviour gives equal bytes.

    `results` holds every test that started, `collected` every id that was listed, also those not selected.
    `finished` is False when the runner never came to its end: then absence means nothing. `canaries`: True both
    planted tests had their known outcome, False somebody changes outcomes, None they could not be planted or run.
    `harness_error` is a sentence when no word in here can be trusted. `message` says why a pass did not finish.
    `notes` are oddities that do not change a result: lines ignored, gaps, forged events.
    """

    results: dict[str, TestResult] = {}
    collected: tuple[str, ...] = ()
    duplicates: tuple[str, ...] = ()
    collection_errors: tuple[CollectionError, ...] = ()
    skipped_files: tuple[str, ...] = ()
    finished: bool
    ending: Ending
    message: str | None = None
    rounds: int = 0
    canaries: bool | None = None
    harness_error: str | None = None
    notes: tuple[str, ...] = ()


class Timings(Model):
    """Seconds a test, beside the result because they are never the same twice."""

    seconds: dict[str, float] = {}


class Reading(Model):
    """All a reader takes from a results folder."""

    suite: SuiteResult
    timings: Timings = Timings()


def worse(one: TestResult, other: TestResult) -> TestResult:
    """The worse of two results of one id; the first when they are equally bad."""
    return min(one, other, key=lambda result: WORST_FIRST.index(result.outcome))
