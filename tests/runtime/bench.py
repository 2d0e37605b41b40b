"""A sandbox with a workspace, as the runtime's tests use it."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import psutil

from change2task.runtime.models import Command, Limits, Mount, Outcome
from change2task.runtime.sandbox import Sandbox
from change2task.runtime.workspace import Workspace

SandboxMaker = Callable[..., Sandbox]


class Interpreter(NamedTuple):
    """A Python as a sandbox's commands find it, and what must be mounted for it."""

    program: str
    mounts: tuple[Mount, ...] = ()


class Bench:
    """Runs shell or Python text in one workspace of one sandbox."""

    def __init__(self, sandbox: Sandbox, workspace: Workspace, folder: Path, interpreter: Interpreter) -> None:
        self.sandbox, self.workspace, self.folder, self.interpreter = sandbox, workspace, folder, interpreter
        self.layout = sandbox.layout
        self.log = folder / "log"
        # Processes are found again by a word in their arguments that occurs nowhere else.
        self.token = uuid.uuid4().hex

    def command(self, *argv: str, mounts: tuple[Mount, ...] = (), network: bool = False, **limits: Any) -> Command:
        return Command(
            argv=argv,
            env={"PATH": "/usr/bin:/bin", "TOKEN": self.token},
            cwd=self.layout.work,
            mounts=(*self.interpreter.mounts, *self.workspace.mounts(self.layout), *mounts),
            network=network,
            limits=Limits(**{"seconds": 60, **limits}),
            log=self.log,
        )

    def shell(self, text: str, *, cancel: threading.Event | None = None, **more: Any) -> Outcome:
        return self.sandbox.run(self.command("sh", "-c", text, **more), cancel=cancel)

    def python(self, text: str, *words: str, cancel: threading.Event | None = None, **more: Any) -> Outcome:
        return self.sandbox.run(
            self.command(self.interpreter.program, "-I", "-S", "-c", text, *words, **more), cancel=cancel
        )

    @property
    def printed(self) -> str:
        return self.log.read_bytes().decode(errors="backslashreplace")

    def survivors(self) -> list[psutil.Process]:
        """Processes of this machine that carry the token, after a moment for those just killed to go."""
        _, alive = psutil.wait_procs(carrying(self.token), timeout=5)
        return alive


def carrying(token: str) -> list[psutil.Process]:
    found = []
    for process in psutil.process_iter():
        try:
            if any(token in word for word in process.cmdline()) and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
        except (psutil.NoSuchProcess, psutil.ZombieProcess):
            continue
    return found
