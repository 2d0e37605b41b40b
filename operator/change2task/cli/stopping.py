"""How a command is stopped: asked once, it saves what was won and ends; asked twice, or lingering, it ends at once.

Signals are taken from the interpreter's wake-up pipe by a thread of its own, not by handlers: the kernel may hand a
signal to any thread, and a main thread that waits for work is then not woken to run its handler (seen in one of
twenty signals that came while a worker started a process).

Ending at once is safe: whatever is stored is whole, and a run goes on where it was. Only the processes of this
command are ended, never others.
"""

from __future__ import annotations

import os
import select
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

import psutil

from change2task.cli import failures

PATIENCE_SECONDS = 8.0
"""How long work may take to come to an end by itself."""
_ASKING = (signal.SIGINT, signal.SIGTERM)
_OVER = 0
"""No signal has this number; in the pipe it says that the command has ended."""


@contextmanager
def stopping(last: Callable[[], object]) -> Iterator[threading.Event]:
    """An event that Ctrl-C or SIGTERM sets; ``last`` is called before this process is ended at once."""
    asked = threading.Event()
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    before = {number: signal.signal(number, _heard) for number in _ASKING}
    earlier = signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    listener = threading.Thread(target=_listen, args=(reader, asked, last), name="stopping", daemon=True)
    listener.start()
    try:
        yield asked
    finally:
        signal.set_wakeup_fd(earlier)
        for number, handler in before.items():
            signal.signal(number, handler)
        os.write(writer, bytes([_OVER]))
        listener.join()
        os.close(reader)
        os.close(writer)


def _heard(_number: int, _frame: FrameType | None) -> None:
    """Keeps a signal from its default effect; its number is in the pipe already."""


def _listen(reader: int, asked: threading.Event, last: Callable[[], object]) -> None:
    """Set ``asked`` at the first signal; at the next, or when patience is over, end this process."""
    # Not select, which knows no descriptor beyond 1023.
    waiting = select.poll()
    waiting.register(reader, select.POLLIN)
    while True:
        if not waiting.poll(PATIENCE_SECONDS * 1000 if asked.is_set() else None):
            _end(last)
        for number in os.read(reader, 64):
            if number == _OVER:
                return
            if number in _ASKING:
                if asked.is_set():
                    _end(last)
                asked.set()


def _end(last: Callable[[], object]) -> None:
    for process in psutil.Process().children(recursive=True):
        try:
            process.kill()
        except psutil.NoSuchProcess:
            continue
    last()
    failures.end(failures.STOPPED, failures.INTERRUPTED)
    os._exit(failures.INTERRUPTED)
