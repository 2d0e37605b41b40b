"""A cache elsewhere for a store that cannot be written: who only grades or replays changes nothing that is kept.

A store may lie on a read-only disk or belong to somebody else. What its cache holds is used where it is, through links;
what is made anew goes to a folder of the user's own, which may be thrown away at any time.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import structlog

from change2task.corpus.errors import StoreUnwritable
from change2task.corpus.store import Store

_USED_IN_PLACE = ("environments", "mirrors", "inventories")
log = structlog.get_logger(__name__)


def readable(store: Store, environ: Mapping[str, str] = os.environ) -> Store:
    """The store itself where its cache can be written, else the store with a cache of the user's own.

    Raises StoreUnwritable where there is no place for one either.
    """
    if os.access(store.cache if store.cache.is_dir() else store.path, os.W_OK | os.X_OK):
        return store
    name = hashlib.sha256(os.fsencode(store.path)).hexdigest()[:16]
    refusal = OSError("there is no place to write to")
    for place in _places(environ):
        try:
            folder = place / "change2task" / name
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            _lend(store.cache, folder)
        except OSError as error:
            refusal = error
            continue
        log.debug("store.read_only", store=str(store.path), cache=str(folder))
        return store.with_cache(folder)
    raise StoreUnwritable(store.cache, refusal)


def _places(environ: Mapping[str, str]) -> Iterator[Path]:
    if cache := environ.get("XDG_CACHE_HOME"):
        yield Path(cache)
    if home := environ.get("HOME"):
        yield Path(home) / ".cache"
    # Others may write there too, so the folder is named by its owner and closed to them.
    yield Path(tempfile.gettempdir()) / f"change2task-{os.getuid()}"


def _lend(cache: Path, folder: Path) -> None:
    if folder.stat().st_uid != os.getuid():
        raise PermissionError(f"{folder} belongs to somebody else")
    for kind in _USED_IN_PLACE:
        (folder / kind).mkdir(exist_ok=True)
        for lent in (cache / kind).iterdir() if (cache / kind).is_dir() else ():
            link = folder / kind / lent.name
            if not lent.name.startswith(".") and not lent.name.endswith(".lock") and not os.path.lexists(link):
                link.symlink_to(lent)
