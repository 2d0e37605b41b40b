"""A signal that this program was started with ignored is not ignored in what it starts."""

from __future__ import annotations

import subprocess
import sys

import pytest

SHOWS = ["grep", "SigIgn", "/proc/self/status"]
PROGRAM = f"""
import os, signal, subprocess
from change2task.runtime.signals import keep_ignored_to_ourselves
keep_ignored_to_ourselves()
for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
    os.kill(os.getpid(), number)
print("alive", subprocess.run({SHOWS!r}, capture_output=True, text=True, check=True).stdout.split()[1], flush=True)
"""


@pytest.mark.parametrize("ignored", ["HUP", "INT", "QUIT", "HUP INT QUIT"])
def test_what_is_ignored_here_is_ordinary_in_a_command(ignored: str) -> None:
    others = " ".join(name for name in ("HUP", "INT", "QUIT") if name not in ignored.split())
    program = PROGRAM.replace("(signal.SIGHUP, signal.SIGINT, signal.SIGQUIT)", _numbers(ignored))
    line = f"trap '' {ignored}; " + (f"trap - {others}; " if others else "") + 'exec "$0" -c "$1"'
    ended = subprocess.run(["sh", "-c", line, sys.executable, program], capture_output=True, text=True, check=True)
    word, mask = ended.stdout.split()
    assert word == "alive"
    assert int(mask, 16) & 0b111 == 0


def _numbers(names: str) -> str:
    return "(" + "".join(f"signal.SIG{name}, " for name in names.split()) + ")"
