"""The events of our plugin in pytest, over all rounds of a pass, as results of tests.

A test's phases are kept until they are whole or the round has ended without them. See pytest for what is trusted.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from change2task.checks import raw
from change2task.checks.ending import how_it_ended
from change2task.checks.ids import to_model
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

_PHASES: tuple[Phase, ...] = ("setup", "call", "teardown")


def read_events(folder: Path, nonce: str) -> Reading:
    """What the rounds in this results folder say. Never raises for what tests left there."""
    return _Reading(folder, nonce).whole()


class _Reading:
    """Joins the rounds of one pass."""

    def __init__(self, folder: Path, nonce: str) -> None:
        self.folder = folder
        self.nonce = nonce
        self.results: dict[str, TestResult] = {}
        self.seconds: dict[str, float] = {}
        self.collected: dict[str, None] = {}
        self.duplicates: dict[str, None] = {}
        self.errors: dict[str, str] = {}
        self.skipped_files: dict[str, None] = {}
        self.notes: list[str] = []
        self.good_canary = f"c2t_canary_pass_{nonce}"
        self.bad_canary = f"c2t_canary_fail_{nonce}"
        self.canary_lies = False

    def whole(self) -> Reading:
        """The reading of all rounds."""
        count = raw.rounds(self.folder)
        error = None
        last: _Round | None = None
        for number in range(count):
            try:
                data = raw.read(self.folder, f"events.{number}", raw.EVENT_BYTES)
            except raw.Unreadable as problem:
                error = error or f"{problem}."
                continue
            last = _Round(self, number)
            last.read(data or b"")
            error = error or last.broken
        finished = last is not None and last.finished
        ending, message = how_it_ended(self.folder, finished=finished)
        if not finished and last is not None and last.aborted is not None:
            message = f"Pytest gave up before its end: {last.aborted}"
        suite = SuiteResult(
            results=self.results,
            collected=tuple(self.collected),
            duplicates=tuple(self.duplicates),
            collection_errors=tuple(
                CollectionError(file=file, signature=signature) for file, signature in self.errors.items()
            ),
            skipped_files=tuple(self.skipped_files),
            finished=finished,
            ending=ending,
            message=message,
            rounds=count,
            canaries=False if self.canary_lies else last.canaries() if last is not None and finished else None,
            harness_error=error,
            notes=tuple(self.notes),
        )
        return Reading(suite=suite, timings=Timings(seconds=self.seconds))

    def add(self, result: TestResult) -> None:
        """A test's result; of several of one id the worst stays."""
        known = self.results.get(result.id)
        self.results[result.id] = result if known is None else worse(known, result)


