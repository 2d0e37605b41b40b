"""An export onto a disk: beside the one that lies there, then in its place, so that a killed one leaves the earlier.

The only file of this room that touches a disk. What is there and is no export of ours is never touched: a folder is
replaced only where all that it holds is what the earlier export's manifest says, byte for byte.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from change2task.corpus.exports.manifest import read_subjects
from change2task.corpus.exports.task import MANIFEST, Files
from change2task.patch.paths import quote

_NAMED = 5


class TakenOut(Exception):
    """The folder holds something else than an export; str() is the sentence."""


def earlier_manifest(out: Path) -> bytes | None:
    """The manifest of the export that lies at ``out``, which holds that export and nothing else; None: nothing does.

    An earlier export's files may be missing. Raises TakenOut and EarlierUnreadable.
    """
    if not os.path.lexists(out):
        return None
    if not out.is_dir():
        raise TakenOut("it is no folder; name one that is missing or empty, or an earlier export")
    path = out / MANIFEST
    if path.is_symlink() or not path.is_file():
        if any(out.iterdir()):
            raise TakenOut(f"it holds files and no {MANIFEST}; name a folder that is missing or empty")
        return None
    content = path.read_bytes()
    own = {**read_subjects(content), MANIFEST: hashlib.sha256(content).hexdigest()}
    found = sorted(_foreign(out, own))
    if found:
        more = f" and {len(found) - _NAMED} more" if len(found) > _NAMED else ""
        raise TakenOut(
            "it holds what is not the earlier export's, or was changed since, and would be lost:"
            f" {', '.join(found[:_NAMED])}{more}; move it elsewhere, or name another folder"
        )
    return content


def _foreign(out: Path, own: Mapping[str, str | None]) -> Iterator[str]:
    """Quoted paths in ``out`` that are none of its ``own`` files, path to SHA-256, and no folder above one."""
    folders = {str(above) for name in own for above in PurePosixPath(name).parents}
    for at, inner, names in os.walk(out, onerror=_raised):
        for name in list(inner):
            path = Path(at, name)
            if path.is_symlink() or path.relative_to(out).as_posix() not in folders:
                inner.remove(name)
                yield quote(os.fsencode(path.relative_to(out))) + "/"
        for name in names:
            path = Path(at, name)
            told = path.relative_to(out).as_posix()
            if told not in own or not _is(path, own[told]):
                yield quote(os.fsencode(told))


def _raised(error: OSError) -> None:
    """A folder that cannot be read may hold anything."""
    raise error


def _is(path: Path, digest: str | None) -> bool:
    if path.is_symlink() or not path.is_file():
        return False
    if digest is None:
        return True
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest() == digest


@contextmanager
def writing(out: Path) -> Iterator[Callable[[Files], None]]:
    """Takes files, and at the end puts all of them in the place of what ``earlier_manifest`` finds at ``out``.

    Where the block ends with an exception, ``out`` stays as it was; so it does where something else lies there by
    then. Raises OSError, TakenOut and EarlierUnreadable.
    """
    out = out.resolve()
    out.parent.mkdir(parents=True, exist_ok=True)
    # A folder of a name that nobody else has, so that whatever lies beside is not ours to remove.
    room = Path(tempfile.mkdtemp(prefix=".change2task-export-", dir=out.parent))
    part, old = room / "part", room / "old"

    def take(files: Files) -> None:
        for name, file in files.items():
            path = part / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(file.content)
            path.chmod(0o755 if file.executable else 0o644)

    try:
        part.mkdir()
        yield take
        if earlier_manifest(out) is not None:
            out.rename(old)
        # Over an empty folder, or none: whatever came there meanwhile is refused.
        part.rename(out)
    except BaseException:
        if old.exists():
            # Fails where something else took its place: then the earlier export stays in the room.
            old.rename(out)
        shutil.rmtree(room, ignore_errors=True)
        raise
    shutil.rmtree(room)
