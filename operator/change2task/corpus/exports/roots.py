"""A tree as a stream for ``git fast-import``: one root commit, byte for byte, whatever attributes the tree carries.

It exists because an archive can hold no commit, and ``git add`` changes bytes where ``.gitattributes`` says so. The
stream has no date but the one given, so its commit has the same id wherever it is read.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Final

from change2task.corpus.exports.task import Leaf, NotExportable
from change2task.patch.paths import quote
from change2task.vcs.trees import SUBMODULE

_WHO: Final = b"change2task <tasks@change2task.invalid>"
_MESSAGE: Final = b"The project as it is given\n"
ATTRIBUTES: Final = "* -text -ident -filter -working-tree-encoding !eol !export-subst"
"""For ``info/attributes``, which goes before the tree's own: files come out as they went in."""


def root_stream(tree: Mapping[bytes, Leaf], when: int) -> bytes:
    """The stream that makes ``refs/heads/main`` of this tree. Raises NotExportable."""
    stamp = b"%s %d +0000" % (_WHO, when)
    parts = [
        b"feature done\ncommit refs/heads/main\n",
        b"author %s\ncommitter %s\ndata %d\n%s" % (stamp, stamp, len(_MESSAGE), _MESSAGE),
    ]
    for path in sorted(tree):
        leaf, name = tree[path], quote(path).encode()
        if leaf.mode == SUBMODULE:
            parts.append(b"M %06o %s %s\n" % (leaf.mode, leaf.content, name))
        else:
            parts.append(b"M %06o inline %s\ndata %d\n%s\n" % (leaf.mode, name, len(leaf.content), leaf.content))
    return b"".join([*parts, b"done\n"])


def root_commit(tree: str, when: int) -> str:
    """The id of that commit, of the tree with this id. Raises NotExportable where ids are no SHA-1."""
    if len(tree) != 40:
        raise NotExportable("the repository's ids are SHA-256, which the exports' git does not make by itself")
    stamp = b"%s %d +0000" % (_WHO, when)
    body = b"tree %s\nauthor %s\ncommitter %s\n\n%s" % (tree.encode(), stamp, stamp, _MESSAGE)
    return hashlib.sha1(b"commit %d\0%s" % (len(body), body), usedforsecurity=False).hexdigest()
