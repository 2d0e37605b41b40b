"""A command on a terminal of a given size: what it sent there, control sequences included."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import subprocess
import termios
from collections.abc import Mapping
from pathlib import Path

from tests.support.commands import PROGRAM


def on_terminal(*words: str | Path, env: Mapping[str, str], cwd: Path, columns: int = 120) -> tuple[int, str]:
    """Run a command whose outputs are a terminal; gives its exit code and everything it sent."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 30, columns, 0, 0))
    line = [PROGRAM, *map(str, words)]
    variables = {"TERM": "xterm-256color", **env}
    with subprocess.Popen(
        line, env=variables, cwd=cwd, stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs
    ) as process:
        os.close(theirs)
        sent = bytearray()
        while True:
            try:
                piece = os.read(ours, 65536)
            except OSError:  # how a terminal says that nobody is left on the other side
                break
            if not piece:
                break
            sent += piece
    os.close(ours)
    return process.returncode, sent.decode(errors="replace")
