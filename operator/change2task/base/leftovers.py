"""What setup left in the work folder beside the project's files, kept for every state after it.

It exists because installers write there (egg-info, node_modules) and states begin from a bare tree. Tracked files
are not among them: a state's tree brings its own. Byte-code and repositories that setup made are dropped.
"""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Container
from pathlib import Path

from change2task.patch.paths import quote


def keep(work: Path, tracked: Container[bytes], target: Path) -> tuple[str, ...]:
    """Move what is not tracked from ``work`` to ``target``; returns its quoted paths, sorted."""
    target.mkdir(parents=True)
    kept: list[str] = []
    for folder, folders, names in os.walk(work):
        here = Path(folder)
        folders[:] = [name for name in sorted(folders) if not _dropped(here / name)]
        links = [name for name in folders if (here / name).is_symlink()]
        for name in sorted([*names, *links]):
            path = here / name
            relative = os.fsencode(path.relative_to(work))
            if relative in tracked or name.endswith((".pyc", ".pyo")) or not _file_or_link(path):
                continue
            home = target / path.relative_to(work)
            home.parent.mkdir(parents=True, exist_ok=True)
            path.rename(home)
            kept.append(quote(relative))
    return tuple(sorted(kept))


def drop_bytecode(root: Path) -> None:
    """Remove every ``__pycache__`` below a folder."""
    for folder, folders, _ in os.walk(root):
        for name in [name for name in folders if name == "__pycache__"]:
            path = Path(folder) / name
            if not path.is_symlink():
                folders.remove(name)
                shutil.rmtree(path)


def open_up(root: Path) -> None:
    """Give ourselves read and search rights in a folder and everywhere below, which setup or tests may have taken."""
    root.chmod(stat.S_IMODE(root.stat().st_mode) | 0o700)
    for folder, folders, names in os.walk(root):
        for name in folders:
            path = Path(folder) / name
            if not path.is_symlink():
                path.chmod(stat.S_IMODE(path.lstat().st_mode) | 0o700)
        for name in names:
            path = Path(folder) / name
            if stat.S_ISREG(mode := path.lstat().st_mode) and not mode & stat.S_IRUSR:
                path.chmod(stat.S_IMODE(mode) | 0o400)


def _dropped(path: Path) -> bool:
    return path.name in {"__pycache__", ".git"} and not path.is_symlink()


def _file_or_link(path: Path) -> bool:
    mode = path.lstat().st_mode
    return stat.S_ISREG(mode) or stat.S_ISLNK(mode)
