"""A tree laid out in a folder byte for byte, the same every time: content, executable bits, links and times.

Everything goes in through open folders of our own making, so that no path and no link of a hostile tree leads
outside. Running anything there is left to the runtime.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

from change2task.vcs.errors import UnsafePath
from change2task.vcs.repository import Repository
from change2task.vcs.trees import EXECUTABLE, SUBMODULE, SYMLINK, Entry, Tree

# Late enough for zip archives, which know no year before 1980, and early enough to be older than whatever a test
# writes.
EPOCH = 946_684_800
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
# Names that some file systems take for `.git`: other cases, trailing dots and blanks, a stream, the short name, and
# characters that are ignored in comparisons.
_IGNORED = re.compile("[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]")
_GIT = re.compile(r"(?:\.git|git~1)[ .]*(?::.*)?", re.I | re.S)


def materialise(repository: Repository, tree: Tree, folder: Path, *, epoch: int = EPOCH) -> None:
    """Lay out every entry of `tree` in `folder`, which is made, or is there and empty.

    Files get 0644 or 0755 whatever the umask; links are made and never followed; submodules are empty folders.
    Every time is `epoch` (seconds). Raises UnsafePath before anything is written, MissingObject, FileExistsError
    when `folder` is not empty.
    """
    check_paths(tree)
    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.iterdir()):
        raise FileExistsError(f"{folder} is not empty; a tree is laid out in a fresh folder only")
    folders = _folders(tree)
    for path in folders:
        _under(folder, path).mkdir(mode=0o755)
    _write_files(repository, {path: entry for path, entry in tree.items() if entry.mode != SUBMODULE}, folder)
    for path in tree:
        os.utime(_under(folder, path), (epoch, epoch), follow_symlinks=False)
    for path in reversed(folders):
        _under(folder, path).chmod(0o755)
        os.utime(_under(folder, path), (epoch, epoch))
    os.utime(folder, (epoch, epoch))


def check_paths(tree: Tree) -> None:
    """Refuse paths that would leave the folder or reach git's data. Raises UnsafePath."""
    for path in tree:
        check_path(path)
    names = set(tree)
    for path in tree:
        for parent in _parents(path):
            if parent in names:
                raise UnsafePath(path, "it lies below a path that is itself a file or a link")


def check_path(path: bytes) -> None:
    """Refuse one path that would leave its folder or reach git's data. Raises UnsafePath."""
    if path.startswith(b"/"):
        raise UnsafePath(path, "it is absolute")
    if b"\0" in path:
        raise UnsafePath(path, "it holds a NUL")
    for part in path.split(b"/"):
        if part in (b"", b".", b".."):
            raise UnsafePath(path, f"{part.decode()!r} is no name of a file")
        if _GIT.fullmatch(_IGNORED.sub("", part.decode(errors="surrogateescape"))):
            raise UnsafePath(path, "it reaches git's own data")


def _parents(path: bytes) -> list[bytes]:
    parts = path.split(b"/")
    return [b"/".join(parts[:count]) for count in range(1, len(parts))]


def _folders(tree: Tree) -> list[bytes]:
    found: set[bytes] = set()
    for path, entry in tree.items():
        found.update(_parents(path))
        if entry.mode == SUBMODULE:
            found.add(path)
    return sorted(found)


def _under(folder: Path, path: bytes) -> Path:
    return folder / os.fsdecode(path)


def _write_files(repository: Repository, entries: Mapping[bytes, Entry], folder: Path) -> None:
    contents = repository.blobs(entry.oid for entry in entries.values())
    for (path, entry), data in zip(entries.items(), contents, strict=True):
        target = _under(folder, path)
        if entry.mode == SYMLINK:
            if b"\0" in data or not data:
                raise UnsafePath(path, "it is a link to a name that no file can have")
            target.symlink_to(os.fsdecode(data))
            continue
        mode = 0o755 if entry.mode == EXECUTABLE else 0o644
        descriptor = os.open(target, _NEW, mode)
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            os.fchmod(file.fileno(), mode)
