"""All objects of a pack file, whether anything names them or not, wherever the file lies.

What is reachable is what git shows; what can be read is every object of every pack. Looking for leaks needs the second,
and trusts neither the index beside a pack nor the repository around it. What the objects say is left to whoever asks.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from change2task.vcs.errors import GitFailed
from change2task.vcs.place import ALGORITHMS, empty_git_dir
from change2task.vcs.process import Git


class Packed(NamedTuple):
    """An object of a pack: its id, ``blob``, ``tree``, ``commit`` or ``tag``, and its content."""

    oid: str
    kind: str
    data: bytes


def packed_objects(pack: Path) -> Iterator[Packed]:
    """Every object of the pack at ``pack``, in no order; raises GitFailed where git cannot read it whole."""
    with tempfile.TemporaryDirectory(prefix="c2t-pack-") as folder:
        copy = Path(folder) / "objects" / "pack" / "pack-one.pack"
        copy.parent.mkdir(parents=True)
        shutil.copyfile(pack, copy)
        yield from _objects(_indexed(copy))


def _indexed(copy: Path) -> Git:
    """Git that sees this pack and nothing else; a pack does not say by which algorithm its objects are named."""
    refusal: GitFailed | None = None
    for algorithm in ALGORITHMS:
        git = Git(empty_git_dir(algorithm), {"GIT_OBJECT_DIRECTORY": str(copy.parent.parent)})
        try:
            git.run("index-pack", str(copy))
        except GitFailed as error:
            refusal = refusal or error
            continue
        return git
    raise refusal or GitFailed(["index-pack"], 1, "no algorithm is known")


def _objects(git: Git) -> Iterator[Packed]:
    with git.start("cat-file", "--batch-all-objects", "--batch", "--unordered") as running:
        while header := running.stdout.readline().split():
            oid, kind, size = header[0].decode(), header[1].decode(), int(header[2])
            data = running.stdout.read(size)
            running.stdout.read(1)
            yield Packed(oid, kind, data)
        running.finish()
