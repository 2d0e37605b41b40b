"""Exit codes, and the last words of a command: what was wrong, and the way out.

0 complete whatever the verdicts, 1 a replay that differs, 2 bad input, 3 infrastructure, 130 stopped by the user.
"""

from __future__ import annotations

import os
import platform
import sys
import tempfile
import traceback
from importlib.metadata import version

OK = 0
DIFFERENT = 1
BAD_INPUT = 2
INFRASTRUCTURE = 3
INTERRUPTED = 130

STOPPED = "stopped; everything finished is stored, run again to go on"


class InputError(Exception):
    """Something the user gave cannot be used; the message names it and the way out."""


class InfrastructureError(Exception):
    """The machine could not do its part; no verdict was made of it."""


def end(message: str, code: int) -> int:
    """Say the one message a command ends with; gives the code back."""
    try:
        print(message if code == INTERRUPTED else f"error: {message}", file=sys.stderr, flush=True)  # noqa: T201
    except OSError:
        # Nobody listens any more, so the exit code alone has to say it.
        return code
    return code


def defect(error: Exception) -> str:
    """The message for an error that nobody foresaw; its traceback goes to a file, since it helps only us."""
    last = traceback.format_exception_only(error)[-1].strip()
    said = f"this is a defect of change2task, not of your input: {last[:500]}"
    about = f"change2task {version('change2task')}, Python {platform.python_version()}, {platform.platform()}"
    details = f"{about}\ncommand: {' '.join(sys.argv[1:2])}\n\n{''.join(traceback.format_exception(error))}"
    try:
        descriptor, name = tempfile.mkstemp(prefix="change2task-defect-", suffix=".log")
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(details)
    except OSError as unwritable:
        return f"{said} (its details could not be written: {unwritable.strerror})"
    return f"{said}; please report it with {name}. Everything finished is stored, run again to go on"


def give_up_output() -> None:
    """Let standard output lead nowhere, so that nothing complains of its lost reader at the interpreter's end."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
