"""The way of a command on this machine, common to the local sandboxes: log, pipes, watch, outcome.

It exists so that each sandbox file holds only what is its own: what it starts, and how that one tells of its end.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from typing import Protocol

from change2task.runtime.disk import DiskWatch
from change2task.runtime.errors import SandboxError
from change2task.runtime.launch import exit_or_signal, machine_file_limit
from change2task.runtime.models import Command, Outcome
from change2task.runtime.monitor import Started, watch
from change2task.runtime.output import BoundedLog
from change2task.runtime.pipes import Pipe


class LocalProcess(Started, Protocol):
    """A started command that, once watched to its end, tells of it."""

    def ended(self, said: bytes) -> tuple[int | None, str | None]:
        """(exit code, or negative signal, or None when it did not end by itself; fault of the machine).

        `said` is the beginning of what was printed. Called once, after the watch; frees what is held.
        """


def refuse_image(command: Command) -> None:
    """SandboxError for a command that asks for an image; this machine's own system is all there is."""
    if command.image is not None:
        raise SandboxError(f"image {command.image} can only be had with --runtime docker")


def run(
    command: Command,
    start: Callable[[Pipe, Pipe], LocalProcess],
    *,
    reserve_bytes: int,
    cancel: threading.Event | None,
    written: Callable[[], int] | None = None,
) -> Outcome:
    """Start a command with a pipe for status and one for output, and watch it to its end.

    `written` tells the bytes it has written elsewhere than in its mounts, where it can.
    """
    for mount in command.mounts:
        if not mount.source.exists():
            return Outcome(seconds=0, infrastructure=f"mount source {mount.source} does not exist")
    try:
        log = BoundedLog(command.log, command.limits.output_bytes)
    except OSError as error:
        return Outcome(seconds=0, infrastructure=f"the log of the command cannot be written: {error}")
    writable = [mount.source for mount in command.mounts if mount.writable]
    disk = DiskWatch(writable, command.limits.disk_bytes, reserve_bytes, elsewhere=written)
    with log, Pipe() as status, Pipe() as output:
        process = start(status, output)
        try:
            watched = watch(process, command.limits, log, disk, cancel=cancel)
        finally:
            code, fault = process.ended(log.start)
        exit_code, number = (None, None) if code is None or watched.stopped_by else exit_or_signal(code)
        if number == signal.SIGXFSZ:
            fault = fault or machine_file_limit(command.limits)
        outcome = Outcome(
            exit_code=exit_code,
            signal=number,
            stopped_by=watched.stopped_by,
            seconds=watched.seconds,
            output_truncated=log.truncated,
            infrastructure=watched.infrastructure or fault,
        )
        try:
            log.close()
        except OSError as error:
            fault = f"the log of the command could not be written: {error}"
            return outcome.replacing(infrastructure=outcome.infrastructure or fault)
        return outcome
