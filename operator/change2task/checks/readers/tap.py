"""The Test Anything Protocol, versions 12 to 14: result lines, directives, plans, sub-tests, bailing out.

Sub-tests lie four blanks deeper, before the line that ends them (13 by convention, 14 by its specification). A test's
id is its description, those of its parents before it; a test without one is called by its number. A sub-test's parent
is a result too. Lines that are no TAP are somebody's output and nothing is concluded from them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from change2task.checks.readers.report import NotReadable, Report, Told
from change2task.checks.results import TestOutcome
from change2task.checks.signatures import normalise

_RESULT = re.compile(r"(not )?ok\b(?: +(\d{1,9}))?(.*)\Z", re.DOTALL)
_PLAN = re.compile(r"1\.\.(\d{1,9})(?:\s*#\s*(.*))?\Z")
_DIRECTIVE = re.compile(r"(?<!\\)#\s*(skip\w*|todo)\b:?\s*(.*)\Z", re.IGNORECASE)
_ESCAPE = re.compile(r"\\([\\#])")
_VERSION = re.compile(r"TAP version (\d{1,3})\Z")
_INDENT = 4
_LINE = 10_000
_TESTS = 1_000_000
_DEPTH = 50


@dataclass(slots=True)
class _Level:
    """One run of tests: the document, or a sub-test's."""

    planned: int | None = None
    count: int = 0
    tests: list[Told] = field(default_factory=list)


def parse(data: bytes) -> Report:
    """All tests of a stream. NotReadable where it has no line of TAP; `wanting` where it does not come to its end."""
    return _Parser().read(data)


class _Parser:
    def __init__(self) -> None:
        self.report = Report()
        self.levels = [_Level()]
        self.bailed: str | None = None
        self.yaml: int | None = None
        self.total = 0
        self.seen = False

    def read(self, data: bytes) -> Report:
        for line in data.decode("utf-8", "surrogateescape").split("\n"):
            if self.bailed is None:
                self._line(line.rstrip("\r")[:_LINE])
        if not self.seen:
            raise NotReadable("holds no line of TAP")
        while len(self.levels) > 1:
            lost = self.levels.pop()
            self.levels[-1].tests += lost.tests
            self.report.wanting = "a sub-test has no end"
        whole = self.levels[0]
        self.report.tests = whole.tests
        if self.bailed is not None:
            self.report.wanting = f"the runner bailed out: {normalise(self.bailed) or 'no reason given'}"
        elif whole.planned is None:
            self.report.wanting = "it has no plan (1..N), so nobody knows whether it came to its end"
        elif whole.planned != whole.count:
            self.report.wanting = f"{whole.planned} tests were planned and {whole.count} told of"
        return self.report

    def _line(self, line: str) -> None:
        bare = line.lstrip(" ")
        blanks = len(line) - len(bare)
        if self.yaml is not None:
            if bare == "..." and blanks == self.yaml:
                self.yaml = None
            return
        if bare == "---" and self.seen and blanks % _INDENT == 2:
            self.yaml = blanks
            return
        depth, odd = divmod(blanks, _INDENT)
        if odd or depth > _DEPTH:
            return
        if bare.startswith("Bail out!"):
            self.bailed, self.seen = bare.removeprefix("Bail out!"), True
        elif _VERSION.match(bare):
            self.seen = True
        elif found := _PLAN.match(bare):
            self._level(depth)
            self.levels[depth].planned = int(found[1])
            self.seen = True
        elif found := _RESULT.match(bare):
            self._result(depth, found)

    def _level(self, depth: int) -> None:
        while len(self.levels) <= depth:
            self.levels.append(_Level())

    def _result(self, depth: int, found: re.Match[str]) -> None:
        rest = found[3]
        if rest and not rest.startswith((" ", "#")):
            return
        self.seen = True
        self.total += 1
        if self.total > _TESTS:
            raise NotReadable(f"holds more than {_TESTS} tests")
        while len(self.levels) > depth + 2:
            lost = self.levels.pop()
            self.levels[-1].tests += lost.tests
            self.report.wanting = "a sub-test has no end"
        self._level(depth)
        level = self.levels[depth]
        level.count += 1
        directive = _DIRECTIVE.search(rest)
        described = rest[: directive.start()] if directive else rest
        described = _ESCAPE.sub(r"\1", described.strip().removeprefix("- ").removesuffix(" {").strip())
        name = described or f"test {found[2] or level.count}"
        outcome = _outcome(failed=bool(found[1]), directive=directive[1].lower() if directive else "")
        inner = self.levels.pop() if len(self.levels) > depth + 1 else None
        if inner is not None:
            if outcome == "passed" and inner.planned is not None and inner.planned != inner.count:
                outcome = "error"
            level.tests += [_below(name, test) for test in inner.tests]
        said = directive[2] if directive else ""
        level.tests.append(
            Told(
                name=name,
                outcome=outcome,
                signature=normalise(said) if said and outcome != "passed" else None,
                phase="call" if outcome == "failed" else None,
            )
        )


def _below(name: str, test: Told) -> Told:
    return Told(name=f"{name} > {test.name}", outcome=test.outcome, signature=test.signature, phase=test.phase)


def _outcome(*, failed: bool, directive: str) -> TestOutcome:
    if directive.startswith("skip"):
        return "skipped"
    if directive == "todo":
        return "xfailed" if failed else "xpassed"
    return "failed" if failed else "passed"
