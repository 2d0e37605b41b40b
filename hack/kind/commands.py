"""Running other programs, saying how long a step took, and failing with the way out.

All that this package does is done by programs made for it; they are started here alone, so that a failure always shows
the command, its last words and its log.
"""

from __future__ import annotations

import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

LAST_LINES = 15


class ClusterError(Exception):
    """The test cluster cannot be had; the message says why and what to do."""


class CommandFailed(ClusterError):
    """A program ended with an error; its last lines are in the message."""


def run(
    *argv: str | Path,
    stdin: bytes | None = None,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    log: Path | None = None,
    seconds: float = 300,
) -> str:
    """Run to the end and return what the program printed; to ``log`` as well where one is given.

    Raises CommandFailed when it ends with an error, cannot be started or takes longer than ``seconds``.
    """
    words = [str(word) for word in argv]
    try:
        done = subprocess.run(
            words, input=stdin or b"", env=env, cwd=cwd, capture_output=True, timeout=seconds, check=False
        )
    except FileNotFoundError as error:
        raise CommandFailed(f"{words[0]} is not installed") from error
    except subprocess.TimeoutExpired as error:
        raise CommandFailed(f"{shlex.join(words)} did not end within {seconds:.0f} s") from error
    output, errors = done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")
    if log is not None:
        log.parent.mkdir(parents=True, exist_ok=True)
        log.write_text(f"$ {shlex.join(words)}\n{output}{errors}", encoding="utf-8")
    if done.returncode:
        tail = "\n  ".join((output + errors).strip().splitlines()[-LAST_LINES:])
        kept = f"\n  all of it: {log}" if log else ""
        raise CommandFailed(f"{shlex.join(words)} ended with {done.returncode}:\n  {tail}{kept}")
    return output


def succeeds(*argv: str | Path, env: Mapping[str, str] | None = None, seconds: float = 60) -> bool:
    """Whether a program ends without an error, for questions that are asked by trying."""
    try:
        run(*argv, env=env, seconds=seconds)
    except CommandFailed:
        return False
    return True


def say(text: str) -> None:
    """Tell whoever waits; standard output is left to results."""
    print(text, file=sys.stderr, flush=True)


@contextmanager
def step(name: str) -> Iterator[None]:
    """Say what was done and how long it took."""
    start = time.monotonic()
    yield
    say(f"  {name:<44} {time.monotonic() - start:6.1f} s")


def wait_until(question: str, answer: Callable[[], bool], *, seconds: float, way_out: str = "") -> None:
    """Ask ``answer`` until it is true; ClusterError with ``question`` and ``way_out`` when it never is."""
    deadline = time.monotonic() + seconds
    while not answer():
        if time.monotonic() > deadline:
            raise ClusterError(f"after {seconds:.0f} s still not: {question}. {way_out}".rstrip())
        time.sleep(0.1)
