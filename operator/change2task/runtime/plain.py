"""A sandbox for machines that offer none: an ordinary process, watched and cleaned up after.

It exists so that the product works everywhere, and says what it cannot promise. Escaped daemons are caught by a
supervising process (see `supervise`); files, network and other processes lie open to the command.
"""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import threading
from pathlib import Path
from typing import IO, Any

from change2task.runtime import supervise
from change2task.runtime.disk import RESERVE_BYTES, DiskWatch
from change2task.runtime.errors import SandboxError
from change2task.runtime.launch import exit_or_signal, limited
from change2task.runtime.models import Command, Isolation, Layout, Outcome
from change2task.runtime.monitor import Watched, watch
from change2task.runtime.output import BoundedLog
from change2task.runtime.pipes import Pipe

ISOLATION = Isolation(
    filesystem=False,
    network=False,
    processes=False,
    main_process=False,
    memory=True,
    process_count=True,
    disk=True,
    fixed_paths=False,
    fresh_temporary=False,
    not_enforced=(
        "files: a command can read and write whatever this user can, read-only folders included",
        "network: a command can reach whatever this machine can",
        "processes: a command sees this user's processes and can end them, the one that watches it included; "
        "then what it left behind may live on",
        "paths: folders lie at real paths below the store, so results that name paths differ between stores",
        "temporary files: /tmp and /dev/shm are the machine's own and stay filled; TMPDIR is the run's",
        "memory and number of processes are looked at four times a second or more, not held by the kernel",
    ),
)


class PlainSandbox:
    """Runs commands as ordinary processes, with `root` (one a base) as the folder its layout lies in."""

    name = "plain"
    isolation = ISOLATION

    def __init__(self, root: Path, *, reserve_bytes: int = RESERVE_BYTES) -> None:
        self.layout = Layout.below(root.absolute())
        self._reserve = reserve_bytes

    def run(self, command: Command, *, cancel: threading.Event | None = None) -> Outcome:
        """See Sandbox.run. Raises SandboxError for a mount that should appear elsewhere than where it is."""
        for mount in command.mounts:
            if str(mount.source) != mount.target:
                raise SandboxError(
                    f"mount {mount.source} -> {mount.target}: without a mount namespace a folder is only where it "
                    f"is; use {mount.source} as the target, or install bubblewrap"
                )
        writable = [mount.source for mount in command.mounts if mount.writable]
        disk = DiskWatch(writable, command.limits.disk_bytes, self._reserve)
        with BoundedLog(command.log, command.limits.output_bytes) as log, Pipe() as status, Pipe() as output:
            started = _Supervised(command, status, output)
            watched = watch(started, command.limits, log, disk, cancel=cancel)
            outcome = started.outcome(watched)
            log.close()
            return outcome.replacing(output_truncated=log.truncated)


class _Supervised:
    def __init__(self, command: Command, status: Pipe, output: Pipe) -> None:
        self.status_fd, self.output_fd = status.reader, output.reader
        self._answer = b""
        self._seen: set[supervise.Process] = set()
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", supervise.__file__, str(status.writer)],
            stdin=subprocess.PIPE,
            stdout=output.writer,
            stderr=subprocess.STDOUT,
            env={},
            pass_fds=[status.writer],
            start_new_session=True,
        )
        status.close_writer()
        output.close_writer()
        request = {
            "argv": limited(command.argv, command.limits),
            "env": command.env,
            "cwd": command.cwd,
        }
        # A supervisor that is gone already is noticed by its silence.
        with contextlib.suppress(BrokenPipeError):
            self._control.write(json.dumps(request).encode() + b"\n")
            self._control.flush()

    @property
    def _control(self) -> IO[bytes]:
        assert self._process.stdin is not None
        return self._process.stdin

    def status(self, data: bytes) -> None:
        self._answer += data

    def usage(self) -> supervise.Usage:
        usage = supervise.usage_below(self._process.pid)
        self._seen.update(usage.processes)
        return usage

    def kill(self) -> None:
        with contextlib.suppress(BrokenPipeError):
            self._control.close()

    def kill_hard(self) -> None:
        supervise.kill_below(self._process.pid)
        self._process.kill()

    def outcome(self, watched: Watched) -> Outcome:
        code = self._process.wait()
        self.kill()
        for process in self._seen:
            supervise.kill(process)
        answer: dict[str, Any] = json.loads(self._answer) if self._answer else {"signal": abs(code)}
        exit_code, number = exit_or_signal(answer.get("exit", -answer.get("signal", 0)))
        fault = watched.infrastructure
        if "error" in answer:
            fault = fault or f"the command could not be started: {answer['error']}"
        if "left" in answer:
            fault = fault or f"processes {answer['left']} could not be ended"
        own_end = not (answer.keys() & {"error", "stopped"}) and watched.stopped_by is None
        return Outcome(
            exit_code=exit_code if own_end else None,
            signal=number if own_end else None,
            stopped_by=watched.stopped_by,
            seconds=watched.seconds,
            infrastructure=fault,
        )