class _Round:
    """One round: one pytest process."""

    def __init__(self, whole: _Reading, number: int) -> None:
        self.whole = whole
        self.number = number
        self.next = 0
        self.broken: str | None = None
        self.finished = False
        self.aborted: str | None = None
        self.gathering: str | None = None
        self.running: str | None = None
        self.calling = False
        self.phases: list[TestResult] = []
        self.canary: dict[str, TestResult] = {}

    def read(self, data: bytes) -> None:
        strange = 0
        for event in raw.json_lines(data):
            if event is None or event.get("c2t") != self.whole.nonce:
                strange += 1
                continue
            if event.get("n") != self.next:
                self.broken = self.broken or (
                    f"The events of round {self.number} are not one sequence (number {str(event.get('n'))[:20]!a} "
                    f"where {self.next} should be): somebody beside the plugin wrote, cut or removed them."
                )
            self.next += 1
            try:
                self._event(event)
            except fields.Malformed:
                strange += 1
        if strange:
            self.whole.notes.append(f"Round {self.number}: {strange} lines among the events are not ours.")
        self._close()

    def _event(self, event: dict[str, Any]) -> None:
        kind = event.get("e")
        if kind == "start":
            self.running = fields.text(event, "id")
            self.calling = False
            self.phases = []
        elif kind == "call":
            self.calling = True
        elif kind == "phase":
            self._phase(event)
        elif kind == "end":
            self._end(event)
        elif kind == "gather":
            self.gathering = fields.text(event, "file")
        elif kind == "gathered":
            self._gathered(event)
        elif kind == "ids":
            self.whole.collected.update(dict.fromkeys(fields.ids(event)))
        elif kind == "duplicates":
            self.whole.duplicates.update(dict.fromkeys(fields.ids(event)))
        elif kind == "running":
            self.gathering = None
        elif kind == "finished":
            self.finished = True
        elif kind == "aborted":
            self._aborted(event)
        elif kind not in ("loaded", "stuck"):
            raise fields.Malformed

    def _gathered(self, event: dict[str, Any]) -> None:
        file = to_model(fields.text(event, "file"))
        self.gathering = None
        if event.get("failed"):
            self.whole.errors.setdefault(file, normalise(fields.text(event, "sig")))
        elif event.get("skipped"):
            self.whole.skipped_files[file] = None

    def _aborted(self, event: dict[str, Any]) -> None:
        self.aborted = normalise(fields.text(event, "sig"))
        file = self.gathering or event.get("file")
        self.gathering = None
        if isinstance(file, str):
            self.whole.errors.setdefault(to_model(file), self.aborted)

    def _phase(self, event: dict[str, Any]) -> None:
        identity, when, outcome = fields.text(event, "id"), fields.text(event, "when"), fields.text(event, "outcome")
        if identity != self.running or outcome == "rerun":
            return
        if when not in ("setup", "call", "teardown") or outcome not in ("passed", "failed", "skipped"):
            raise fields.Malformed
        phase: Phase = when  # type: ignore[assignment]
        signature = normalise(fields.text(event, "sig")) if "sig" in event else None
        xfail = event.get("xfail") is True
        if event.get("overruled"):
            result = self._result("failed", phase, f"reported as passed over {signature}")
        elif outcome == "failed":
            result = self._result("failed" if when == "call" else "error", phase, signature)
        elif "part" in event:
            return
        elif outcome == "skipped":
            result = self._result("xfailed" if xfail else "skipped", phase, signature)
        else:
            result = self._result("xpassed", phase, None)
        self.phases.append(result)

    def _end(self, event: dict[str, Any]) -> None:
        identity = fields.text(event, "id")
        phases = event.get("phases")
        if identity != self.running or not isinstance(phases, dict):
            raise fields.Malformed
        self.running = None
        self._settle(identity, _total(phases), self._outcome(phases))

    def _outcome(self, phases: dict[str, Any]) -> TestResult:
        """A failure in the call outweighs one in the teardown: it is what the test says of the code."""
        in_call = [result for result in self.phases if result.outcome == "failed"]
        if in_call:
            return in_call[0]
        if self.phases:
            worst = self.phases[0]
            for result in self.phases[1:]:
                worst = worse(worst, result)
            return worst
        for phase in _PHASES:
            outcome = phases.get(phase)
            if not isinstance(outcome, list) or not outcome or outcome[0] != "passed":
                return self._result("error", phase, f"the runner reported no {phase} that passed")
        return self._result("passed", None, None)

    def _close(self) -> None:
        """What the end of the process says of the test or the file that was on its way."""
        folder, name = self.whole.folder, f"round.{self.number}"
        cut = raw.marker(folder, f"{name}.deadline") is not None or raw.exit_code(folder, name) is None
        hung = raw.marker(folder, f"{name}.hung") is not None
        if self.running is not None and self.running in (self.whole.good_canary, self.whole.bad_canary):
            self.canary[self.running] = self._outcome({})
        elif self.running is not None and not cut:
            outcome: TestOutcome = "hung" if hung else "crashed"
            said = "did not end in its time" if hung else "ended or left the test process"
            phase: Phase | None = "call" if self.calling else None
            self._settle(self.running, 0.0, self._result(outcome, phase, said))
        if self.gathering is not None and not cut:
            said = "hung" if hung else "ended the test process"
            self.whole.errors.setdefault(to_model(self.gathering), f"{said} while it was imported")
        bad = self.canary.get(self.whole.bad_canary)
        if bad is not None and bad.outcome in ("passed", "xpassed", "xfailed"):
            self.whole.canary_lies = True

    def _settle(self, identity: str, seconds: float, result: TestResult) -> None:
        if identity in (self.whole.good_canary, self.whole.bad_canary):
            self.canary[identity] = result
            return
        wire = to_model(identity)
        self.whole.add(result.replacing(id=wire))
        self.whole.seconds[wire] = self.whole.seconds.get(wire, 0.0) + seconds

    def _result(self, outcome: TestOutcome, phase: Phase | None, signature: str | None) -> TestResult:
        return TestResult(id=to_model(self.running or "?"), outcome=outcome, phase=phase, signature=signature)

    def canaries(self) -> bool | None:
        """Whether both planted tests told the truth; None when a hook of the project did not let them run."""
        good, bad = self.canary.get(self.whole.good_canary), self.canary.get(self.whole.bad_canary)
        if good is None or bad is None:
            return False
        if good.outcome == "passed" and bad.outcome == "failed" and self.whole.nonce in (bad.signature or ""):
            return True
        wrong = bad if good.outcome == "passed" else good
        self.whole.notes.append(f"A planted test could not run: {wrong.outcome}, {wrong.signature}.")
        return None


def _total(phases: dict[str, Any]) -> float:
    return sum(raw.seconds(said[1]) for said in phases.values() if isinstance(said, list) and len(said) == 2)
