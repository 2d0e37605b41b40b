"""CTRF, the common test report format: one JSON document a run, by a reporter of the runner.

Read by the fields its schema demands; counts in its summary are held against what it lists, so that a list that was
cut or filled up by another hand is not taken for the whole.
"""

from __future__ import annotations

import json
import posixpath
from typing import Any

from change2task.checks import raw
from change2task.checks.readers.report import NotReadable, Report, Told, first_line
from change2task.checks.results import TestOutcome
from change2task.checks.signatures import normalise

_TESTS = 1_000_000
_ENDS: dict[str, TestOutcome] = {
    "passed": "passed",
    "failed": "failed",
    "skipped": "skipped",
    "pending": "skipped",
    "other": "error",
}


def parse(data: bytes) -> Report:
    """All tests of a document. NotReadable for anything that is not one whole CTRF document."""
    try:
        document = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise NotReadable(f"is not JSON: {normalise(str(error))}") from error
    results = document.get("results") if isinstance(document, dict) else None
    tests = results.get("tests") if isinstance(results, dict) else None
    if not isinstance(results, dict) or not isinstance(tests, list) or len(tests) > _TESTS:
        raise NotReadable("holds no list results.tests")
    report = Report(tests=[_told(test) for test in tests])
    summary = results.get("summary")
    said = summary.get("tests") if isinstance(summary, dict) else None
    if said != len(tests):
        report.wanting = f"its summary counts {str(said)[:20]} tests and it lists {len(tests)}"
    return report


def _told(test: Any) -> Told:
    name = test.get("name") if isinstance(test, dict) else None
    if not isinstance(name, str):
        raise NotReadable("lists a test without a name")
    outcome = _ENDS.get(str(test.get("status")))
    if outcome is None:
        raise NotReadable(f"gives a test the status {str(test.get('status'))[:30]!r}")
    if outcome == "passed" and test.get("flaky") is True:
        # It passed when it was run again: not what a task can rest on.
        outcome = "failed"
    file = test["filePath"] if isinstance(test.get("filePath"), str) else ""
    titles = _titles(test.get("suite"), file)
    # Some reporters put the titles into the name too.
    name = name.removeprefix(" ".join(titles) + " ") if titles else name
    message = first_line(*(text for text in (test.get("message"), test.get("trace")) if isinstance(text, str)))
    return Told(
        name=" > ".join([*titles, name]),
        outcome=outcome,
        file=file,
        signature=normalise(message) if message and outcome != "passed" else None,
        phase="call" if outcome == "failed" else None,
        seconds=raw.seconds(test.get("duration")) / 1000,
    )


def _titles(suite: Any, file: str) -> list[str]:
    """The titles around a test: a list, or one text whose parts ` > ` joins; the file's name is none of them."""
    parts = suite.split(" > ") if isinstance(suite, str) else suite if isinstance(suite, list) else []
    titles = [part for part in parts if isinstance(part, str) and part]
    return titles[1:] if titles and file and posixpath.basename(titles[0]) == posixpath.basename(file) else titles
