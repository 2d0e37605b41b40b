"""Folders that untrusted commands have written to: removed whatever was done to them, read without being led astray.

It exists because such a folder may hold anything: folders nobody may enter, nesting deeper than a path can be long
or Python can recurse, links to elsewhere, pipes in place of files. What the files mean is left to their readers.
"""

from __future__ import annotations

import errno
import os
import secrets
import stat
from pathlib import Path
from typing import NamedTuple

_ROOT_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
_HANDLE_FLAGS = os.O_PATH | os.O_NOFOLLOW
_REPORTED = 20


class Stubborn(NamedTuple):
    """An entry that could not be removed: its path below the folder, and the system's reason."""

    path: str
    reason: str


def remove(folder: Path) -> tuple[Stubborn, ...]:
    """Remove a folder and all below it; links are removed, never followed. Nothing happens if it is not there.

    Returns the first entries that would not go (such as immutable files), empty if all is gone.
    """
    if not os.path.lexists(folder):
        return ()
    if folder.is_symlink() or not folder.is_dir():
        folder.unlink()
        return ()
    stubborn = empty(folder)
    if not stubborn:
        folder.rmdir()
    return stubborn


def empty(folder: Path) -> tuple[Stubborn, ...]:
    """Remove all that lies in a folder, as `remove` does, but keep the folder."""
    folder.chmod(0o700)
    root = os.open(folder, _ROOT_FLAGS)
    try:
        return _Emptying(root).run()
    finally:
        os.close(root)


def read_file(folder: Path, name: str, limit: int) -> bytes | None:
    """The content of a regular file directly in `folder`, at most its first `limit` bytes.

    None if there is no such file, or something else (a link, a pipe, a folder) in its place.
    """
    if "/" in name or name in {"", ".", ".."}:
        raise ValueError(f"{name!r} is not the name of a file in a folder")
    try:
        fd = os.open(folder / name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        if error.errno in {errno.ENOENT, errno.ELOOP, errno.ENXIO, errno.EACCES}:
            return None
        raise
    try:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            return None
        with os.fdopen(fd, "rb", closefd=False) as file:
            return file.read(limit)
    finally:
        os.close(fd)


class _Emptying:
    """Folders found on the way are moved up into the root, so that no path is ever longer than one name."""

    def __init__(self, root: int) -> None:
        self._root = root
        self._token = secrets.token_hex(8)
        self._count = 0
        self._waiting: list[tuple[bytes, str]] = []
        self._stubborn: list[Stubborn] = []

    def run(self) -> tuple[Stubborn, ...]:
        self._clear(self._root, "")
        while self._waiting:
            name, path = self._waiting.pop()
            self._remove_folder(name, path)
        return tuple(self._stubborn)

    def _remove_folder(self, name: bytes, path: str) -> None:
        try:
            fd = os.open(name, _ROOT_FLAGS, dir_fd=self._root)
        except OSError as error:
            self._report(path, error)
            return
        try:
            self._clear(fd, path)
        finally:
            os.close(fd)
        try:
            os.rmdir(name, dir_fd=self._root)
        except OSError as error:
            if error.errno != errno.ENOTEMPTY or not self._stubborn:
                self._report(path, error)

    def _clear(self, folder: int, path: str) -> None:
        """Unlink the files of an open folder, and line its folders up in the root."""
        for name in map(os.fsencode, os.listdir(folder)):
            below = f"{path}/{os.fsdecode(name)}" if path else os.fsdecode(name)
            try:
                if stat.S_ISDIR(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
                    self._open_up(name, folder)
                    self._line_up(name, folder, below)
                else:
                    os.unlink(name, dir_fd=folder)
            except FileNotFoundError:
                continue
            except OSError as error:
                self._report(below, error)

    @staticmethod
    def _open_up(name: bytes, folder: int) -> None:
        """Give the owner all rights to a folder; through a handle, so that no link can take its place."""
        handle = os.open(name, _HANDLE_FLAGS | os.O_DIRECTORY, dir_fd=folder)
        try:
            if os.fstat(handle).st_mode & 0o700 != 0o700:
                os.chmod(f"/proc/self/fd/{handle}", 0o700)  # noqa: PTH101 - by descriptor
        finally:
            os.close(handle)

    def _line_up(self, name: bytes, folder: int, path: str) -> None:
        place = name
        if folder != self._root:
            self._count += 1
            place = f".{self._token}-{self._count}".encode()
            os.rename(name, place, src_dir_fd=folder, dst_dir_fd=self._root)
        self._waiting.append((place, path))

    def _report(self, path: str, error: OSError) -> None:
        if len(self._stubborn) < _REPORTED:
            self._stubborn.append(Stubborn(path, os.strerror(error.errno or 0)))
