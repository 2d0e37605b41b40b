"""This program itself as one archive, for a verifier's image: what grades there is what grades here, to the byte.

It exists because a second grader would be a second opinion. Left out are the rooms that grading never enters: the
command line, the operator, pods, and the cluster's client. What of other packages it needs is pinned, with hashes, in
``grader.lock`` (written by ``make lock``).
"""

from __future__ import annotations

import io
import zipfile
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Final

_PACKAGE: Final = "change2task"
_NOT_ENTERED: Final = frozenset({"cli", "operator", "pods", "cluster", "__pycache__", "py.typed"})
_TIME: Final = (1980, 1, 1, 0, 0, 0)


@cache
def archive() -> bytes:
    """A zip of the package's sources; the same sources give the same bytes, and nothing in it is compressed."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as packed:
        for name, content in sorted(_below(resources.files(_PACKAGE), _PACKAGE)):
            entry = zipfile.ZipInfo(name, _TIME)
            entry.create_system = 3
            entry.external_attr = 0o100644 << 16
            packed.writestr(entry, content)
    return buffer.getvalue()


def requirements() -> bytes:
    """What the archive needs beside itself, pinned with hashes."""
    return resources.files("change2task.corpus.exports").joinpath("grader.lock").read_bytes()


def _below(folder: Traversable, name: str) -> list[tuple[str, bytes]]:
    found: list[tuple[str, bytes]] = []
    for entry in folder.iterdir():
        if name == _PACKAGE and entry.name in _NOT_ENTERED:
            continue
        inner = f"{name}/{entry.name}"
        if entry.is_dir():
            found += [] if entry.name == "__pycache__" else _below(entry, inner)
        elif not entry.name.endswith((".pyc", ".pyo")):
            found.append((inner, entry.read_bytes()))
    return found
