"""A command's output, bounded: its beginning and its end, whatever it prints in between.

It exists because a test-suite may print a gigabyte. Reading the pipe is left to the monitor.
"""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

_START = 4096


class BoundedLog:
    """Writes the first half of `limit` bytes as they come and the last half at the end.

    `start` holds the first 4 KiB for messages. OSError from the log's file system is the caller's to report.
    """

    def __init__(self, path: Path | None, limit: int) -> None:
        self.start = b""
        self._file: BinaryIO | None = None if path is None else path.open("wb", buffering=0)
        self._head_left = limit // 2
        self._tail_limit = limit - limit // 2
        self._tail = bytearray()
        self._dropped = 0

    @property
    def truncated(self) -> bool:
        """Whether bytes were left out."""
        return self._dropped > 0

    def feed(self, data: bytes) -> None:
        """Take the next bytes of output."""
        if len(self.start) < _START:
            self.start += data[: _START - len(self.start)]
        if self._head_left:
            head, data = data[: self._head_left], data[self._head_left :]
            self._head_left -= len(head)
            self._write(head)
        self._tail += data
        excess = len(self._tail) - self._tail_limit
        if excess > 0:
            del self._tail[:excess]
            self._dropped += excess

    def close(self) -> None:
        """Write what was kept of the end, after a line that says how much is missing."""
        file, self._file = self._file, None
        if file is None:
            return
        with file:
            if self._dropped:
                _write_all(file, b"\n[%d bytes of output left out here]\n" % self._dropped)
            _write_all(file, self._tail)

    def _write(self, data: bytes) -> None:
        if self._file is not None:
            _write_all(self._file, data)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file is not None:
            self._file.close()


def _write_all(file: BinaryIO, data: bytes | bytearray) -> None:
    view = memoryview(data)
    while view:
        view = view[file.write(view) :]
