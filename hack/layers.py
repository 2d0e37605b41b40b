"""Image layers and image archives, written without a container engine.

The same inputs give the same bytes: entries are sorted, times are one constant, owners and modes are those of the tree.
An archive has the form of ``docker save``, which Docker's ``load`` and containerd's ``import`` both read.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import stat
import tarfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, Any

MOMENT = 1_767_225_600
"""2026-01-01, the time of every file in every layer."""

PRIVILEGED = stat.S_ISUID | stat.S_ISGID
REMOVED = ".wh."
"""Before the name of a file that a layer takes away."""


@dataclass(frozen=True)
class _Entry:
    mode: int
    kind: bytes
    content: bytes | Path = b""
    target: str = ""
    owner: tuple[int, int] = (0, 0)

    def same(self, other: _Entry) -> bool:
        """Whether both give the same bytes in a layer."""
        alike = (self.mode, self.kind, self.target, self.owner) == (other.mode, other.kind, other.target, other.owner)
        return alike and self.data() == other.data()

    def data(self) -> bytes:
        """The file's bytes."""
        return self.content.read_bytes() if isinstance(self.content, Path) else self.content


@dataclass(frozen=True)
class Layer:
    """A layer on disk: an uncompressed tar and its digest."""

    path: Path
    digest: str


@dataclass
class LayerBuilder:
    """Collects what a layer shall hold; paths are relative to the image's root and never go through links."""

    _entries: dict[str, _Entry] = field(default_factory=dict)

    def folder(self, path: str, mode: int = 0o755) -> None:
        """An empty folder, or the mode of one that is there."""
        self._add(path, _Entry(mode, tarfile.DIRTYPE))

    def file(self, path: str, content: bytes | str | Path, mode: int = 0o644) -> None:
        """A file with these bytes, or with those of a file on disk when the layer is written."""
        self._add(path, _Entry(mode, tarfile.REGTYPE, content.encode() if isinstance(content, str) else content))

    def link(self, path: str, target: str) -> None:
        """A symbolic link."""
        self._add(path, _Entry(0o777, tarfile.SYMTYPE, target=target))

    def tree(
        self, root: Path, *, into: str = "", without: Callable[[str], bool] = lambda _: False, mode: int | None = None
    ) -> None:
        """All folders, files and links below ``root`` but those that ``without`` names by their path there.

        With ``mode`` all files have that one and belong to root; else owners and modes are the tree's. Devices and
        sockets are left out; a file with two names becomes two files.
        """
        for folder, folders, files in os.walk(root):
            here = os.path.relpath(folder, root)
            for name in sorted((*folders, *files)):
                path = name if here == "." else f"{here}/{name}"
                if without(path):
                    if name in folders:
                        folders.remove(name)
                    continue
                self._take(root / path, f"{into}/{path}".lstrip("/"), mode)

    def content(self, path: str) -> bytes:
        """The bytes of a file in it."""
        return self._entries[path].data()

    def beyond(self, below: LayerBuilder) -> LayerBuilder:
        """What has to lie on ``below`` so that both together are this; what only that has is marked as removed."""
        above = LayerBuilder()
        for path, entry in self._entries.items():
            there = below._entries.get(path)
            if there is None or not entry.same(there):
                for ancestor in _ancestors(path):
                    above._entries[ancestor] = self._entries[ancestor]
                above._entries[path] = entry
        for path in below._entries:
            folder, _, name = path.rpartition("/")
            if path not in self._entries and (not folder or folder in self._entries):
                above.file(f"{folder}/{REMOVED}{name}".lstrip("/"), b"")
        return above

    def drop_privileges(self) -> None:
        """Take the bits from programs by which who starts them becomes someone else."""
        for path, entry in self._entries.items():
            if entry.kind == tarfile.REGTYPE and entry.mode & PRIVILEGED:
                self._entries[path] = replace(entry, mode=entry.mode & ~PRIVILEGED)

    def write(self, target: Path) -> Layer:
        """The layer as a tar file, whole or not at all."""
        target.parent.mkdir(parents=True, exist_ok=True)
        partial = target.with_name(target.name + ".partial")
        digest = hashlib.sha256()
        with partial.open("wb") as file, tarfile.open(fileobj=_Hashing(file, digest), mode="w|") as archive:
            for path in sorted(self._entries, key=lambda path: path.split("/")):
                _append(archive, path, self._entries[path])
        partial.rename(target)
        target.with_suffix(".digest").write_text(digest.hexdigest())
        return Layer(target, digest.hexdigest())

    def _take(self, source: Path, path: str, mode: int | None) -> None:
        status = source.lstat()
        owner = (status.st_uid, status.st_gid) if mode is None else (0, 0)
        bits = stat.S_IMODE(status.st_mode)
        if stat.S_ISLNK(status.st_mode):
            self._add(path, _Entry(0o777, tarfile.SYMTYPE, target=str(source.readlink()), owner=owner))
        elif stat.S_ISDIR(status.st_mode):
            self._add(path, _Entry(bits if mode is None else 0o755, tarfile.DIRTYPE, owner=owner))
        elif stat.S_ISREG(status.st_mode):
            self._add(path, _Entry(bits if mode is None else mode, tarfile.REGTYPE, source, owner=owner))

    def _add(self, path: str, entry: _Entry) -> None:
        parent = path.rpartition("/")[0]
        if parent and parent not in self._entries:
            self._add(parent, _Entry(0o755, tarfile.DIRTYPE))
        self._entries[path] = entry


