"""A source cut into its YAML documents before anything is parsed, so that no document can hide another."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple


class Document(NamedTuple):
    """One document: its number and its first line, both from 1, and its bytes."""

    number: int
    line: int
    content: bytes


_MARKER: Final = re.compile(rb"^(?:---|\.\.\.)(?=[ \t\r\n]|\Z)", re.MULTILINE)
_EMPTY_LINE: Final = re.compile(rb"\s*(?:#.*)?")


def documents(text: bytes) -> Iterator[Document]:
    """The source cut at its ``---`` and ``...`` lines, which YAML lets stand for nothing else."""
    starts = [0]
    starts += [m.start() for m in _MARKER.finditer(text) if m.start()]
    number, line = 0, 1
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        content = text[start:end]
        marked = content.startswith(b"---")
        body = content[3:] if marked or content.startswith(b"...") else content
        blank = all(_EMPTY_LINE.fullmatch(row) or row.startswith(b"%") for row in body.splitlines())
        number += marked or not blank
        if not blank:
            yield Document(number, line, content)
        line += content.count(b"\n")
