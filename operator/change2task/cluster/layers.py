"""Layers of images as tar archives: the same files give the same bytes, on any machine and at any time.

It exists because images here are told apart by digest alone, so nothing that chance decides (times, owners, the
order of a folder) may get into a layer. Compressing and pushing them is the registry client's.
"""

from __future__ import annotations

import io
import stat
import tarfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import IO

from change2task.api.model import Model

OWNER = 1000
"""User and group of our trusted containers."""


class LayerFile(Model):
    """A file of a layer: its content and its permissions."""

    content: bytes
    mode: int = 0o644


def layer_of(files: Mapping[str, LayerFile | bytes], *, owner: int = OWNER) -> bytes:
    """An uncompressed tar of files by absolute path, with their folders; all belong to ``owner``, user and group."""
    out = io.BytesIO()
    with _archive(out) as tar:
        known: set[str] = set()
        for path in sorted(files):
            name, given = _name(path), files[path]
            file = given if isinstance(given, LayerFile) else LayerFile(content=given)
            _folders(tar, name, known, owner)
            info = _info(name, tarfile.REGTYPE, file.mode, owner)
            info.size = len(file.content)
            tar.addfile(info, io.BytesIO(file.content))
    return out.getvalue()


def write_layer(out: IO[bytes], sources: Iterable[tuple[Path, str]], *, owner: int = OWNER) -> None:
    """Write an uncompressed tar of whole folders, or files, each to its absolute path in the image.

    Folders, regular files and links are taken, with their permissions; whatever else lies there is left out. Raises
    OSError.
    """
    with _archive(out) as tar:
        known: set[str] = set()
        for source, target in sorted(sources, key=lambda pair: pair[1]):
            name = _name(target)
            _folders(tar, name, known, owner)
            _add(tar, source, name, owner)
            if source.is_dir() and not source.is_symlink():
                for path in sorted(source.rglob("*"), key=lambda path: path.relative_to(source).parts):
                    _add(tar, path, f"{name}/{path.relative_to(source)}", owner)


def unpack(content: bytes, folder: Path) -> None:
    """Lay out below ``folder`` what ``write_layer`` packed, owners left aside.

    Nothing is written through a link, nor outside. Raises OSError, tarfile.TarError, ValueError.
    """
    with tarfile.open(fileobj=io.BytesIO(content)) as tar:
        for member in tar:
            place = folder.joinpath(*_name(f"/{member.name}").split("/"))
            if any((folder / parent).is_symlink() for parent in place.relative_to(folder).parents):
                raise ValueError(f"{member.name!r} lies behind a link")
            if member.isdir():
                place.mkdir(parents=True, exist_ok=True)
            elif member.issym():
                place.parent.mkdir(parents=True, exist_ok=True)
                place.symlink_to(member.linkname)
            elif (file := tar.extractfile(member)) is not None:
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(file.read())
                place.chmod(member.mode)


def _archive(out: IO[bytes]) -> tarfile.TarFile:
    return tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT, encoding="utf-8", errors="surrogateescape")


def _add(tar: tarfile.TarFile, path: Path, name: str, owner: int) -> None:
    status = path.lstat()
    mode = stat.S_IMODE(status.st_mode) & 0o777
    if stat.S_ISDIR(status.st_mode):
        tar.addfile(_info(name, tarfile.DIRTYPE, mode, owner))
    elif stat.S_ISLNK(status.st_mode):
        info = _info(name, tarfile.SYMTYPE, 0o777, owner)
        info.linkname = str(path.readlink())
        tar.addfile(info)
    elif stat.S_ISREG(status.st_mode):
        info = _info(name, tarfile.REGTYPE, mode, owner)
        info.size = status.st_size
        with path.open("rb") as file:
            tar.addfile(info, file)


def _folders(tar: tarfile.TarFile, name: str, known: set[str], owner: int) -> None:
    parts = name.split("/")[:-1]
    for depth in range(1, len(parts) + 1):
        folder = "/".join(parts[:depth])
        if folder not in known:
            known.add(folder)
            tar.addfile(_info(folder, tarfile.DIRTYPE, 0o755, owner))


def _info(name: str, kind: bytes, mode: int, owner: int) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.mode, info.uid, info.gid, info.mtime = kind, mode, owner, owner, 0
    return info


def _name(path: str) -> str:
    parts = path.split("/")
    if parts[0] or any(part in {"", ".", ".."} for part in parts[1:]):
        raise ValueError(f"{path!r} is no absolute path of a file in an image")
    return "/".join(parts[1:])
