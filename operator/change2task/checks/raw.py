"""Reading what a sandbox left behind, as bytes an enemy wrote.

Only regular files, never through a link, never more than a bound, never blocking on a pipe. Which files there are
and what the lines mean is known to run.sh and the readers.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

EVENT_BYTES = 64 << 20
_SMALL = 64 << 10
_MAX_ROUNDS = 10_000
_LONGEST_SECONDS = 1e9


class Unreadable(Exception):
    """A file of a results folder is not what run.sh writes; str() is a sentence."""


def read(folder: Path, name: str, limit: int) -> bytes | None:
    """The file's bytes, None when it is absent. Unreadable when not a regular file, or longer than the limit."""
    try:
        fd = os.open(folder / name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Unreadable(f"{name} in the results cannot be opened ({error.strerror}): a test replaced it") from error
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise Unreadable(f"{name} in the results is not a regular file: a test replaced it")
    with os.fdopen(fd, "rb") as file:
        data = file.read(limit + 1)
    if len(data) > limit:
        raise Unreadable(f"{name} in the results is longer than {limit} bytes")
    return data


def marker(folder: Path, name: str) -> str | None:
    """A small marker's text without the final newline, None when absent or not to be trusted."""
    try:
        data = read(folder, name, _SMALL)
    except Unreadable:
        return None
    return None if data is None else data.decode("utf-8", "replace").rstrip("\n")


def exit_code(folder: Path, name: str) -> int | None:
    """The exit code run.sh noted for a group, None when it noted none."""
    text = marker(folder, f"{name}.exit")
    return int(text) if text is not None and text.isascii() and text.isdigit() and len(text) < 6 else None


def rounds(folder: Path) -> int:
    """How many rounds were begun."""
    number = 0
    while number < _MAX_ROUNDS and marker(folder, f"round.{number}.start") is not None:
        number += 1
    return number


def last_words(folder: Path, name: str) -> str:
    """The last line of a log that is not blank, printable and short; empty when there is none."""
    try:
        data = read(folder, f"{name}.log", 1 << 30) or b""
    except Unreadable:
        return ""
    lines = [line for line in data[-_SMALL:].decode("utf-8", "replace").splitlines() if line.strip()]
    if not lines:
        return ""
    return "".join(sign if sign.isprintable() else " " for sign in lines[-1].strip())[:200]


def json_lines(data: bytes) -> Iterator[dict[str, Any] | None]:
    """Each line that is not blank as a JSON object, None for one that is anything else."""
    for line in data.split(b"\n"):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            yield None
            continue
        yield value if isinstance(value, dict) else None


def seconds(value: object) -> float:
    """A duration an event names, 0 when it is none a test could have."""
    plain = isinstance(value, int | float) and 0 <= value < _LONGEST_SECONDS
    return float(value) if plain else 0.0  # type: ignore[arg-type]
