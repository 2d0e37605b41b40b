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

from change2task.runtime import local, supervise
from change2task.runtime.disk import RESERVE_BYTES
from change2task.runtime.errors import SandboxError
from change2task.runtime.launch import limited
from change2task.runtime.models import Command, Isolation, Layout, Outcome
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
    containers = None

    def __init__(self, root: Path, *, reserve_bytes: int = RESERVE_BYTES) -> None:
        self.layout = Layout.below(root.absolute())
        self._reserve = reserve_bytes

    def run(self, command: Command, *, cancel: threading.Event | None = None) -> Outcome:
        """See Sandbox.run. Raises SandboxError for a mount that should appear elsewhere than where it is."""
        local.refuse_image(command)
        for mount in command.mounts:
            if str(mount.source) != mount.target:
                raise SandboxError(
                    f"mount {mount.source} -> {mount.target}: without a mount namespace a folder is only where it "
                    f"is; use {mount.source} as the target, or install bubblewrap"
                )
        return local.run(
            command,
            lambda status, output: _Supervised(command, status, output),
            reserve_bytes=self._reserve,
            cancel=cancel,
        )


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

    def ended(self, said: bytes) -> tuple[int | None, str | None]:
        code = self._process.wait()
        self.kill()
        for process in self._seen:
            supervise.kill(process)
        if not self._answer:
            # The command can end its supervisor; that is the command's doing, not the machine's.
            return (
                (code, None) if code < 0 else (None, f"the supervising process failed: {said.decode(errors='replace')}")
            )
        answer: dict[str, Any] = json.loads(self._answer)
        if "error" in answer:
            return None, f"the command could not be started: {answer['error']}"
        fault = f"processes {answer['left']} could not be ended" if "left" in answer else None
        if "signal" in answer:
            return -answer["signal"], fault
        return answer.get("exit"), fault
