"""An image that grows by commands: what each did to its files, outside of mounts, is kept as a layer.

It exists because setup may install what belongs to the system, and states must find it. Commands run as root, with the
few powers that installers need, in containers that are else like those of states. What a layer holds is also laid out
in a folder on this machine, so that whoever builds can look for what must not be in it.
"""

from __future__ import annotations

import io
import os
import shlex
import shutil
import tarfile
import threading
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import IO, Any, NamedTuple

import structlog

from change2task.runtime.docker import images
from change2task.runtime.docker.container import SETUP, Role
from change2task.runtime.docker.sandbox import DockerSandbox
from change2task.runtime.models import Command, Isolation, Layout, Limits, Mount, Outcome

_SCRIPT = "/c2t/command"
_IS_FOLDER = 1 << 31
_MODIFIED, _ADDED = 0, 1
_GIVE = Role(user="0:0", capabilities=("CHOWN", "DAC_OVERRIDE"))
_GIVE_SECONDS = 600

log = structlog.get_logger(__name__)


class GrowingImage:
    """A sandbox whose commands run as root on an image and leave layers there; a context manager.

    ``folder``, on this machine, is for its own use: it must be there, be empty, and outlive it. Leaving the context
    discards the layers.
    """

    name = "docker"

    def __init__(self, sandbox: DockerSandbox, image: str, folder: Path) -> None:
        self.image = image
        self.layers = folder / "layers"
        self._sandbox, self._start = sandbox, image
        self._command = folder / "command"
        self._own: list[str] = []
        self._given: dict[str, Mount] = {}
        for path in (self.layers, self._command):
            path.mkdir()

    @property
    def isolation(self) -> Isolation:
        """The engine's; but the image's files can be written."""
        return self._sandbox.isolation

    @property
    def layout(self) -> Layout:
        """The same as for states."""
        return self._sandbox.layout

    @property
    def containers(self) -> DockerSandbox:
        """See Sandbox.containers."""
        return self._sandbox

    def run(self, command: Command, *, cancel: threading.Event | None = None) -> Outcome:
        """See Sandbox.run; a layer is kept of a command that ended with exit code 0.

        The command's variables may hold secrets, and a container's own description is kept in the image: so they, and
        all else of the command, come by a file that only this container sees.
        """
        log.debug("command", line=shlex.join(command.argv), network=command.network, log=str(command.log or ""))
        words = ("/usr/bin/env", "-i", "--", *(f"{name}={value}" for name, value in command.env.items()), *command.argv)
        script = self._command / "run.sh"
        script.write_text(f"exec {shlex.join(words)}\n", encoding="utf-8", errors="surrogateescape")
        script.chmod(0o600)
        shown = command.replacing(
            argv=("/bin/sh", f"{_SCRIPT}/run.sh"),
            env={},
            image=self.image,
            mounts=(*command.mounts, Mount(source=self._command, target=_SCRIPT)),
        )
        self._given |= {mount.target: mount for mount in command.mounts if mount.writable}
        try:
            return self._sandbox.run_as(SETUP, shown, cancel=cancel, keep=lambda made: self._keep(made, shown))
        finally:
            script.unlink()

    def take_back(self) -> None:
        """Make all that commands wrote into mounts this program's own again, where it is not root itself."""
        if os.geteuid() == 0 or not self._given:
            return
        mounts = tuple(mount for mount in self._given.values() if mount.source.exists())
        command = Command(
            argv=("chown", "-R", "-h", self._sandbox.user, *(mount.target for mount in mounts)),
            env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"},
            cwd="/",
            image=self._start,
            mounts=mounts,
            limits=Limits(seconds=_GIVE_SECONDS, disk_bytes=1 << 50),
        )
        outcome = self._sandbox.run_as(_GIVE, command)
        if not outcome.succeeded:
            log.warning("folders.not_taken_back", outcome=outcome.document())

    def __enter__(self) -> GrowingImage:
        return self

    def __exit__(self, *_: object) -> None:
        self.discard()

    def discard(self) -> None:
        """Remove every layer that no named image stands on."""
        while self._own:
            images.discard(self._sandbox.engine, self._own.pop())

    def _keep(self, container: str, command: Command) -> None:
        client = self._sandbox.engine.client
        told: list[dict[str, Any]] = client.diff(container) or []
        changes = changed({one["Path"]: one["Kind"] for one in told}, _places(command, self.layout))
        if not changes.anything:
            return
        folder = self.layers / f"{len(list(self.layers.iterdir())):02d}"
        folder.mkdir()
        for path in changes.added:
            self._export(container, path, folder, new=True)
        for path in changes.modified:
            self._export(container, path, folder, new=False)
        self.image = client.commit(container)["Id"]
        self._own.append(self.image)
        log.debug("image.layer", image=self.image, added=len(changes.added), modified=len(changes.modified))

    def _export(self, container: str, path: str, folder: Path, *, new: bool) -> None:
        """Lay the regular files at or below a path out; of a folder that was there before only its rights changed."""
        pieces, status = self._sandbox.engine.client.get_archive(container, path)
        if not new and status["mode"] & _IS_FOLDER:
            return
        with tarfile.open(fileobj=io.BufferedReader(_Stream(pieces)), mode="r|") as tar:
            for member in tar:
                file = tar.extractfile(member) if member.isreg() else None
                if file is not None:
                    _lay(file, folder, PurePosixPath(path).parent / member.name)


class Changes(NamedTuple):
    """What a command did to an image's files: topmost new paths, changed ones, and whether there is anything at all."""

    added: tuple[str, ...]
    modified: tuple[str, ...]
    anything: bool


def changed(told: Mapping[str, int], places: Iterable[str]) -> Changes:
    """Read the engine's list of changes (path to 0 modified, 1 added, 2 removed); pure.

    ``places`` are the targets of mounts: they and the folders on the way to them are made by the engine.
    """
    ours = {ancestor for place in places for ancestor in (place, *_above(place))}
    inner = {ancestor for path in told for ancestor in _above(path)}
    added: list[str] = []
    modified: list[str] = []
    anything = False
    for path, kind in sorted(told.items()):
        if path in ours or (kind == _MODIFIED and path in inner):
            continue
        anything = True
        parent = str(PurePosixPath(path).parent)
        if kind == _MODIFIED:
            modified.append(path)
        elif kind == _ADDED and (told.get(parent) != _ADDED or parent in ours):
            added.append(path)
    return Changes(tuple(added), tuple(modified), anything)


def _above(path: str) -> Iterator[str]:
    return (str(parent) for parent in PurePosixPath(path).parents)


def _places(command: Command, layout: Layout) -> tuple[str, ...]:
    return (*(mount.target for mount in command.mounts), layout.tmp, layout.home, "/dev/shm")  # noqa: S108 - inside


def _lay(file: IO[bytes], folder: Path, name: PurePosixPath) -> None:
    """Write a file below ``folder``; no link ever lies there, so that none can lead astray."""
    if ".." in name.parts:
        raise OSError(f"{name} leads out of its archive")
    place = folder.joinpath(*name.parts[1:])
    place.parent.mkdir(parents=True, exist_ok=True)
    with place.open("wb") as target:
        shutil.copyfileobj(file, target)


class _Stream(io.RawIOBase):
    """Pieces of bytes as a file that is read once, from its beginning to its end."""

    def __init__(self, pieces: Iterable[bytes]) -> None:
        self._pieces = iter(pieces)
        self._left = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._left:
            piece = next(self._pieces, None)
            if piece is None:
                return 0
            self._left = piece
        count = min(len(buffer), len(self._left))
        buffer[:count], self._left = self._left[:count], self._left[count:]
        return count
