"""The events of `go test -json`, over all rounds of a pass, as results of tests.

The state of each test is kept until all rounds are read, because a test's end may come from a later round than its
start. See go_test for what is trusted.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from change2task.checks import raw
from change2task.checks.ending import how_it_ended
from change2task.checks.ids import to_model
from change2task.checks.results import (
    WORST_FIRST,
    CollectionError,
    Reading,
    SuiteResult,
    TestOutcome,
    TestResult,
    Timings,
)
from change2task.checks.signatures import normalise

_OUTPUT_LINES = 60
_CANARY = "c2tcanary"
_CANARIES = {"TestC2TCanaryPass": "passed", "TestC2TCanaryFail": "failed"}
# Go runs nothing of a test before its own function.
_IN_CALL: frozenset[TestOutcome] = frozenset({"failed", "crashed", "hung"})
_ENDS: dict[str, TestOutcome] = {"pass": "passed", "fail": "failed", "skip": "skipped"}
_GLUED = re.compile(r"--- (PASS|FAIL|SKIP): (\S+) \(\d+\.\d+s\)\s*\Z")
_PLACE = re.compile(r"^\S+\.go:\d+(?::\d+)?:\s*")

Key = tuple[str, str]


class _Test:
    """One test of one package, over all rounds."""

    def __init__(self) -> None:
        self.ends: list[TestOutcome] = []
        self.glued: TestOutcome | None = None
        self.alone: int | None = None
        self.alone_over = False
        self.package_passed_alone = False
        self.lines: list[str] = []
        self.seconds = 0.0


class _Package:
    """One package, over all rounds."""

    def __init__(self) -> None:
        self.folder: str | None = None
        self.failed_build: str | None = None
        self.failed = False
        self.lines: list[str] = []
        self.complete = False
        self.closing = False
        self.listing: int | None = None
        self.unlisted = False


class _Events:
    def __init__(self, folder: Path, nonce: str) -> None:
        self.folder = folder
        self.nonce = nonce
        self.root = ""
        self.here = ""
        self.tests: dict[Key, _Test] = {}
        self.packages: dict[str, _Package] = {}
        self.builds: dict[str, list[str]] = {}
        self.listed: dict[Key, None] = {}
        self.alone: Key | None = None
        self.round = 0
        self.strange = 0
        self.finished = False

    def test(self, key: Key) -> _Test:
        return self.tests.setdefault(key, _Test())

    def package(self, name: str) -> _Package:
        return self.packages.setdefault(name, _Package())

    def take(self, event: dict[str, Any] | None) -> None:
        if event is not None and event.get("c2t") == self.nonce:
            self._ours({key: value for key, value in event.items() if isinstance(value, str)})
        elif event is not None and isinstance(event.get("Action"), str):
            self._go(event)
        else:
            self.strange += 1

    def _ours(self, event: dict[str, str]) -> None:
        kind, package = event.get("e"), event.get("package", "")
        if kind == "go":
            self.root = event.get("root", "")
            self.here = event.get("here", self.root)
        elif kind == "package":
            self.package(package).folder = event.get("dir") or None
        elif kind == "listing":
            self.package(package).listing = self.round
        elif kind == "listed":
            self.package(package).listing = None
            self.package(package).unlisted = event.get("code") != "0"
            self.listed.update({(package, name): None for name in event.get("tests", "").split()})
        elif kind == "alone":
            self.alone = (package, event.get("test", ""))
            self.test(self.alone).alone = self.round
        elif kind == "done" and self.alone is not None:
            self.test(self.alone).alone_over = True
            self.alone = None
        elif kind == "finished":
            self.finished = True

    def _go(self, event: dict[str, Any]) -> None:
        action, output = event["Action"], event.get("Output")
        text = output if isinstance(output, str) else ""
        if action == "build-output":
            self.builds.setdefault(str(event.get("ImportPath")), []).append(text)
            return
        name, test = event.get("Package"), event.get("Test")
        if not isinstance(name, str):
            self.strange += action != "build-fail"
            return
        package = self.package(name)
        # A process that exits with 0 in the middle of a test gets its package's own end reported as that test's.
        of_package = not isinstance(test, str) or not test or (package.closing and action != "output")
        package.closing = action == "output" and text.startswith((f"ok  \t{name}\t", f"FAIL\t{name}\t"))
        if of_package:
            self._package_event(package, action, text, event)
        else:
            self._test_event((name, str(test)), action, text, event.get("Elapsed"))

    def _test_event(self, key: Key, action: str, text: str, seconds: object) -> None:
        test = self.test(key)
        if action == "output":
            if len(test.lines) < _OUTPUT_LINES:
                test.lines.append(text)
            glued = _GLUED.search(text)
            if glued and (key[0], glued[2]) in self.tests and not text.lstrip().startswith("--- "):
                self.tests[key[0], glued[2]].glued = _ENDS[glued[1].lower()]
        elif action in _ENDS:
            test.ends.append(_ENDS[action])
            test.seconds += raw.seconds(seconds)

    def _package_event(self, package: _Package, action: str, text: str, event: dict[str, Any]) -> None:
        if action == "output":
            if len(package.lines) < _OUTPUT_LINES:
                package.lines.append(text)
            if text in ("PASS\n", "FAIL\n"):
                package.complete = True
            if text.endswith((" [build failed]\n", " [setup failed]\n")):
                package.failed_build = package.failed_build or ""
        elif action == "fail":
            package.failed = True
            if isinstance(event.get("FailedBuild"), str):
                package.failed_build = event["FailedBuild"]
        elif action == "pass" and package.complete and self.alone is not None:
            self.test(self.alone).package_passed_alone = True


def read_events(folder: Path, nonce: str) -> Reading:
    """What the rounds in this results folder say. Never raises for what tests left there."""
    events = _Events(folder, nonce)
    count = raw.rounds(folder)
    error = None
    for number in range(count):
        events.round = number
        events.alone = None
        events.finished = False
        try:
            data = raw.read(folder, f"events.{number}", raw.EVENT_BYTES) or b""
        except raw.Unreadable as problem:
            error = error or f"{problem}."
            continue
        for event in raw.json_lines(data):
            events.take(event)
    ending, message = how_it_ended(folder, finished=events.finished)
    canaries = _canaries(events)
    results = _results(events)
    return Reading(
        suite=SuiteResult(
            results=results,
            collected=tuple(dict.fromkeys(_id(events, key) for key in (*events.tests, *events.listed))),
            collection_errors=tuple(_collection_errors(events)),
            finished=events.finished,
            ending=ending,
            message=message,
            rounds=count,
            canaries=canaries,
            harness_error=error,
            notes=tuple(_notes(events, canaries)),
        ),
        timings=Timings(seconds={_id(events, key): test.seconds for key, test in events.tests.items() if test.ends}),
    )


def _folder(events: _Events, package: str) -> str:
    """The package's folder relative to the tree, its import path when go did not tell."""
    known = events.package(package).folder
    if known is None and package.startswith("."):
        known = posixpath.normpath(posixpath.join(events.here, package))
    if known is None:
        return package
    if known == events.root:
        return "."
    return known.removeprefix(events.root + "/")


