"""Signals as commands expect them, however this program was started.

A shell's background job and ``nohup`` leave signals ignored, and what is ignored stays so in every program started
from here: a suite that sends itself one of them would then answer otherwise than on a terminal. A handled signal is
put back to its default when another program starts, so a handler that does nothing ignores for this program alone.
"""

from __future__ import annotations

import signal
from types import FrameType

_OFTEN_IGNORED = (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT)


def keep_ignored_to_ourselves() -> None:
    """Let no command inherit that a signal is ignored; only for the main thread."""
    for number in _OFTEN_IGNORED:
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, _nothing)


def _nothing(_number: int, _frame: FrameType | None) -> None:
    """Ignore the signal."""
