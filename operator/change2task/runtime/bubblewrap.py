"""A sandbox of Linux namespaces, set up by bubblewrap without privileges.

It exists because it isolates files, network and processes at the same paths on every machine, for some
milliseconds a command and without a daemon. `arguments` is pure, so that what a command sees can be read off a test.

Not closed: the kernel's own surface (no seccomp filter), the processor (no share of it is kept for others), and
on a command with network also this machine's own loopback services.
"""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import threading
from collections.abc import Mapping
from pathlib import Path

from change2task.api.model import Model
from change2task.runtime import local, supervise
from change2task.runtime.disk import RESERVE_BYTES
from change2task.runtime.hostroot import HostRoot, etc_files
from change2task.runtime.launch import limited
from change2task.runtime.models import Command, Isolation, Layout, Outcome
from change2task.runtime.pipes import Pipe

HOSTNAME = "c2t"
UID = GID = 1000
_SMALL_TMPFS = 64 << 20
_LAST_WAIT = 5.0

_NOT_ENFORCED = (
    "kernel: system calls are not filtered, so a fault of the kernel can be reached",
    "processor: a command may use every processor for its whole time",
    "memory and number of processes are looked at four times a second or more, not held by the kernel; "
    "files in /tmp and /dev/shm are bounded by their own size and not counted as memory",
    "names: the host paths of mounted folders can be read in /proc/self/mountinfo, their neighbours cannot",
    "a command that asks for the network also reaches the services on this machine's loopback",
)
_UNBOUNDED_TMP = "this bubblewrap cannot bound /tmp and /dev/shm (0.7 or newer can)"


class Features(Model):
    """What the installed bubblewrap can do beyond the least that is needed."""

    sized_tmpfs: bool
    disable_userns: bool


def arguments(
    command: Command,
    *,
    program: str,
    features: Features,
    root: HostRoot,
    layout: Layout,
    status_fd: int,
    files: Mapping[str, int],
) -> tuple[str, ...]:
    """The words that start `command` in new namespaces.

    `files` maps a path inside to a descriptor its content is read from. Later words build on earlier ones: the
    system, then the mounts (outer before inner), and last everything else made read-only.
    """
    words = [program, "--unshare-all", "--unshare-user", "--uid", str(UID), "--gid", str(GID)]
    words += ["--share-net"] if command.network else []
    words += ["--disable-userns"] if features.disable_userns else []
    words += ["--hostname", HOSTNAME, "--die-with-parent", "--new-session", "--as-pid-1"]
    words += ["--json-status-fd", str(status_fd)]
    for folder in root.folders:
        words += ["--ro-bind", folder, folder]
    for name, target in root.links.items():
        words += ["--symlink", target, name]
    for path, source in root.etc(network=command.network).items():
        words += ["--ro-bind", source, path]
    for path, fd in files.items():
        words += ["--perms", "0444", "--file", str(fd), path]
    words += ["--proc", "/proc", "--dev", "/dev"]
    size = min(command.limits.disk_bytes, command.limits.memory_bytes)
    targets = {mount.target for mount in command.mounts}
    temporary = {"/dev/shm": size, layout.tmp: size, layout.home: min(size, _SMALL_TMPFS)}  # noqa: S108 - inside
    for path, bound in temporary.items():
        if path not in targets:
            sized = ["--size", str(bound)] if features.sized_tmpfs else []
            words += ["--perms", "1777", *sized, "--tmpfs", path]
    for mount in sorted(command.mounts, key=lambda mount: mount.target.split("/")):
        words += ["--bind" if mount.writable else "--ro-bind", str(mount.source), mount.target]
    # Everything made on the way is memory without a bound. And where this runs as root, files of /proc/sys belong
    # to the command's own user: bubblewrap itself does not cover them.
    for path in ("/proc", "/dev", "/"):
        words += ["--remount-ro", path]
    words += ["--chdir", command.cwd, "--clearenv"]
    for name, value in command.env.items():
        words += ["--setenv", name, value]
    return (*words, "--", *limited(command.argv, command.limits))


