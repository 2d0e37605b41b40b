"""The events of libtest's binaries, over all rounds of a pass, as results of tests.

Ids need what the sandbox told beside them: cargo's list of what it built, and the tree's module files. See cargo_test
for what is trusted.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

from change2task.checks import raw
from change2task.checks.ending import how_it_ended
from change2task.checks.ids import to_model
from change2task.checks.results import (
    CollectionError,
    Phase,
    Reading,
    SuiteResult,
    TestOutcome,
    TestResult,
    Timings,
    worse,
)
from change2task.checks.signatures import normalise

_BYTES = 64 << 20
_ENDS: dict[str, TestOutcome] = {"ok": "passed", "failed": "failed", "ignored": "skipped"}
_DOC = re.compile(r"(?P<file>.+?) - (?P<item>.*?)\(line (?P<line>\d+)\)(?P<rest>.*)\Z", re.DOTALL)
_PANIC = re.compile(r"^thread '.*' (?:\(\d+\) )?panicked at (?:'(.*)', )?", re.MULTILINE)
_CANARY = "c2t_canary_"


def read_events(folder: Path, nonce: str) -> Reading:
    """What the rounds in this results folder say. Never raises for what tests left there."""
    return _Events(folder, nonce).whole()


class _Events:
    """Joins the rounds of one pass."""

    def __init__(self, folder: Path, nonce: str) -> None:
        self.folder, self.nonce = folder, nonce
        self.root = ""
        self.faults: list[str] = []
        self.results: dict[str, TestResult] = {}
        self.seconds: dict[str, float] = {}
        self.duplicates: dict[str, None] = {}
        self.canary: dict[str, TestResult] = {}
        self.errors: dict[str, str] = {}
        self.exe: str | None = None
        self.open: dict[str, None] = {}
        self.finished = False
        self.code: object = None
        self.strange = 0
        self.documents: list[tuple[re.Match[str], TestResult, float]] = []
        self.documented: object = "0"

    def whole(self) -> Reading:
        self.files = frozenset(
            line.removeprefix("./") for line in self._file("tree").decode("utf-8", "replace").split("\n")
        )
        self.artifacts = [one for one in raw.json_lines(self._file("artifacts")) if one is not None]
        count = raw.rounds(self.folder)
        for number in range(count):
            self.exe, self.open, self.finished = None, {}, False
            for event in raw.json_lines(self._file(f"events.{number}")):
                self._take(event)
            self._close(f"round.{number}")
        self._number_documents()
        ending, message = how_it_ended(self.folder, finished=self.finished)
        if not self.results and (said := self._build_error()):
            self.errors.setdefault("Cargo.toml", said)
            message = message or f"The project told of no test: {said}"
        elif self.finished and self.documented != "0" and not any(found for found in self.documents):
            self.errors.setdefault("Cargo.toml", "its doc tests could not be built or listed")
        return Reading(
            suite=SuiteResult(
                results=self.results,
                collected=tuple(self.results),
                duplicates=tuple(self.duplicates),
                collection_errors=tuple(
                    CollectionError(file=file, signature=said) for file, said in self.errors.items()
                ),
                finished=self.finished,
                ending=ending,
                message=message,
                rounds=count,
                canaries=self._canaries(),
                harness_error=self.faults[0] if self.faults else None,
                notes=(f"{self.strange} lines among the events are not libtest's.",) if self.strange else (),
            ),
            timings=Timings(seconds=self.seconds),
        )

    def _file(self, name: str) -> bytes:
        try:
            return raw.read(self.folder, name, _BYTES + 1) or b""
        except raw.Unreadable as problem:
            self.faults.append(f"{problem}.")
            return b""

    def _take(self, event: dict[str, Any] | None) -> None:
        if event is not None and event.get("c2t") == self.nonce:
            self._ours({key: value for key, value in event.items() if isinstance(value, str)})
        elif event is not None and event.get("type") == "test" and isinstance(event.get("name"), str):
            self._test(event)
        elif event is None or event.get("type") not in ("suite", "report"):
            self.strange += 1

    def _ours(self, event: dict[str, str]) -> None:
        kind = event.get("e")
        if kind == "started":
            self.root = event.get("root", "").rstrip("/") + "/"
        elif kind == "binary":
            self.exe = event.get("exe")
        elif kind == "left":
            self._lost("crashed", "ended or left the test process")
        elif kind == "foreign":
            outcome: TestOutcome = "passed" if event.get("code") == "0" else "failed"
            said = None if outcome == "passed" else f"ended with exit code {event.get('code')}"
            place = self._target(event.get("exe", ""))
            self._settle(f"{place}::(harness)", outcome, said, 0.0)
        elif kind == "documented":
            self.documented = event.get("code")
        elif kind == "finished":
            self.finished = True

    def _test(self, event: dict[str, Any]) -> None:
        name, kind = event["name"], event.get("event")
        if kind == "started":
            self.open[name] = None
        elif kind in _ENDS:
            self.open.pop(name, None)
            outcome = _ENDS[kind]
            said = _signature(event) if outcome != "passed" else None
            self._end(name, outcome, said, raw.seconds(event.get("exec_time")))
        elif kind != "timeout":
            self.strange += 1

    def _end(self, name: str, outcome: TestOutcome, said: str | None, seconds: float) -> None:
        if self.exe == "doc" and (found := _DOC.match(name)):
            self.documents.append(
                (found, TestResult(id=name, outcome=outcome, phase=_phase(outcome), signature=said), seconds)
            )
        elif name.startswith(_CANARY):
            result = TestResult(id=name, outcome=outcome, signature=said)
            self.canary[name] = worse(self.canary.get(name, result), result)
        else:
            self._settle(self._identity(name), outcome, said, seconds)

    def _lost(self, outcome: TestOutcome, said: str) -> None:
        for name in self.open:
            self._end(name, outcome, said, 0.0)
        self.open = {}

    def _close(self, name: str) -> None:
        if raw.marker(self.folder, f"{name}.deadline") is not None or raw.exit_code(self.folder, name) is None:
            return
        if raw.marker(self.folder, f"{name}.hung") is not None:
            self._lost("hung", "did not end in its time")
        else:
            self._lost("crashed", "ended or left the test process")

    def _settle(self, identity: str, outcome: TestOutcome, said: str | None, seconds: float) -> None:
        wire = to_model(identity)
        result = TestResult(id=wire, outcome=outcome, phase=_phase(outcome), signature=said)
        known = self.results.get(wire)
        if known is not None:
            self.duplicates[wire] = None
        self.results[wire] = result if known is None else worse(known, result)
        self.seconds[wire] = self.seconds.get(wire, 0.0) + seconds

    def _number_documents(self) -> None:
        """Examples of one item are told apart by their order, which a line more or less above does not change."""
        items: dict[str, list[tuple[int, TestResult, float]]] = {}
        for found, result, seconds in self.documents:
            item = found["item"].strip() or "(module)"
            items.setdefault(f"{found['file']}::{item}", []).append((int(found["line"][:9]), result, seconds))
        for item, told in items.items():
            lines = sorted({line for line, _, _ in told})
            for line, result, seconds in told:
                self._settle(f"{item} (doc {lines.index(line) + 1})", result.outcome, result.signature, seconds)

    def _target(self, exe: str) -> str:
        for one in self.artifacts:
            target = one.get("target")
            if one.get("executable") == exe and isinstance(target, dict) and isinstance(target.get("src_path"), str):
                path: str = target["src_path"]
                return path.removeprefix(self.root)
        return posixpath.basename(exe).rpartition("-")[0] or "?"

    def _identity(self, name: str) -> str:
        """The module's file as far as there is one, and the rest of the path in it."""
        file = self._target(self.exe or "")
        folder = posixpath.dirname(file)
        parts = name.split("::")
        while len(parts) > 1:
            inner = posixpath.join(folder, parts[0])
            found = next((path for path in (f"{inner}.rs", f"{inner}/mod.rs") if path in self.files), None)
            if found is None:
                break
            file, folder = found, inner
            del parts[0]
        return f"{file}::{'::'.join(parts)}"

    def _build_error(self) -> str | None:
        for one in self.artifacts:
            message = one.get("message")
            if (
                one.get("reason") == "compiler-message"
                and isinstance(message, dict)
                and message.get("level") == "error"
            ):
                return normalise(f"does not build: {message.get('message')}")
        words_ = raw.last_words(self.folder, "round.0")
        return normalise(words_) if words_ and not self.artifacts else None

    def _canaries(self) -> bool | None:
        good, bad = self.canary.get(f"{_CANARY}pass"), self.canary.get(f"{_CANARY}fail")
        if good is None and bad is None:
            return None
        if good is None or bad is None or good.outcome != "passed" or bad.outcome != "failed":
            return False
        return self.nonce in (bad.signature or "")


def _phase(outcome: TestOutcome) -> Phase | None:
    return "call" if outcome in ("failed", "crashed", "hung") else None


def _signature(event: dict[str, Any]) -> str | None:
    """The panic's message: the line after the one that says where."""
    told = event.get("stdout") or event.get("message")
    if not isinstance(told, str):
        return None
    found = _PANIC.search(told)
    if found is None:
        lines = [line for line in told.splitlines() if line.strip()]
        return normalise(lines[0]) if lines else None
    if found[1]:
        return normalise(found[1])
    after = told[found.end() :].partition("\n")[2].splitlines()
    return normalise(after[0]) if after else None
