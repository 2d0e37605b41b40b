"""The events of our own reporters, over all rounds of a pass, as results of tests.

One vocabulary for every runner that lets a program of ours look on (unittest, the Node runners): `begin` and `end` of
tests, many of which may be open at once, `fault` for a file whose tests could not be listed, and what the runner
itself did. Each writer counts its events; a count that is no sequence means that somebody else wrote, cut or removed
some.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, get_args

from change2task.checks import raw
from change2task.checks.ending import how_it_ended
from change2task.checks.ids import to_model
from change2task.checks.plan import CheckRequest, Marks
from change2task.checks.readers import fields
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

_OUTCOMES = frozenset({"passed", "failed", "error", "skipped", "xfailed", "xpassed"})
_PHASES = frozenset(get_args(Phase))


def marks(request: CheckRequest) -> Marks:
    """What run.sh looks for; whether another round may help, the witness inside says at its start."""
    head = f'{{"c2t":"{request.nonce}","e":'
    return Marks(running=f'{head}"testing"', progress=f'{head}"running"', finished=f'{head}"finished"',
                 stuck=f'{head}"stuck"')  # fmt: skip


def read_events(folder: Path, nonce: str) -> Reading:
    """What the rounds in this results folder say. Never raises for what tests left there."""
    return _Events(folder, nonce).whole()


class _Events:
    """Joins the rounds of one pass."""

    def __init__(self, folder: Path, nonce: str) -> None:
        self.folder, self.nonce = folder, nonce
        self.results: dict[str, TestResult] = {}
        self.seconds: dict[str, float] = {}
        self.collected: dict[str, None] = {}
        self.duplicates: dict[str, None] = {}
        self.errors: dict[str, str] = {}
        self.notes: list[str] = []
        self.error: str | None = None
        self.canary: dict[str, TestResult] = {}
        self.finished = False
        self.aborted: str | None = None
        self.gave_up: str | None = None
        self.open: dict[str, int] = {}
        self.files: dict[str, None] = {}
        self.code: object = None

    def whole(self) -> Reading:
        count = raw.rounds(self.folder)
        for number in range(count):
            self.finished, self.aborted, self.open, self.files = False, None, {}, {}
            try:
                data = raw.read(self.folder, f"events.{number}", raw.EVENT_BYTES)
            except raw.Unreadable as problem:
                self.error = self.error or f"{problem}."
                continue
            self._round(number, data or b"")
        ending, message = how_it_ended(self.folder, finished=self.finished)
        if not self.finished and self.aborted is not None:
            message = f"The runner gave up before its end: {self.aborted}"
        elif ending == "stuck" and self.gave_up is not None:
            message = self.gave_up
        canaries = self._canaries()
        return Reading(
            suite=SuiteResult(
                results=self.results,
                collected=tuple(dict.fromkeys((*self.collected, *self.results))),
                duplicates=tuple(self.duplicates),
                collection_errors=tuple(
                    CollectionError(file=file, signature=said) for file, said in self.errors.items()
                ),
                finished=self.finished,
                ending=ending,
                message=message,
                rounds=count,
                canaries=canaries,
                harness_error=self.error,
                notes=tuple(self.notes[:20]),
            ),
            timings=Timings(seconds=self.seconds),
        )

    def _round(self, number: int, data: bytes) -> None:
        counts: dict[str, int] = {}
        strange = 0
        self.code = None
        for event in raw.json_lines(data):
            if event is None or event.get("c2t") != self.nonce:
                strange += 1
                continue
            writer, place = str(event.get("w"))[:20], event.get("n")
            if place != counts.get(writer, 0):
                self.error = self.error or (
                    f"The events of round {number} are not one sequence (number {str(place)[:20]!a} of {writer!a} where"
                    f" {counts.get(writer, 0)} should be): somebody beside the reporter wrote, cut or removed them."
                )
            counts[writer] = counts.get(writer, 0) + 1
            try:
                self._event(event)
            except fields.Malformed:
                strange += 1
        if strange:
            self.notes.append(f"Round {number}: {strange} lines among the events are not ours.")
        if self.code is not None and counts.get("r", 0) == 0:
            words = raw.last_words(self.folder, f"round.{number}")
            said = f'; its last words: "{words}".' if words else "."
            self.gave_up = f"The runner ended with exit code {str(self.code)[:20]} before it told of any test{said}"
        self._close(f"round.{number}")

    def _event(self, event: dict[str, Any]) -> None:  # noqa: PLR0912 - one branch a word
        kind = event.get("e")
        if kind == "begin":
            identity = fields.text(event, "id")
            self.open[identity] = self.open.get(identity, 0) + 1
        elif kind == "end":
            self._end(event)
        elif kind == "ids":
            self.collected.update(dict.fromkeys(fields.ids(event)))
        elif kind == "duplicates":
            self.duplicates.update(dict.fromkeys(fields.ids(event)))
        elif kind == "file":
            self.files[fields.text(event, "file")] = None
        elif kind == "filed":
            self.files.pop(fields.text(event, "file"), None)
        elif kind == "fault":
            self.files.pop(fields.text(event, "file"), None)
            self.errors.setdefault(to_model(fields.text(event, "file")), normalise(fields.text(event, "sig")))
        elif kind == "finished":
            self.finished = True
        elif kind == "aborted":
            self.aborted = normalise(fields.text(event, "sig"))
        elif kind == "ended":
            self.code = event.get("code")
        elif kind == "unbegun":
            self._shut(fields.text(event, "id"))
        elif kind == "lost":
            self._lost(event)
        elif kind not in ("started", "running", "testing", "stuck", "over"):
            raise fields.Malformed

    def _shut(self, identity: str) -> None:
        if self.open.get(identity, 0) > 1:
            self.open[identity] -= 1
        else:
            self.open.pop(identity, None)

    def _lost(self, event: dict[str, Any]) -> None:
        """A file whose process is gone: what was open in it has crashed."""
        file = fields.text(event, "file")
        self.files.pop(file, None)
        for identity in [name for name in self.open if name.startswith(f"{file}::")]:
            del self.open[identity]
            self._settle(identity, "crashed", "call", "ended or left the test process", 0.0)
        self.errors.setdefault(to_model(file), normalise(fields.text(event, "sig")))

    def _end(self, event: dict[str, Any]) -> None:
        identity, outcome, phase = fields.text(event, "id"), fields.text(event, "outcome"), event.get("phase")
        if outcome not in _OUTCOMES or (phase is not None and phase not in _PHASES):
            raise fields.Malformed
        begun = event.get("begun")
        self._shut(begun if isinstance(begun, str) else identity)
        said = event.get("sig")
        signature = normalise(said) if isinstance(said, str) and said and outcome != "passed" else None
        shown: Phase | None = None if outcome == "passed" else phase
        self._settle(identity, outcome, shown, signature, raw.seconds(event.get("seconds")))  # type: ignore[arg-type]

    def _settle(
        self, identity: str, outcome: TestOutcome, phase: Phase | None, signature: str | None, seconds: float
    ) -> None:
        wire = to_model(identity)
        result = TestResult(id=wire, outcome=outcome, phase=phase, signature=signature)
        for kind in ("pass", "fail"):
            if identity.endswith(f"c2t_canary_{kind}_{self.nonce}"):
                known = self.canary.get(kind)
                self.canary[kind] = result if known is None else worse(known, result)
                return
        known = self.results.get(wire)
        self.results[wire] = result if known is None else worse(known, result)
        self.seconds[wire] = self.seconds.get(wire, 0.0) + seconds

    def _close(self, name: str) -> None:
        """What the end of the round says of the tests that were on their way."""
        hung = raw.marker(self.folder, f"{name}.hung") is not None
        if raw.marker(self.folder, f"{name}.deadline") is not None or raw.exit_code(self.folder, name) is None:
            return
        for identity in self.open:
            if hung:
                self._settle(identity, "hung", "call", "did not end in its time", 0.0)
            else:
                self._settle(identity, "crashed", "call", "ended or left the test process", 0.0)
        if not self.finished:
            said = "did not end in its time" if hung else "ended the test process"
            for file in self.files:
                self.errors.setdefault(to_model(file), said)

    def _canaries(self) -> bool | None:
        """Whether both planted tests told the truth; None where none could be planted, or the pass did not finish."""
        good, bad = self.canary.get("pass"), self.canary.get("fail")
        if bad is not None and bad.outcome in ("passed", "xpassed", "xfailed"):
            return False
        if good is None and bad is None:
            return None
        if good is None or bad is None:
            return False if self.finished else None
        if good.outcome == "passed" and bad.outcome == "failed" and self.nonce in (bad.signature or ""):
            return True
        self.notes.append(f"A planted test could not run: {(bad if good.outcome == 'passed' else good).outcome}.")
        return None
