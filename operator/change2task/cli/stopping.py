"""How a command is stopped: asked once, it saves what was won and ends; asked twice, or lingering, it ends at once.

Ending at once is safe: whatever is stored is whole, and a run goes on where it was. Only the processes of this
command are ended, never others.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

import psutil

from change2task.cli import failures

PATIENCE_SECONDS = 8.0
"""How long work may take to come to an end by itself."""


@contextmanager
def stopping(last: Callable[[], object]) -> Iterator[threading.Event]:
    """An event that Ctrl-C or SIGTERM sets; ``last`` is called before this process is ended at once."""
    stop = _Stop(last)
    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop.asked
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        stop.over()


class _Stop:
    """The handler of both signals."""

    def __init__(self, last: Callable[[], object]) -> None:
        self.asked = threading.Event()
        self._last = last
        self._timer = threading.Timer(PATIENCE_SECONDS, self._now)
        self._timer.daemon = True

    def __call__(self, number: int, frame: FrameType | None) -> None:
        if self.asked.is_set():
            self._now()
        self.asked.set()
        self._timer.start()

    def over(self) -> None:
        self._timer.cancel()

    def _now(self) -> None:
        for process in psutil.Process().children(recursive=True):
            try:
                process.kill()
            except psutil.NoSuchProcess:
                continue
        self._last()
        failures.end(failures.STOPPED, failures.INTERRUPTED)
        os._exit(failures.INTERRUPTED)