def _ancestors(path: str) -> list[str]:
    parts = path.split("/")
    return ["/".join(parts[:end]) for end in range(1, len(parts))]


def written_layer(target: Path) -> Layer:
    """A layer that was written before."""
    return Layer(target, target.with_suffix(".digest").read_text())


@dataclass(frozen=True)
class Image:
    """What an archive says of an image: its names, its layers, and how it is run."""

    names: tuple[str, ...]
    layers: tuple[Layer, ...]
    architecture: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    """The ``config`` of the image specification: Env, Entrypoint, Cmd, WorkingDir, StopSignal, Labels, Volumes."""
    made_by: str = "hack/kind"

    def configuration(self) -> bytes:
        """The image's configuration file; its digest is the image's identity."""
        return json.dumps(
            {
                "architecture": self.architecture,
                "os": "linux",
                "created": "2026-01-01T00:00:00Z",
                "config": dict(self.settings),
                "rootfs": {"type": "layers", "diff_ids": [f"sha256:{layer.digest}" for layer in self.layers]},
                "history": [{"created": "2026-01-01T00:00:00Z", "created_by": self.made_by} for _ in self.layers],
            },
            sort_keys=True,
        ).encode()

    @property
    def identity(self) -> str:
        """``sha256:…`` as engines print it."""
        return f"sha256:{hashlib.sha256(self.configuration()).hexdigest()}"


def write_archive(stream: IO[bytes], images: Iterable[Image]) -> None:
    """Images with their layers, each layer once, as ``docker save`` would write them."""
    manifest = []
    written: set[str] = set()
    with tarfile.open(fileobj=stream, mode="w|") as archive:
        for image in images:
            configuration = image.configuration()
            name = f"{image.identity.removeprefix('sha256:')}.json"
            _append(archive, name, _Entry(0o644, tarfile.REGTYPE, configuration))
            for layer in image.layers:
                if layer.digest not in written:
                    written.add(layer.digest)
                    _append(archive, f"{layer.digest}.tar", _Entry(0o644, tarfile.REGTYPE, layer.path))
            layers = [f"{layer.digest}.tar" for layer in image.layers]
            manifest.append({"Config": name, "RepoTags": list(image.names), "Layers": layers})
        _append(archive, "manifest.json", _Entry(0o644, tarfile.REGTYPE, json.dumps(manifest).encode()))


def _append(archive: tarfile.TarFile, path: str, entry: _Entry) -> None:
    info = tarfile.TarInfo(path)
    info.mode, info.type, info.linkname, info.mtime = entry.mode, entry.kind, entry.target, MOMENT
    info.uid, info.gid = entry.owner
    if entry.kind != tarfile.REGTYPE:
        archive.addfile(info)
    elif isinstance(entry.content, Path):
        with entry.content.open("rb") as stream:
            info.size = os.fstat(stream.fileno()).st_size
            archive.addfile(info, stream)
    else:
        info.size = len(entry.content)
        archive.addfile(info, io.BytesIO(entry.content))


class _Hashing(io.RawIOBase):
    """Lets a digest see what is written."""

    def __init__(self, stream: IO[bytes], digest: Any) -> None:
        super().__init__()
        self._stream, self._digest = stream, digest

    def write(self, data: Any) -> int:
        """Give the bytes to both."""
        self._digest.update(data)
        return self._stream.write(data)