def _id(events: _Events, key: Key) -> str:
    return to_model(f"{_folder(events, key[0])}::{key[1]}")


def _canaries(events: _Events) -> bool | None:
    """Takes the planted package out of the events and says whether it told the truth."""
    for name in [name for name in events.packages if name.rpartition("/")[2] == _CANARY]:
        del events.packages[name]
    told: dict[str, bool] = {}
    for key in [key for key in events.tests if key[0].rpartition("/")[2] == _CANARY]:
        test = events.tests.pop(key)
        expected = _CANARIES.get(key[1])
        named = expected != "failed" or any(events.nonce in line for line in test.lines)
        told[key[1]] = named and bool(test.ends) and all(end == expected for end in test.ends)
    if not told:
        return None
    return all(told.get(name, False) for name in _CANARIES)


def _results(events: _Events) -> dict[str, TestResult]:
    results: dict[str, TestResult] = {}
    for key in sorted(events.tests, key=lambda key: key[1].count("/")):
        outcome = _outcome(events, key, results)
        if outcome is None:
            continue
        identity = _id(events, key)
        results[identity] = TestResult(
            id=identity,
            outcome=outcome,
            phase="call" if outcome in _IN_CALL else None,
            signature=_signature(events, key, outcome),
        )
    return {
        identity: results[identity] for identity in (_id(events, key) for key in events.tests) if identity in results
    }


def _outcome(events: _Events, key: Key, known: dict[str, TestResult]) -> TestOutcome | None:
    test = events.tests[key]
    if test.ends:
        return min(test.ends, key=WORST_FIRST.index)
    if test.glued is not None:
        return test.glued
    parent = known.get(_id(events, (key[0], key[1].rpartition("/")[0]))) if "/" in key[1] else None
    if parent is not None:
        return "error" if parent.outcome == "failed" else parent.outcome
    if test.alone is None:
        return None
    if test.package_passed_alone:
        return "passed"
    hung = not test.alone_over and raw.marker(events.folder, f"round.{test.alone}.hung") is not None
    return "hung" if hung else "crashed"


def _signature(events: _Events, key: Key, outcome: TestOutcome) -> str | None:
    """The panic, else the first line the test logged, without the place it was logged from."""
    if outcome == "hung":
        return "did not end in its time"
    if outcome == "crashed":
        return "ended or left the test process"
    if outcome == "passed":
        return None
    lines = [line.strip() for line in events.tests[key].lines]
    for line in lines:
        if line.startswith(("panic: ", "fatal error: ", "Error:")):
            return normalise(line)
    for line in lines:
        text = _PLACE.sub("", line)
        if text and not text.startswith(("=== ", "--- ", "Error Trace:")):
            return normalise(text)
    return None


def _collection_errors(events: _Events) -> Iterator[CollectionError]:
    with_tests = {key[0] for key in events.tests}
    for name, package in events.packages.items():
        folder = to_model(_folder(events, name))
        if package.failed_build is not None:
            yield CollectionError(file=folder, signature=_build_error(events, package.failed_build))
        elif package.listing is not None:
            hung = raw.marker(events.folder, f"round.{package.listing}.hung") is not None
            said = "hung" if hung else "ended the process"
            yield CollectionError(file=folder, signature=f"{said} before its tests could be listed")
        elif package.unlisted and name in with_tests:
            yield CollectionError(file=folder, signature="ended in the middle, and the tests left could not be listed")
        elif package.failed and not package.complete and name not in with_tests:
            lines = [line.strip() for line in package.lines if line.strip() and not line.startswith("FAIL\t")]
            said = next((line for line in lines if line.startswith("panic: ")), lines[-1] if lines else "no output")
            yield CollectionError(file=folder, signature=normalise(f"ended before its tests: {said}"))


def _build_error(events: _Events, build: str) -> str:
    lines = [line.strip() for line in "".join(events.builds.get(build, [])).splitlines()]
    for line in lines:
        if line and not line.startswith("#"):
            return normalise(f"does not build: {_PLACE.sub('', line)}")
    return "does not build"


def _notes(events: _Events, canaries: bool | None) -> Iterator[str]:
    if events.strange:
        yield f"{events.strange} lines among the events are not go's."
    if canaries is None and events.tests:
        yield "The planted tests could not be built, so nothing is known of changed outcomes."
