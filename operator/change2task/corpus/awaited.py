"""What runs were asked for, by name, so that a stopped one leaves no name unknown.

A verdict is stored once and whole, so of what had none when a run ended the store holds nothing; whoever asks after it
is to hear that, and not that there is no such candidate. The names lie in the cache: losing them loses no verdict.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable

from change2task.corpus.store import Store

_FILE = "awaited"


def expect(store: Store, names: Iterable[str]) -> None:
    """Note that a run was asked for these; only for whoever holds the store. Raises StoreUnwritable."""
    known = _read(store)
    if more := set(names) - known:
        text = "".join(f"{name}\n" for name in sorted(known | more))
        store.write(store.cache / _FILE, text.encode())


def is_expected(store: Store, name: str) -> bool:
    """Whether a run was asked for a base or candidate of this name; what came of it the store says."""
    return name in _read(store)


def _read(store: Store) -> set[str]:
    with contextlib.suppress(FileNotFoundError):
        return set((store.cache / _FILE).read_text(encoding="utf-8", errors="replace").split())
    return set()
