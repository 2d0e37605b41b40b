"""The installed command line as a user starts it: a process, what it printed, how it ended."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from change2task.cli.main import main

PROGRAM = Path(sys.executable).with_name("change2task")


@dataclass(frozen=True)
class Ended:
    """Exit code (a negative one is a signal), standard output and standard error of a command."""

    code: int
    out: str
    err: str

    def __str__(self) -> str:
        return f"exit {self.code}\n--- out\n{self.out}\n--- err\n{self.err}"


def environment(home: Path, **more: str) -> dict[str, str]:
    """The variables of a user who has set nothing; interpreters are this one's own."""
    here = Path(getattr(sys, "_base_executable", sys.executable)).resolve().parent
    return {"PATH": f"{here}:/usr/bin:/bin:/usr/local/bin", "HOME": str(home), "LC_ALL": "C.UTF-8", **more}


def change2task(
    *words: str | Path,
    env: Mapping[str, str],
    cwd: Path,
    stdin: bytes = b"",
    seconds: float = 120,
    code: int | None = 0,
) -> Ended:
    """Run the command to its end; ``code`` is the exit code it must have (None: any). No traceback is ever printed."""
    done = subprocess.run(
        [PROGRAM, *map(str, words)],
        env=dict(env),
        cwd=cwd,
        input=stdin,
        capture_output=True,
        timeout=seconds,
        check=False,
    )
    ended = Ended(done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace"))
    assert "Traceback" not in ended.err, ended
    assert code is None or ended.code == code, ended
    return ended


def at_once(*words: str | Path, stdin: bytes = b"") -> Ended:
    """Run a command within this process: for what is answered before anything runs."""
    out, err = io.TextIOWrapper(io.BytesIO()), io.TextIOWrapper(io.BytesIO())
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(sys, "argv", ["change2task", *map(str, words)])
        patched.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        patched.setattr(sys, "stdout", out)
        patched.setattr(sys, "stderr", err)
        with pytest.raises(SystemExit) as ended:
            main()
    printed = []
    for stream in (out, err):
        stream.flush()
        printed.append(stream.buffer.getvalue().decode())  # type: ignore[attr-defined]
    return Ended(int(ended.value.code or 0), *printed)


def begin(*words: str | Path, env: Mapping[str, str], cwd: Path, asked: bool = False) -> subprocess.Popen[bytes]:
    """Start the command in a process group of its own, its standard error to be read; it can be interrupted.

    ``asked``: its input can be written and its output read.
    """
    # Who runs the tests in the background has them ignore interrupts, and what they start would inherit that.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return subprocess.Popen(
            [PROGRAM, *map(str, words)],
            env=dict(env),
            cwd=cwd,
            stdin=subprocess.PIPE if asked else subprocess.DEVNULL,
            stdout=subprocess.PIPE if asked else subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,
            bufsize=0,
        )
    finally:
        signal.signal(signal.SIGINT, before)


def ends_in(process: subprocess.Popen[bytes], seconds: float) -> int:
    """The exit code of a process that must end within this time."""
    try:
        return process.wait(seconds)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, 9)
            process.wait()
