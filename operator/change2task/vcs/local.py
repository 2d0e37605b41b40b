"""A repository on this machine brought into a mirror by its files: quick, and possible where git itself would give up.

Fetching from a repository that misses some old blobs fails as a whole; its packs and loose objects copied (hard links
where the file system has them: git never changes such a file, it only removes names) lose nothing that was there. No
git process runs in the source but to list its references.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path

from change2task.patch.paths import MalformedPath, unquote_bytes
from change2task.vcs.errors import NotARepository
from change2task.vcs.names import Names
from change2task.vcs.place import Place

_PACK = re.compile(r"pack-[0-9a-f]{40,64}")
_FOLDER = re.compile(r"[0-9a-f]{2}")
_LOOSE = re.compile(r"[0-9a-f]{38}(?:[0-9a-f]{24})?")
_MOST_STORES = 32
_KEPT = re.compile(r"refs/(?:heads/|tags/|remotes/|pull/[0-9]+/head$|merge-requests/[0-9]+/head$)")
_ATTEMPTS = 5
_COPIED = frozenset((errno.EXDEV, errno.EPERM, errno.EACCES, errno.EMLINK, errno.ENOTSUP))


def wanted_refs(names: Names) -> dict[str, str]:
    """The references of a source that a mirror takes over, with the ids they name themselves."""
    return {name: oid for name, oid in names.unpeeled().items() if _KEPT.match(name)}


def copy_objects(source: Place, target: Path) -> None:
    """Bring all objects of `source`, and of the stores it borrows from, into the object folder `target`.

    Raises NotARepository when the source is being repacked all the time.
    """
    for _ in range(_ATTEMPTS):
        before = _packs(source.objects)
        try:
            for store in _stores(source.objects):
                _copy_packs(store / "pack", target / "pack")
                _copy_loose(store, target)
        except FileNotFoundError:
            continue
        # Objects move to a new pack, and their old file goes, when the source is repacked meanwhile.
        if _packs(source.objects) == before:
            return
    raise NotARepository(str(source.git_dir), "it is being repacked again and again; try later")


def _packs(objects: Path) -> set[Path]:
    return {pack for store in _stores(objects) for pack in (store / "pack").glob("pack-*.pack")}


def _stores(first: Path) -> Iterator[Path]:
    waiting, seen = [first], set[Path]()
    while waiting:
        store = waiting.pop(0)
        if store in seen or not store.is_dir():
            continue
        seen.add(store)
        if len(seen) > _MOST_STORES:
            raise NotARepository(str(first), f"it borrows from more than {_MOST_STORES} other object stores")
        yield store
        alternates = store / "info" / "alternates"
        if alternates.is_file():
            waiting += [_lender(line, store) for line in alternates.read_bytes().splitlines() if _is_path(line)]


def _is_path(line: bytes) -> bool:
    return bool(line) and not line.startswith(b"#")


def _lender(line: bytes, store: Path) -> Path:
    try:
        raw = unquote_bytes(line)
    except MalformedPath as error:
        raise NotARepository(str(store), f"its list of borrowed object stores is damaged: {error}") from error
    return Path(os.path.normpath(store / os.fsdecode(raw)))


def _copy_packs(source: Path, target: Path) -> None:
    if not source.is_dir():
        return
    for pack in sorted(source.glob("pack-*.pack")):
        index = pack.with_suffix(".idx")
        if _PACK.fullmatch(pack.stem) and _is_regular(pack) and _is_regular(index):
            # Git finds a pack by its index, which therefore comes last.
            _bring(pack, target / pack.name)
            _bring(index, target / index.name)


def _copy_loose(source: Path, target: Path) -> None:
    for folder in sorted(source.iterdir()):
        if not _FOLDER.fullmatch(folder.name) or folder.is_symlink() or not folder.is_dir():
            continue
        names = [entry.name for entry in os.scandir(folder) if _LOOSE.fullmatch(entry.name)]
        if names:
            (target / folder.name).mkdir(exist_ok=True)
        for name in names:
            if _is_regular(folder / name):
                _bring(folder / name, target / folder.name / name)


def _is_regular(path: Path) -> bool:
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except FileNotFoundError:
        return False


def _bring(source: Path, target: Path) -> None:
    if target.exists():
        return
    try:
        os.link(source, target, follow_symlinks=False)
    except FileExistsError:
        return
    except OSError as error:
        if error.errno not in _COPIED:
            raise
        partial = target.with_name(f"tmp_{target.name}")
        shutil.copyfile(source, partial, follow_symlinks=False)
        partial.chmod(0o444)
        partial.rename(target)
