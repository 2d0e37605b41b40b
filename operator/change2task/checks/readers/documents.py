"""Runners that write a report when they are done: JUnit XML, TAP, CTRF, whichever runner it is.

The command runs once. Reports that were there before are removed first; those it writes are copied out of the tree
once it has ended, and read outside. `spec.checks.reports` says where they are; a command that names `{reports}` gets
an empty folder outside the tree in its place, which is the better way: the tree holds no such file, and nobody
guesses its name.

What is caught. A report that is cut, no document of its format, or holds a document type; a list shorter than its
plan or its summary; a command that fails although no report tells of a failure (a runner that died, a build that
broke after the first reports, a coverage limit); no report at all; ids that stand for more than one test. None of
these is a pass: there is no verdict, or the id is no check. What no report tells of is missing, which is a failure.

What is not caught. Nothing is planted in a project's own suite, so that whoever changes outcomes inside the runner is
not seen (`canaries` is None). Tests run as the same user as the runner and can write reports of their own where the
runner writes its; a test can add ids that way, and a crashed one can leave a forged report behind, but none can take
a failure out of a report that the runner writes last. One hanging test costs the whole pass: the runner tells nothing
before its end, so its own limits (ctest --timeout, surefire's forkedProcessTimeoutInSeconds) are the ones to set.
Nothing is selected or reordered: all of the command's tests run whenever some are asked for.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from change2task.checks import raw
from change2task.checks.ending import how_it_ended
from change2task.checks.plan import CheckRequest, Marks, ReaderFiles, assignments, harness_file, quote
from change2task.checks.readers import ctrf, junit_xml, tap
from change2task.checks.readers.report import NotReadable, Report
from change2task.checks.readers.report_ids import Places
from change2task.checks.results import Reading, SuiteResult, TestResult, Timings, worse

FOLDER = "{reports}"
SPOKEN = "-"
_JVM = (
    "**/target/surefire-reports/TEST-*.xml",
    "**/target/failsafe-reports/TEST-*.xml",
    "**/build/test-results/**/TEST-*.xml",
)
_ALL_BYTES = 512 << 20
_TREE_BYTES = 64 << 20


@dataclass(frozen=True)
class DocumentReader:
    """A format of reports; `places` are where its runners write them when nothing is said."""

    format: str
    parse: Callable[[bytes], Report]
    places: tuple[str, ...] = ()
    speaks: bool = False

    def plan(self, request: CheckRequest) -> ReaderFiles:
        """The command, and what of the files there are its reports."""
        inside = any(FOLDER in word for word in request.command)
        globs = request.reports or (("**",) if inside else self.places)
        spoken = SPOKEN in globs
        if not globs:
            raise ValueError(
                f"nobody says where its reports are: name the folder {FOLDER} in checks.command, or files in"
                " checks.reports"
            )
        if spoken and (not self.speaks or len(globs) > 1 or inside):
            raise ValueError(
                "checks.reports: - is what the command prints; it stands alone, without {reports} in the command, and"
                " only format tap is read from it"
            )
        pattern = "|".join(_pattern(glob) for glob in globs)
        check = (
            assignments(
                {
                    "nonce": request.nonce,
                    "inside": "yes" if inside or spoken else "",
                    "spoken": "yes" if spoken else "",
                    "pattern": rf"^\./({pattern})$",
                }
            )
            + f"check() {{\n    {' '.join(_word(word) for word in request.command)}\n}}\n\n"
            + harness_file("reports.sh")
        )
        head = f'{{"c2t":"{request.nonce}","e":'
        return ReaderFiles(
            files={"check.sh": check},
            marks=Marks(running=f'{head}"running"', progress=f'{head}"progress"',
                        finished=f'{head}"finished"', stuck=f'{head}"stuck"'),
            silent=True,
        )  # fmt: skip

    def build(self, command: tuple[str, ...]) -> None:
        """How a project of any kind is built is not known."""

    def read(self, results: Path, nonce: str) -> Reading:
        """Every report's tests as one result."""
        return _Documents(results, nonce, self).whole()


JUNIT = DocumentReader("junit", junit_xml.parse, _JVM)
TAP = DocumentReader("tap", tap.parse, speaks=True)
CTRF = DocumentReader("ctrf", ctrf.parse)


def _word(word: str) -> str:
    return '"$reports"'.join(quote(part) if part else "" for part in word.split(FOLDER)) or "''"


