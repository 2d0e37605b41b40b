"""Read a published source archive as the project's own files: paths, modes and bytes, nothing unpacked to disk.

What the packaging tool added is left out, for it changes with every release and is no one's work. Where archives come
from is left to ``fetch``, what is made of them to ``history``.
"""

from __future__ import annotations

import re
import tarfile
from dataclasses import dataclass
from pathlib import Path

REGULAR, EXECUTABLE, SYMLINK = 0o100644, 0o100755, 0o120000
_EGG_SECTION = re.compile(rb"^\[egg_info\]\r?\n(?:(?!\[).*(?:\n|\Z))*", flags=re.MULTILINE)


@dataclass(frozen=True)
class File:
    """A file's git mode and its content; a symbolic link's content is its target."""

    mode: int
    data: bytes


class ArchiveError(Exception):
    """The archive is not what a source archive is; the message names the archive and the member."""


def read_archive(path: Path) -> dict[bytes, File]:
    """The files of a source archive by path below its top folder, without the packaging tool's own.

    Raises ArchiveError for a member outside the one top folder and for devices and the like.
    """
    files: dict[bytes, File] = {}
    try:
        with tarfile.open(path) as tar:
            for member in tar:
                inner = _inner_path(path, member)
                if inner is None or member.isdir() or _is_packaging_noise(inner):
                    continue
                files[inner] = _read(path, tar, member)
    except (tarfile.TarError, EOFError, OSError) as error:
        raise ArchiveError(f"{path.name} cannot be read as a source archive: {error}") from error
    return _without_egg_section(files)


def _inner_path(archive: Path, member: tarfile.TarInfo) -> bytes | None:
    parts = member.name.encode("utf-8", "surrogateescape").removeprefix(b"./").split(b"/")
    if parts[0] in (b"", b"..") or any(part in (b"..", b".git") for part in parts):
        raise ArchiveError(f"{archive.name} holds {member.name!r}, which lies outside its folder or inside a .git")
    return b"/".join(part for part in parts[1:] if part not in (b"", b".")) or None


def _read(archive: Path, tar: tarfile.TarFile, member: tarfile.TarInfo) -> File:
    if member.issym():
        return File(SYMLINK, member.linkname.encode("utf-8", "surrogateescape"))
    if member.isfile() or member.islnk():
        stream = tar.extractfile(member)
        if stream is not None:
            return File(EXECUTABLE if member.mode & 0o100 else REGULAR, stream.read())
    raise ArchiveError(f"{archive.name} holds {member.name!r}, which is neither a file nor a link")


def _is_packaging_noise(path: bytes) -> bool:
    return path == b"PKG-INFO" or any(part.endswith(b".egg-info") for part in path.split(b"/"))


def _without_egg_section(files: dict[bytes, File]) -> dict[bytes, File]:
    """Setuptools appends ``[egg_info]`` to setup.cfg, or makes a setup.cfg for it alone."""
    config = files.get(b"setup.cfg")
    if config is None:
        return files
    data = _EGG_SECTION.sub(b"", config.data)
    rest = {path: file for path, file in files.items() if path != b"setup.cfg"}
    return {**rest, b"setup.cfg": File(config.mode, data.rstrip(b"\n") + b"\n")} if data.strip() else rest
