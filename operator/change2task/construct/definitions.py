"""Link definitions of a document whose last use has gone: they name what went as surely as it did.

Change logs keep the addresses of requests at their end (``[#148]: https://...`` in Markdown, ``.. _148: ...`` in
reStructuredText). A definition is found that nothing left uses, and that what went did use or that names the change
itself; which lines went is the caller's.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence

_MARKDOWN = re.compile(rb"^ {0,3}\[([^\]\n^][^\]\n]*)\]:\s*\S")
_RESTRUCTURED = re.compile(rb"^\s*\.\. _(`?)([^`:\n]+|[^`\n]+)\1:\s*\S")
_MARKED = re.compile(rb"\[([^\[\]\n]+)\]")
_REFERRED = re.compile(rb"`(?:[^`<\n]*<)?([^`<>]+?)_?>?`_|(?<![\w`])([\w.+-]*\w)_(?![\w_])", re.ASCII)


def orphaned(lines: Sequence[bytes], doomed: Collection[int], names: Callable[[str], bool]) -> set[int]:
    """Places of the definitions that go with the lines at ``doomed``; ``names``: whether a text names the change."""
    defined = {place: label for place, line in enumerate(lines) if (label := _label(line)) is not None}
    if not defined:
        return set()
    left = _labels(line for place, line in enumerate(lines) if place not in doomed and place not in defined)
    gone = _labels(line for place, line in enumerate(lines) if place in doomed and place not in defined)
    return {
        place
        for place, label in defined.items()
        if place not in doomed
        and label not in left
        and (label in gone or names(lines[place].decode("utf-8", "replace")))
    }


def _label(line: bytes) -> bytes | None:
    if found := _MARKDOWN.match(line):
        return _plain(found[1])
    found = _RESTRUCTURED.match(line)
    return _plain(found[2]) if found else None


def _labels(lines: Iterable[bytes]) -> set[bytes]:
    text = b"".join(lines)
    used = {_plain(found[1]) for found in _MARKED.finditer(text)}
    return used | {_plain(found[1] or found[2]) for found in _REFERRED.finditer(text)}


def _plain(label: bytes) -> bytes:
    return b" ".join(label.split()).lower()
