"""Which names stand anywhere in a tree: how the gates tell a word that the change coined from one that was there.

A word is looked for in the bytes of every file, comments and documents too: an agent can read those as well. What
follows from a word that is nowhere is left to the gates.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from change2task.vcs.repository import Repository
from change2task.vcs.trees import EXECUTABLE, FILE

_WORD = re.compile(rb"[A-Za-z_][A-Za-z0-9_]*")
_LARGEST = 2 << 20


def words_of(content: bytes) -> frozenset[str]:
    """Everything in it that could be an ASCII identifier."""
    return frozenset(word.decode() for word in _WORD.findall(content))


def standing(repository: Repository, tree: str, names: Collection[str]) -> frozenset[str]:
    """Those of the names that stand in a file of the tree; files beyond 2 MiB are not read."""
    left = set(names)
    for entry in repository.tree(tree).values():
        if not left:
            break
        if entry.mode not in {FILE, EXECUTABLE}:
            continue
        content = repository.blob(entry.oid)
        if len(content) <= _LARGEST:
            left -= words_of(content)
    return frozenset(names) - left
