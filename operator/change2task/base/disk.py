"""What environments take on disk, and how bases share it.

It exists because twenty bases hold the same pytest. Equal files are linked to one copy in a pool that no sandbox
ever sees writable, so that setup code of one repository cannot alter what another gets.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from hashlib import file_digest
from pathlib import Path

_BLOCK = 4096
_WORTH = 4096


def taken(*roots: Path) -> int:
    """Bytes that folders take in blocks of 4 KiB; a file linked several times counts once.

    What a file system allocates in truth depends on how it happened to lay files out, and this goes into a status.
    """
    seen: set[tuple[int, int]] = set()
    total = 0
    for root in roots:
        for status in _statuses(root):
            if (identity := (status.st_dev, status.st_ino)) not in seen:
                seen.add(identity)
                total += _BLOCK if stat.S_ISDIR(status.st_mode) else -(-status.st_size // _BLOCK) * _BLOCK
    return total


def _statuses(root: Path) -> Iterator[os.stat_result]:
    for folder, _, names in os.walk(root):
        yield Path(folder).lstat()
        for name in names:
            yield (Path(folder) / name).lstat()


def share(root: Path, pool: Path) -> None:
    """Replace larger files below ``root`` by links to equal files of the pool, adding those it lacks.

    Both must lie on one file system; where that cannot link (or a file has too many links) files stay as they are.
    """
    for folder, _, names in os.walk(root):
        for name in names:
            path = Path(folder) / name
            status = path.lstat()
            if not stat.S_ISREG(status.st_mode) or status.st_size < _WORTH:
                continue
            with path.open("rb") as file:
                digest = file_digest(file, "sha256").hexdigest()
            pooled = pool / digest[:2] / f"{digest}-{stat.S_IMODE(status.st_mode):o}"
            pooled.parent.mkdir(parents=True, exist_ok=True)
            # Renaming a link over another link of the same file does nothing, and would leave both.
            if not _link(path, pooled) and pooled.exists() and not pooled.samefile(path):
                temporary = path.with_name(f".{name}.c2t-link")
                if _link(pooled, temporary):
                    temporary.replace(path)


def _link(source: Path, target: Path) -> bool:
    """Whether ``target`` was made; a target that is there, or a file system without links, is no fault."""
    try:
        target.hardlink_to(source)
    except OSError:
        return False
    return True
