"""How a pass ended, from run.sh's own marks, in a sentence a person can act on.

Common to all readers; what the events of a format say is theirs.
"""

from __future__ import annotations

from pathlib import Path

from change2task.checks import raw
from change2task.checks.results import Ending

_WORDS: dict[str, Ending] = {
    "finished": "finished",
    "rebuildFailed": "rebuildFailed",
    "stuck": "stuck",
    "rounds": "rounds",
    "deadline": "deadline",
    "flood": "flood",
}


def how_it_ended(folder: Path, *, finished: bool) -> tuple[Ending, str | None]:
    """The ending and, unless it finished, why. `finished` is the word of the events, which outrank the mark."""
    if finished:
        return "finished", None
    mark = (raw.marker(folder, "complete") or "").split()
    ending = _WORDS.get(mark[0], "interrupted") if mark else "interrupted"
    if ending == "finished":
        return "interrupted", "The pass is marked finished, but the runner's events do not say so."
    if ending == "rebuildFailed":
        return ending, _rebuild(folder, mark[1] if len(mark) > 1 else "rebuild.00")
    last = f"round.{max(raw.rounds(folder) - 1, 0)}"
    if ending == "stuck":
        return ending, f"The check command {_exit(folder, last)} without running another test{_words(folder, last)}"
    if ending == "deadline":
        return ending, "The time for the whole pass was over before the tests were."
    if ending == "rounds":
        return ending, "The tests ended their runner more often than it may be started again."
    if ending == "flood":
        return ending, "The tests wrote more events than any suite has."
    return ending, f"The pass was stopped from outside{_words(folder, last)}"


def _rebuild(folder: Path, name: str) -> str:
    number = name.removeprefix("rebuild.")
    if raw.marker(folder, f"{name}.deadline") is not None:
        return f"Rebuild step {number} was not over when the time for the whole pass was."
    return f"Rebuild step {number} {_exit(folder, name)}{_words(folder, name)}"


def _exit(folder: Path, name: str) -> str:
    code = raw.exit_code(folder, name)
    return "ended" if code is None else f"ended with exit code {code}"


def _words(folder: Path, name: str) -> str:
    words = raw.last_words(folder, name)
    return f'; its last words: "{words}".' if words else "."
