"""What a store says, whatever the time it was written at and however long that took."""

from __future__ import annotations

import difflib
import re
from pathlib import Path

_FOLDERS = ("bases", "candidates", "variants", "evidence")
_MOMENT = re.compile(rb"^( *-? *lastTransitionTime: ).*$", re.M)
_SECONDS = re.compile(rb"^( *)seconds:\n(?:\1 +.*\n)+", re.M)


def timeless(store: Path) -> dict[str, bytes]:
    """Every resource and all evidence by path, byte for byte but for moments and durations."""
    files = {path: path.read_bytes() for folder in _FOLDERS for path in sorted((store / folder).iterdir())}
    return {
        str(path.relative_to(store)): content if path.parent.name == "evidence" else _without_times(content)
        for path, content in files.items()
    }


def difference(one: Path, other: Path) -> str:
    """Line by line, where what two stores say is not the same; empty where it is."""
    left, right = timeless(one), timeless(other)
    told: list[str] = []
    for name in sorted(left.keys() | right.keys()):
        before, after = (
            held.get(name, b"(not there)").decode(errors="backslashreplace").splitlines() for held in (left, right)
        )
        told += difflib.unified_diff(before, after, name, name, lineterm="", n=2)
    return "\n".join(told)


def _without_times(content: bytes) -> bytes:
    return _SECONDS.sub(b"", _MOMENT.sub(rb"\1(a moment)", content))
