"""Watches one running command: time, memory, processes, disk, cancellation, output, in a single loop.

It exists so that every local sandbox keeps the same limits in the same way. How a command is started, what its
processes are and how they are ended is left to the sandbox, behind `Started`.
"""

from __future__ import annotations

import os
import selectors
import threading
import time
from collections.abc import Callable
from typing import NamedTuple, Protocol

from change2task.runtime.disk import Disk, DiskWatch
from change2task.runtime.models import Limits, StoppedBy
from change2task.runtime.output import BoundedLog
from change2task.runtime.supervise import Usage, proportional_bytes

_FIRST_LOOK = 0.02
_LONGEST_WAIT = 0.25
# How fast one machine's processes can fill memory, roughly; the next look comes before they could reach the limit.
_FILL_BYTES_PER_SECOND = 2 << 30
_THREADS_PER_PROCESS = 32
_CHUNK = 1 << 18
_LAST_READS = 16
_PATIENCE = 3.0


class Started(Protocol):
    """A command that runs. `status_fd` reaches its end when nothing of the command is left, and not before."""

    status_fd: int
    output_fd: int

    def status(self, data: bytes) -> None:
        """Take bytes that came from `status_fd`."""

    def usage(self) -> Usage:
        """What the command's processes use now."""

    def kill(self) -> None:
        """Begin to end all of the command's processes; must not wait, may be called again."""

    def kill_hard(self) -> None:
        """End what `kill` could not within some seconds."""


class Watched(NamedTuple):
    """What the monitor saw of a command that has ended."""

    stopped_by: StoppedBy | None
    seconds: float
    infrastructure: str | None


class _Stop(NamedTuple):
    reason: StoppedBy | None
    infrastructure: str | None = None


def watch(
    started: Started,
    limits: Limits,
    log: BoundedLog,
    disk: DiskWatch,
    *,
    cancel: threading.Event | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> Watched:
    """Watch a command until nothing of it is left; ends it when a limit is passed or `cancel` is set.

    Whatever is raised meanwhile, KeyboardInterrupt included, the command is ended before it goes on.
    """
    loop = _Loop(started, limits, log, disk, cancel=cancel, clock=clock)
    try:
        loop.run()
    finally:
        loop.end()
    return loop.seen()


class _Loop:
    def __init__(
        self,
        started: Started,
        limits: Limits,
        log: BoundedLog,
        disk: DiskWatch,
        *,
        cancel: threading.Event | None,
        clock: Callable[[], float],
    ) -> None:
        self._started, self._limits, self._log, self._disk = started, limits, log, disk
        self._cancel, self._clock = cancel, clock
        self._begin = clock()
        self._seconds = 0.0
        self._gone = False
        self._stop: _Stop | None = None
        self._selector = selectors.DefaultSelector()
        for fd in (started.status_fd, started.output_fd):
            os.set_blocking(fd, False)
            self._selector.register(fd, selectors.EVENT_READ)

    def run(self) -> None:
        """Until the command has ended or is to be stopped."""
        deadline = self._begin + self._limits.seconds
        next_look, interval = self._begin + _FIRST_LOOK, _FIRST_LOOK
        while not self._gone and self._stop is None:
            self._wait(min(next_look, deadline) - self._clock())
            now = self._clock()
            if self._gone or self._stop is not None:
                break
            if now >= deadline:
                self._stop = _Stop("deadline")
            elif self._cancel is not None and self._cancel.is_set():
                self._stop = _Stop("cancelled")
            elif now >= next_look:
                interval = min(2 * interval, _LONGEST_WAIT)
                self._stop, longest = self._look()
                next_look = self._clock() + min(interval, longest)
        self._seconds = self._clock() - self._begin

    def end(self) -> None:
        """See to it that nothing of the command is left, and take what it has printed."""
        for kill in (self._started.kill, self._started.kill_hard):
            until = self._clock() + _PATIENCE
            while not self._gone and self._clock() < until:
                kill()
                self._wait(min(_LONGEST_WAIT, until - self._clock()))
        # Bounded, since a process that has got away might go on printing.
        for _ in range(_LAST_READS):
            if not self._read_output():
                break
        self._selector.close()

    def seen(self) -> Watched:
        """The result, once all has ended."""
        stop = self._stop or self._disk_stop(self._disk.last_look()) or _Stop(None)
        infrastructure = stop.infrastructure
        if not self._gone:
            infrastructure = f"processes of the command could not be ended within {2 * _PATIENCE:.0f} s"
        return Watched(stop.reason, self._seconds, infrastructure)

    def _look(self) -> tuple[_Stop | None, float]:
        """A limit that is passed, and how long the next look may wait at most."""
        usage = self._started.usage()
        limits = self._limits
        count = len(usage.processes)
        if count > limits.processes or usage.threads > limits.processes * _THREADS_PER_PROCESS:
            return _Stop("processes"), 0
        resident = usage.resident_bytes
        if resident > limits.memory_bytes:
            # Shared pages were counted once a process; forked workers are not to be ended for what they share.
            exact = proportional_bytes(usage.processes)
            resident = resident if exact is None else exact
            if resident > limits.memory_bytes:
                return _Stop("memory"), 0
        stop = self._disk_stop(self._disk.look())
        hurry = _FIRST_LOOK if count > limits.processes / 4 else _LONGEST_WAIT
        return stop, max(_FIRST_LOOK, min(hurry, (limits.memory_bytes - resident) / _FILL_BYTES_PER_SECOND))

    def _disk_stop(self, found: Disk) -> _Stop | None:
        if found is Disk.FINE:
            return None
        return _Stop("disk") if found is Disk.OVER_LIMIT else _Stop(None, self._disk.sentence())

    def _wait(self, seconds: float) -> None:
        for key, _ in self._selector.select(max(0.0, seconds)):
            if key.fd == self._started.output_fd:
                self._read_output()
            else:
                self._read_status()

    def _read_status(self) -> None:
        data = _read(self._started.status_fd)
        if data == b"":
            self._gone = True
            self._selector.unregister(self._started.status_fd)
        elif data:
            self._started.status(data)

    def _read_output(self) -> bool:
        """Whether there may be more to read just now."""
        fd = self._started.output_fd
        if fd not in self._selector.get_map():
            return False
        data = _read(fd)
        if data == b"":
            self._selector.unregister(fd)
        elif data:
            self._keep(data)
        return bool(data)

    def _keep(self, data: bytes) -> None:
        try:
            self._log.feed(data)
        except OSError as error:
            self._stop = _Stop(None, f"the log of the command could not be written: {error}")


def _read(fd: int) -> bytes | None:
    """Bytes, b"" at the end, None when there are none now."""
    try:
        return os.read(fd, _CHUNK)
    except BlockingIOError:
        return None
