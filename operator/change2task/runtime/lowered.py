"""Plain processes of another user: for a machine that is one task's own, such as the container of a verifier.

It exists because a container seldom lets namespaces be made, while its root can give rights up. What runs can neither
signal this program, nor read the healthy tree, nor write the reward; files it should write are made its own before.
"""

from __future__ import annotations

import os
import shutil
import threading
from pathlib import Path
from typing import Final

import psutil

from change2task.runtime.disk import RESERVE_BYTES
from change2task.runtime.errors import SandboxError
from change2task.runtime.models import Command, Layout, Outcome
from change2task.runtime.plain import ISOLATION, PlainSandbox

USER: Final = 65534
"""Nobody: no file of any image is that user's."""


class LoweredSandbox:
    """Runs commands as plain processes of ``user``; ``root`` as for PlainSandbox. Needs root and setpriv."""

    name = "lowered"
    containers = None
    isolation = ISOLATION.replacing(
        not_enforced=(
            "files: a command can read what any user can, and write where any user can",
            *ISOLATION.not_enforced[1:2],
            "processes: a command sees all processes, and of its own user's it can end them, its main one included",
            *ISOLATION.not_enforced[3:],
        )
    )

    def __init__(self, root: Path, *, user: int = USER, reserve_bytes: int = RESERVE_BYTES) -> None:
        setpriv = shutil.which("setpriv")
        if setpriv is None or os.geteuid() != 0:
            raise SandboxError("to run commands as another user takes root and setpriv (util-linux)")
        self._plain, self._user = PlainSandbox(root, reserve_bytes=reserve_bytes), user
        self._prefix = (setpriv, f"--reuid={user}", f"--regid={user}", "--clear-groups", "--no-new-privs", "--")

    @property
    def layout(self) -> Layout:
        """See Sandbox.layout."""
        return self._plain.layout

    def run(self, command: Command, *, cancel: threading.Event | None = None) -> Outcome:
        """See Sandbox.run; what of the user's lives on somewhere is ended."""
        for mount in command.mounts:
            if mount.writable:
                self._give(mount.source)
        try:
            return self._plain.run(command.replacing(argv=(*self._prefix, *command.argv)), cancel=cancel)
        finally:
            self.end()

    def end(self) -> None:
        """End every process of the user, until there is none."""
        while found := [one for one in psutil.process_iter() if self._is_the_users(one)]:
            for process in found:
                try:
                    process.kill()
                except psutil.NoSuchProcess:
                    continue
            psutil.wait_procs(found, timeout=1)

    def _is_the_users(self, process: psutil.Process) -> bool:
        try:
            return process.uids().real == self._user and process.status() != psutil.STATUS_ZOMBIE
        except psutil.NoSuchProcess:
            return False

    def _give(self, folder: Path) -> None:
        os.chown(folder, self._user, self._user)
        for place, folders, files in os.walk(folder):
            for name in (*folders, *files):
                os.chown(os.path.join(place, name), self._user, self._user, follow_symlinks=False)  # noqa: PTH118
