"""Finds the best sandbox this machine offers, by trying it, or the one that is asked for.

It exists because bubblewrap may be missing, too old, or forbidden to make namespaces (in containers, by kernel
settings), and only a real run tells.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Literal, NamedTuple

from change2task.runtime.bubblewrap import BubblewrapSandbox, Features
from change2task.runtime.disk import RESERVE_BYTES
from change2task.runtime.docker.sandbox import DockerSandbox
from change2task.runtime.errors import SandboxError
from change2task.runtime.hostroot import HostRoot
from change2task.runtime.models import Command, Limits
from change2task.runtime.plain import PlainSandbox
from change2task.runtime.sandbox import Sandbox

_NEEDED = ("--clearenv", "--json-status-fd", "--as-pid-1", "--perms")
_PROBE_SECONDS = 20


class Choice(NamedTuple):
    """A sandbox, and where it is not the best there is, a sentence why."""

    sandbox: Sandbox
    reason: str | None


def choose(
    root: Path,
    *,
    only: Literal["bubblewrap", "plain", "docker"] | None = None,
    program: str = "bwrap",
    reserve_bytes: int = RESERVE_BYTES,
) -> Choice:
    """Bubblewrap where it works, else plain processes with their layout below the folder `root`.

    `only` takes one kind and no other; SandboxError says why bubblewrap or an engine cannot be had then. Containers
    are never chosen unasked: they need an image.
    """
    if only == "docker":
        return Choice(DockerSandbox.connect(reserve_bytes=reserve_bytes), None)
    if only == "plain":
        return Choice(PlainSandbox(root, reserve_bytes=reserve_bytes), None)
    found = bubblewrap(program, reserve_bytes=reserve_bytes)
    if isinstance(found, BubblewrapSandbox):
        return Choice(found, None)
    if only == "bubblewrap":
        raise SandboxError(found)
    return Choice(PlainSandbox(root, reserve_bytes=reserve_bytes), found)


def bubblewrap(program: str = "bwrap", *, reserve_bytes: int = RESERVE_BYTES) -> BubblewrapSandbox | str:
    """A sandbox that has proved to work, or the sentence why there is none."""
    try:
        os.close(os.pidfd_open(os.getpid()))
    except OSError as error:
        return f"the kernel has no process descriptors (5.3 or newer has): {error.strerror}"
    path = shutil.which(program)
    if path is None:
        return f"{program} is not installed; the package bubblewrap of your distribution has it"
    try:
        help_text = subprocess.run(
            [path, "--help"], capture_output=True, text=True, check=True, timeout=_PROBE_SECONDS
        ).stdout
    except (OSError, subprocess.SubprocessError) as error:
        return f"{path} does not run: {error}"
    lacking = [option for option in _NEEDED if option not in help_text]
    if lacking:
        return f"{path} is too old: it does not know {', '.join(lacking)}; 0.5 or newer does"
    features = Features(sized_tmpfs="--size" in help_text, disable_userns="--disable-userns" in help_text)
    sandbox = BubblewrapSandbox(Path(path), features, HostRoot.of_this_machine(), reserve_bytes=reserve_bytes)
    with tempfile.TemporaryDirectory(prefix="c2t-probe-") as folder:
        log = Path(folder) / "log"
        command = Command(argv=("true",), cwd="/", env={"PATH": "/usr/bin:/bin"}, limits=_probe_limits(), log=log)
        outcome = sandbox.run(command)
        if outcome.succeeded:
            return sandbox
        return f"{path} does not work here: {outcome.infrastructure or log.read_text(errors='replace').strip()}"


def _probe_limits() -> Limits:
    return Limits(seconds=_PROBE_SECONDS)