def _pattern(glob: str) -> str:
    """An extended regular expression for the paths of a glob: `**` crosses folders, `*` and `?` do not."""
    glob = glob.removeprefix("./").lstrip("/")
    pieces = re.split(r"(\*\*/|\*\*|\*|\?)", glob + "**" if glob.endswith("/") else glob)
    known = {"**/": "(.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    return "".join(known.get(piece) or re.sub(r"([.\[\]{}()+^$|\\])", r"\\\1", piece) for piece in pieces)


class _Documents:
    """One pass."""

    def __init__(self, folder: Path, nonce: str, reader: DocumentReader) -> None:
        self.folder, self.nonce, self.reader = folder, nonce, reader
        self.results: dict[str, TestResult] = {}
        self.seconds: dict[str, float] = {}
        self.duplicates: dict[str, None] = {}
        self.notes: list[str] = []
        self.faults: list[str] = []
        self.wanting: list[str] = []

    def whole(self) -> Reading:
        try:
            data = raw.read(self.folder, "events.0", raw.EVENT_BYTES) or b""
        except raw.Unreadable as problem:
            data = b""
            self.faults.append(f"{problem}.")
        events = [event for event in raw.json_lines(data) if event is not None and event.get("c2t") == self.nonce]
        told = [event for event in events if event.get("e") == "report"]
        ended = next((event for event in events if event.get("e") == "ended"), None)
        finished = ended is not None and any(event.get("e") == "finished" for event in events)
        self._read(told, Places(_root(events), self._tree()))
        if finished and ended is not None:
            self._weigh(ended, len(told))
        ending, message = how_it_ended(self.folder, finished=finished)
        if finished and not (self.results or self.wanting or self.faults):
            finished, ending, message = False, "stuck", f"The reports hold no test{self._words()}"
        elif ending == "stuck" and ended is not None:
            message = f"The check command ended with exit code {ended.get('code')} and left no report{self._words()}"
        if self.wanting:
            message = " ".join((message or "", *self.wanting)).strip()
        return Reading(
            suite=SuiteResult(
                results=self.results,
                collected=tuple(self.results),
                duplicates=tuple(self.duplicates),
                finished=finished and not self.wanting,
                ending="interrupted" if finished and self.wanting else ending,
                message=message,
                rounds=raw.rounds(self.folder),
                harness_error=self.faults[0] if self.faults else None,
                notes=tuple(self.notes[:20]),
            ),
            timings=Timings(seconds=self.seconds),
        )

    def _tree(self) -> list[str]:
        try:
            return (raw.read(self.folder, "tree", _TREE_BYTES) or b"").decode("utf-8", "surrogateescape").split("\n")
        except raw.Unreadable as problem:
            self.faults.append(f"{problem}.")
            return []

    def _read(self, told: list[dict[str, Any]], places: Places) -> None:
        left = _ALL_BYTES
        for event in told:
            path, number = event.get("path"), event.get("number")
            if not isinstance(path, str) or not isinstance(number, str) or not number.isdecimal():
                self.faults.append("A report is told of without a name: somebody beside the harness wrote its events.")
                continue
            try:
                data = raw.read(self.folder, f"report.{number}", min(left, raw.EVENT_BYTES))
            except raw.Unreadable as problem:
                self.faults.append(f"Report {path[:200]!r}: {problem}.")
                continue
            left -= len(data or b"")
            try:
                self._add(self.reader.parse(data or b""), path, places)
            except NotReadable as problem:
                self.faults.append(f"Report {path[:200]!r} {problem}.")

    def _add(self, report: Report, path: str, places: Places) -> None:
        if report.wanting is not None:
            self.wanting.append(f"Report {path[:200]!r} is not whole: {report.wanting}.")
        self.notes += report.notes
        for test in report.tests:
            identity = places.identity(test, path)
            result = TestResult(id=identity, outcome=test.outcome, phase=test.phase, signature=test.signature)
            known = self.results.get(identity)
            if known is not None:
                self.duplicates[identity] = None
            self.results[identity] = result if known is None else worse(known, result)
            self.seconds[identity] = self.seconds.get(identity, 0.0) + test.seconds

    def _weigh(self, ended: dict[str, Any], told: int) -> None:
        """What the command's end says of its reports."""
        if ended.get("reports") != str(told):
            self.faults.append(
                "The events do not name every report that was there: somebody beside the harness wrote them."
            )
        healthy = all(result.outcome in ("passed", "skipped", "xfailed") for result in self.results.values())
        if ended.get("code") in ("126", "127") and not self.results:
            self.faults.insert(0, f"The check command could not be started{self._words()}")
        if ended.get("code") != "0" and self.results and healthy and not self.wanting:
            self.faults.append(
                f"The check command ended with exit code {ended.get('code')}, and its reports tell of no failure:"
                f" something failed that they do not name{self._words()}"
            )

    def _words(self) -> str:
        words = raw.last_words(self.folder, "round.0")
        return f'; its last words: "{words}".' if words else "."


def _root(events: list[dict[str, Any]]) -> str:
    root = next((event.get("root") for event in events if event.get("e") == "started"), None)
    return root if isinstance(root, str) and root.startswith("/") else "/"
