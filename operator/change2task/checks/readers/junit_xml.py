"""JUnit XML in all its dialects: what each `testcase` says, read as a stream of hostile bytes.

No schema is common to those who write it, so only what all agree on is read: `testcase` with `name`, `classname`,
`file`, `time`, and `failure`, `error`, `skipped` and their kin inside. Document types are refused, and with them
every entity, external or growing; nothing is kept of output. What a terminal's colours leave in it, which XML cannot
hold, is replaced first: writers disagree on how to write it, and all of them do it wrong.
"""

from __future__ import annotations

import re
from xml.sax import SAXException
from xml.sax.handler import ContentHandler
from xml.sax.xmlreader import AttributesImpl

from defusedxml import DefusedXmlException
from defusedxml.sax import parseString

from change2task.checks import raw
from change2task.checks.readers.report import NotReadable, Report, Told, first_line
from change2task.checks.results import WORST_FIRST, TestOutcome
from change2task.checks.signatures import normalise

_CONTROLS = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f]")
_REFERENCES = re.compile(rb"&#(?:x([0-9a-fA-F]{1,8})|([0-9]{1,9}));")
_DEPTH = 200
_TESTS = 1_000_000
_TEXT = 2000
_ENDS: dict[str, TestOutcome] = {
    "failure": "failed",
    "error": "error",
    "rerunFailure": "failed",
    "rerunError": "error",
    # It passed when it was run again: not what a task can rest on.
    "flakyFailure": "failed",
    "flakyError": "error",
    "skipped": "skipped",
}
_STATES: dict[str, TestOutcome] = {"notrun": "skipped", "disabled": "skipped", "skipped": "skipped", "fail": "failed"}


def parse(data: bytes) -> Report:
    """All test cases of a document. NotReadable for anything that is not one whole XML document of test suites."""
    handler = _Handler()
    if not data.strip():
        raise NotReadable("is empty")
    try:
        parseString(_without_controls(data), handler, forbid_dtd=True)
    except DefusedXmlException as error:
        raise NotReadable(
            f"declares a document type or entities ({type(error).__name__}), which no runner does"
        ) from error
    except SAXException as error:
        raise NotReadable(f"is not well-formed: {normalise(str(error))}") from error
    except (ValueError, LookupError, RecursionError) as error:
        raise NotReadable(f"cannot be read: {normalise(str(error))}") from error
    if handler.fault is not None:
        raise NotReadable(handler.fault)
    return handler.report


def _without_controls(data: bytes) -> bytes:
    return (
        _REFERENCES.sub(_reference, _CONTROLS.sub(b"?", data)) if data[:2] not in (b"\xff\xfe", b"\xfe\xff") else data
    )


def _reference(found: re.Match[bytes]) -> bytes:
    code = int(found[1], 16) if found[1] else int(found[2])
    fits = code in (9, 10, 13) or 0x20 <= code < 0xD800 or 0xE000 <= code < 0xFFFE or 0x10000 <= code < 0x110000
    return found[0] if fits else b"?"


class _Handler(ContentHandler):
    """Keeps one test at a time, and of texts no more than a signature needs."""

    def __init__(self) -> None:
        super().__init__()
        self.report = Report()
        self.fault: str | None = None
        self.depth = 0
        self.root: str | None = None
        self.suites: list[dict[str, str]] = []
        self.case: dict[str, str] | None = None
        self.ends: list[tuple[TestOutcome, str, str]] = []
        self.reading: tuple[TestOutcome, dict[str, str]] | None = None
        self.text = ""

    def startElement(self, name: str, attrs: AttributesImpl) -> None:  # noqa: N802 - the library's name
        self.depth += 1
        if self.root is None:
            self.root = name
            if name not in ("testsuites", "testsuite"):
                raise ValueError(f"its outermost element is {name[:50]!r}, not testsuites or testsuite")
        if self.depth > _DEPTH:
            raise ValueError(f"its elements lie more than {_DEPTH} deep")
        held = {key: str(value) for key, value in attrs.items()}
        if name == "testsuite":
            self.suites.append(held)
        elif name == "testcase":
            if self.case is not None:
                raise ValueError("a testcase lies in a testcase")
            if len(self.report.tests) >= _TESTS:
                raise ValueError(f"it holds more than {_TESTS} tests")
            self.case, self.ends = held, []
        elif self.case is not None and name in _ENDS and self.reading is None:
            self.reading, self.text = (_ENDS[name], held), ""

    def characters(self, content: str) -> None:
        if self.reading is not None and len(self.text) < _TEXT:
            self.text += content[:_TEXT]

    def endElement(self, name: str) -> None:  # noqa: N802 - the library's name
        self.depth -= 1
        if name == "testsuite":
            self.suites.pop()
        elif name == "testcase" and self.case is not None:
            self.report.tests.append(self._told(self.case))
            self.case = None
        elif self.reading is not None and name in _ENDS and _ENDS[name] == self.reading[0]:
            outcome, held = self.reading
            # PHPUnit begins with the test's own name.
            said = self.text.removeprefix(f"{self.case.get('class')}::{self.case.get('name')}") if self.case else ""
            kind, message = held.get("type", ""), first_line(held.get("message"), said)
            if outcome == "skipped" and kind == "pytest.xfail":
                outcome = "xfailed"
            says_kind = not kind or kind.rpartition(".")[2] in message
            self.ends.append((outcome, message if says_kind else f"{kind}: {message}", kind))
            self.reading = None

    def _told(self, case: dict[str, str]) -> Told:
        ends = [*self.ends]
        for key in ("status", "result"):
            if (said := _STATES.get(case.get(key, ""))) is not None:
                ends.append((said, "", ""))
        ends.sort(key=lambda end: WORST_FIRST.index(end[0]))
        outcome, message, _ = ends[0] if ends else ("passed", "", "")
        message = message or next((end[1] for end in ends if end[1]), "")
        inner = self.suites[-1] if self.suites else {}
        return Told(
            name=case.get("name", ""),
            outcome=outcome,
            file=case.get("file") or inner.get("file", ""),
            owner=case.get("classname") or case.get("class") or "",
            signature=normalise(message) if message and outcome != "passed" else None,
            phase="call" if outcome == "failed" else None,
            seconds=_seconds(case.get("time")),
        )


def _seconds(text: str | None) -> float:
    try:
        return raw.seconds(float((text or "0").replace(",", "")))
    except ValueError:
        return 0.0