class BubblewrapSandbox:
    """Runs commands in namespaces of their own, at fixed paths."""

    name = "bubblewrap"
    layout = Layout.fixed()
    containers = None

    def __init__(
        self, program: Path, features: Features, root: HostRoot, *, reserve_bytes: int = RESERVE_BYTES
    ) -> None:
        self._program, self._features, self._root, self._reserve = program, features, root, reserve_bytes
        self.isolation = Isolation(
            filesystem=True,
            network=True,
            processes=True,
            main_process=True,
            memory=True,
            process_count=True,
            disk=True,
            fixed_paths=True,
            fresh_temporary=True,
            not_enforced=_NOT_ENFORCED if features.sized_tmpfs else (*_NOT_ENFORCED, _UNBOUNDED_TMP),
        )

    def run(self, command: Command, *, cancel: threading.Event | None = None) -> Outcome:
        """See Sandbox.run."""
        local.refuse_image(command)
        return local.run(
            command,
            lambda status, output: self._start(command, status, output),
            reserve_bytes=self._reserve,
            cancel=cancel,
        )

    def _start(self, command: Command, status: Pipe, output: Pipe) -> _Namespaced:
        contents = etc_files(self.layout.home, HOSTNAME, UID, GID)
        files: dict[str, int] = {}
        try:
            for path, content in contents.items():
                files[path] = os.memfd_create(path.rpartition("/")[2])
                os.write(files[path], content)
                os.lseek(files[path], 0, os.SEEK_SET)
            words = arguments(
                command,
                program=str(self._program),
                features=self._features,
                root=self._root,
                layout=self.layout,
                status_fd=status.writer,
                files=files,
            )
            process = subprocess.Popen(
                words,
                stdin=subprocess.DEVNULL,
                stdout=output.writer,
                stderr=subprocess.STDOUT,
                env={},
                pass_fds=[status.writer, *files.values()],
                start_new_session=True,
            )
        finally:
            for fd in files.values():
                os.close(fd)
        status.close_writer()
        output.close_writer()
        return _Namespaced(process, status.reader, output.reader)


class _Namespaced:
    """A command in namespaces: ending its first process ends every other, and bubblewrap goes after the last."""

    def __init__(self, process: subprocess.Popen[bytes], status_fd: int, output_fd: int) -> None:
        self.status_fd, self.output_fd = status_fd, output_fd
        self._process = process
        self._told = b""
        self._first: int | None = None
        self._killed = False

    def status(self, data: bytes) -> None:
        self._told += data
        if self._first is None and "child-pid" in (report := self._report()):
            try:
                self._first = os.pidfd_open(report["child-pid"])
            except ProcessLookupError:  # over already
                return

    def usage(self) -> supervise.Usage:
        return supervise.usage_below(self._process.pid)

    def kill(self) -> None:
        # Its number comes within milliseconds; until then there is nothing that could be ended for certain.
        if self._first is not None:
            self._killed = True
            try:
                signal.pidfd_send_signal(self._first, signal.SIGKILL)
            except ProcessLookupError:
                return

    def kill_hard(self) -> None:
        self._process.kill()

    def ended(self, said: bytes) -> tuple[int | None, str | None]:
        self._process.wait()
        code = self._report().get("exit-code")
        fault = None
        if self._first is not None:
            # Not select, which knows no descriptor beyond 1023.
            last = select.poll()
            last.register(self._first, select.POLLIN)
            if not last.poll(_LAST_WAIT * 1000):
                fault = "processes of the command could not be ended"
            os.close(self._first)
        if code is None and not self._killed:
            fault = fault or self._no_start(said)
        return code, fault

    def _no_start(self, said: bytes) -> str:
        if self._process.returncode < 0:
            return f"bubblewrap was ended by signal {-self._process.returncode}, perhaps for want of memory"
        return f"bubblewrap could not start the command: {said.decode(errors='replace').strip()}"

    def _report(self) -> dict[str, int]:
        """What bubblewrap has told so far: its documents, one a line, put together."""
        report: dict[str, int] = {}
        for line in self._told.splitlines(keepends=True):
            if line.endswith(b"\n"):
                report |= json.loads(line)
        return report
