"""A check that is a program of the task's author: its exit status is the result, and nothing it prints.

Exit status 0 passes and 1 fails; every other end (another status, a signal, its time being over) is no verdict. The
program and its files lie in the plan folder, never in the tree, and it starts in the tree.

What is caught. The status comes from run.sh, which notes it once everything the script started is gone, and the
shell around the script has to have lived to write the same; a script whose shell was killed has no verdict.

What is not caught. Code under test that the script loads into its own process can end that process with status 0.
A script that judges from outside (it starts the project in a child and looks at what came of it) is safe from that.
"""

from __future__ import annotations

import json
from pathlib import Path

from change2task.checks import raw
from change2task.checks.ending import how_it_ended
from change2task.checks.ids import to_model, to_runner
from change2task.checks.plan import CheckRequest, Marks, ReaderFiles, quote
from change2task.checks.results import Ending, Reading, SuiteResult, TestOutcome, TestResult
from change2task.checks.signatures import normalise

FORMAT = "script"
FOLDER = "script"

_CHECK = """\
cd "$C2T_WORK" || exit 70
events=$C2T_RESULTS/events.$C2T_ROUND
files=$C2T_PLAN/{folder}
unset C2T_WORK C2T_PLAN C2T_RESULTS C2T_HOME C2T_ROUND
printf '%s\\n' {running} >>"$events"
{command}
code=$?
printf '%s%d}}\\n' {finished} "$code" >>"$events"
exit "$code"
"""
_OUTCOMES: dict[int, TestOutcome] = {0: "passed", 1: "failed"}
_MEANING = "0 passes, 1 fails, anything else is no verdict"
_FIRST_SIGNAL = 128


class ScriptReader:
    """Format `script`; `ids` of the request is the one name of the check."""

    format = FORMAT

    def plan(self, request: CheckRequest) -> ReaderFiles:
        """The script's files in a folder of their own, and the shell around it."""
        head = f'{{"c2t":"{request.nonce}","e":'
        [identity] = request.ids or ("",)
        check = _CHECK.format(
            folder=FOLDER,
            running=quote(f'{head}"running"}}'),
            command=" ".join(_word(word, request) for word in request.command),
            finished=quote(f'{head}"finished","id":{json.dumps(to_runner(identity))},"code":'),
        )
        return ReaderFiles(
            files={"check.sh": check, **{f"{FOLDER}/{path}": text for path, text in request.script_files.items()}},
            # A script is started once: no event of it means that another round would get further.
            marks=Marks(running=f'{head}"running"', progress=f'{head}"progress"',
                        finished=f'{head}"finished"', stuck=f'{head}"stuck"'),
        )  # fmt: skip

    def build(self, command: tuple[str, ...]) -> None:
        """A script says nothing of how the project is built."""

    def read(self, results: Path, nonce: str) -> Reading:
        """The one result, or the sentence why there is none."""
        try:
            data = raw.read(results, "events.0", raw.EVENT_BYTES) or b""
        except raw.Unreadable as problem:
            return Reading(suite=_suite("interrupted", error=f"{problem}."))
        ours = [event for event in raw.json_lines(data) if event is not None and event.get("c2t") == nonce]
        ends = [event for event in ours if event.get("e") == "finished"]
        ending, message = how_it_ended(results, finished=bool(ends))
        code = raw.exit_code(results, "round.0")
        told = {event.get("code") for event in ends}
        if raw.marker(results, "round.0.hung") is not None:
            return Reading(suite=_suite(ending, error="The script did not end in its time."))
        if code is not None and code >= _FIRST_SIGNAL:
            error = f"The script was ended by signal {code - _FIRST_SIGNAL}; {_MEANING}{_words(results)}"
            return Reading(suite=_suite(ending, error=error))
        if ending != "finished" or told != {code} or code is None:
            why = message or "What the script's shell wrote is not what the script ended with."
            return Reading(suite=_suite(ending, error=why))
        outcome = _OUTCOMES.get(code)
        if outcome is None:
            error = f"The script ended with exit code {code}; {_MEANING}{_words(results)}"
            return Reading(suite=_suite(ending, error=error))
        identity = ends[-1].get("id")
        if not isinstance(identity, str):
            return Reading(suite=_suite(ending, error="The script's end does not name the script."))
        said = raw.last_words(results, "round.0")
        result = TestResult(
            id=to_model(identity),
            outcome=outcome,
            phase="call",
            signature=normalise(said) if outcome == "failed" and said else None,
        )
        return Reading(suite=_suite(ending, result))


def _word(word: str, request: CheckRequest) -> str:
    """A word of the command; one that names a file of the script stands for where that file lies."""
    return f'"$files"/{quote(word)}' if word in request.script_files else quote(word)


def _words(results: Path) -> str:
    words = raw.last_words(results, "round.0")
    return f'; its last words: "{words}".' if words else "."


def _suite(ending: Ending, result: TestResult | None = None, *, error: str | None = None) -> SuiteResult:
    return SuiteResult(
        results={} if result is None else {result.id: result},
        collected=() if result is None else (result.id,),
        finished=ending == "finished",
        ending=ending,
        rounds=1,
        harness_error=error,
    )
