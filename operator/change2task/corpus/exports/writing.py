"""An export onto a disk: beside the one that lies there, then in its place, so that a killed one leaves the earlier.

The only file of this room that touches a disk. What is there and is no export of ours is never touched.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from change2task.corpus.exports.task import MANIFEST, Files


class TakenOut(Exception):
    """The folder holds something else than an export; str() is the sentence."""


def earlier_manifest(out: Path) -> bytes | None:
    """The manifest of the export that lies at ``out``; None where nothing does. Raises TakenOut."""
    if not os.path.lexists(out):
        return None
    if not out.is_dir():
        raise TakenOut(f"{out} is no folder; name one that is missing or empty, or an earlier export")
    path = out / MANIFEST
    if path.is_file():
        return path.read_bytes()
    if any(out.iterdir()):
        raise TakenOut(f"{out} holds files and no {MANIFEST}; name a folder that is missing or empty")
    return None


@contextmanager
def writing(out: Path) -> Iterator[Callable[[Files], None]]:
    """Takes files, and at the end puts all of them in the place of what ``earlier_manifest`` found at ``out``.

    Where the block ends with an exception, ``out`` stays as it was. Raises OSError.
    """
    out = out.absolute()
    part, old = (out.with_name(f".{out.name}.{word}") for word in ("part", "old"))
    for left in (part, old):
        if left.exists():
            shutil.rmtree(left)

    def take(files: Files) -> None:
        for name, file in files.items():
            path = part / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(file.content)
            path.chmod(0o755 if file.executable else 0o644)

    try:
        yield take
    except BaseException:
        shutil.rmtree(part, ignore_errors=True)
        raise
    if os.path.lexists(out):
        out.rename(old)
    part.rename(out)
    if old.exists():
        shutil.rmtree(old)
