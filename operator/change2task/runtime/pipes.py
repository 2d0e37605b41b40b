"""The pipes between a command and its watcher, common to the local sandboxes.

It exists because a descriptor that is closed twice may by then belong to another thread's run.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
from types import TracebackType
from typing import Self

# A chatty command waits less for its reader; where the kernel grants less, the usual size does.
_PIPE_BYTES = 1 << 20


class Pipe:
    """A pipe with ends `reader` and `writer`, neither inherited unless passed on; a context manager."""

    def __init__(self) -> None:
        self.reader, self.writer = os.pipe()
        self._open = {self.reader, self.writer}
        with contextlib.suppress(OSError):
            fcntl.fcntl(self.writer, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)

    def close_writer(self) -> None:
        """Close this process's copy of the writing end, so that the reader meets the end."""
        self._close(self.writer)

    def _close(self, end: int) -> None:
        if end in self._open:
            self._open.remove(end)
            os.close(end)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close(self.reader)
        self._close(self.writer)
