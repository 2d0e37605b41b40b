"""Rust, through `cargo test` and the machine format of libtest.

The format is not stable yet: the test binaries, which the project's stable compiler has built, are started with
`RUSTC_BOOTSTRAP=1` and `-Z unstable-options --format json`; nothing of the project is compiled under it but doc
tests, whose compiler and harness are one program. Each binary is started by a runner of ours in cargo's place (its
environment and folder are cargo's), one test at a time. Ids are the file of the test's module, `::`, and its path in
it, as far as module files lie where the language looks for them; doc tests are named by item and number, not by line.

What is caught. A crate of ours holds one test that must pass and one that must fail, started by the same cargo with
the project's configuration. A binary that dies costs the test that was running. Contradicting results count as the
worst. A project that does not build is told with the compiler's first error. A runner that `.cargo/config.toml` names
is replaced.

What is not caught. A test shares its binary's standard output with the harness: it can print lines of that format
past the capture of its own. Targets with a harness of their own (`harness = false`) are one check each, by exit
status; doc tests that die are seen, ones that hang end the pass. Tests are not shuffled. Generated cases (rstest,
test_case) are functions of their own.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

from change2task.checks import raw
from change2task.checks.ending import how_it_ended
from change2task.checks.ids import to_model
from change2task.checks.passes import ScriptCall
from change2task.checks.plan import CheckRequest, Marks, ReaderFiles, assignments, harness_file, quote, words
from change2task.checks.readers.cargo_command import CargoCommand, parse
from change2task.checks.results import (
    CollectionError,
    Reading,
    SuiteResult,
    TestOutcome,
    TestResult,
    Timings,
    worse,
)
from change2task.checks.signatures import normalise

_BYTES = 64 << 20
_JSON = "-Z", "unstable-options", "--format", "json"
_ENDS: dict[str, TestOutcome] = {"ok": "passed", "failed": "failed", "ignored": "skipped"}
_DOC = re.compile(r"(?P<file>.+?) - (?P<item>.*?)\(line (?P<line>\d+)\)(?P<rest>.*)\Z", re.DOTALL)
_PANIC = re.compile(r"^thread '.*' (?:\(\d+\) )?panicked at (?:'(.*)', )?", re.MULTILINE)
_CANARY = "c2t_canary_"
_MANIFEST = """\
[package]
name = "c2tcanary"
version = "0.0.0"
edition = "2018"

[workspace]

[lib]
path = "canary.rs"
doctest = false
"""
_LOCK = 'version = 3\n\n[[package]]\nname = "c2tcanary"\nversion = "0.0.0"\n'


class CargoReader:
    """Format `cargo`."""

    format = "cargo"

    def plan(self, request: CheckRequest) -> ReaderFiles:
        """The command split into building, running and documents, our runner and our crate."""
        command = parse(request.command)
        check = (
            assignments({"nonce": request.nonce, "doc": "yes" if command.documents else ""})
            + _functions(command)
            + harness_file("cargo_test.sh")
        )
        head = f'{{"c2t":"{request.nonce}","e":'
        return ReaderFiles(
            files={
                "check.sh": check,
                "cargo_runner.sh": harness_file("cargo_runner.sh"),
                "canary/Cargo.toml": _MANIFEST,
                "canary/Cargo.lock": _LOCK,
                "canary/canary.rs": harness_file("rust/canary.rs"),
            },
            marks=Marks(running=f'{head}"running"', progress='"event": "started"',
                        finished=f'{head}"finished"', stuck=f'{head}"stuck"'),
        )  # fmt: skip

    def build(self, command: tuple[str, ...]) -> ScriptCall:
        """Every target is compiled: `cargo test` leaves out benches and examples of other packages."""
        parsed = parse(command)
        line = words((*parsed.program, "build", "--all-targets", *parsed.flags))
        return ScriptCall(
            id="cargo build", command=("sh", "build.sh"), files={"build.sh": f"{line} || exit 1\n"}, patient=True
        )

    def read(self, results: Path, nonce: str) -> Reading:
        """Every round's events as one result."""
        return _Events(results, nonce).whole()


def _functions(command: CargoCommand) -> str:
    test = words((*command.program, "test"))
    rest = words(("--", *command.rest))
    documents = words(("--doc", "--no-fail-fast", *command.flags, "--", *_JSON, *command.rest))
    chosen = words((*command.flags, *command.binaries))
    return (
        f'cargo_test() {{\n    {test} {chosen} "$@" {rest}\n}}\n'
        f"cargo_doc() {{\n    {test} {documents}\n}}\n"
        f'cargo_canary() {{\n    {test} {quote("--offline")} --lib --manifest-path "$1"\n}}\n'
    )


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
            message = message or f"The project does not build: {said}"
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


def _phase(outcome: TestOutcome) -> Any:
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
