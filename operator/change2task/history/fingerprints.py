"""Whether two changes are the same change: a digest of a diff without positions, blank space and object ids.

Git's patch-id does this for whole commits; here it must also hold for a selection of files (a revert that leaves
the change log alone is a revert) and for the inverse of a change, so it is taken of the diff's bytes.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection

from change2task.vcs.repository import Repository

_HUNK = re.compile(rb"^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@.*$")
_BLANK = re.compile(rb"\s+")


def fingerprint(patch: bytes) -> str:
    """SHA-256 over the patch's files and lines, context included, without line numbers and white space; '' if empty."""
    digest = hashlib.sha256()
    for line in patch.split(b"\n"):
        if line.startswith(b"index ") or not line:
            continue
        digest.update(b"@@" if _HUNK.match(line) else _BLANK.sub(b"", line))
        digest.update(b"\n")
    return digest.hexdigest() if patch else ""


def difference(repo: Repository, before: str | None, after: str | None, paths: Collection[bytes] | None = None) -> str:
    """The fingerprint of what lies between two commits; None is the empty tree. Raises MissingObject."""
    return fingerprint(repo.diff(before or repo.empty_tree, after or repo.empty_tree, paths=paths))


def changed_paths(repo: Repository, before: str | None, after: str) -> frozenset[bytes]:
    """The paths that differ between two commits; None is the empty tree. Raises MissingObject."""
    old, new = repo.tree(before or repo.empty_tree), repo.tree(after)
    return frozenset(path for path in {*old, *new} if old.get(path) != new.get(path))
