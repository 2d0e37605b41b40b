"""Taking stretches out of a source without leaving traces: no torn lines, no piled-up blank lines.

It exists so that every cut looks as if the thing had never been there. What to take out is left to the
callers; this knows lines and blanks only, keeps the file's own line ends, and never decodes.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, replace

_BLANK = b" \t\r\f"
_NEWLINE = 0x0A
_CLOSERS = (b"}", b")", b"]")
_OPENERS = (b"{", b"(", b"[", b":")


@dataclass(frozen=True, slots=True)
class Edit:
    """Take out the bytes `start` to `end`; `instead` stands in their place. An `exact` edit touches nothing
    around them.
    """

    start: int
    end: int
    instead: bytes = b""
    exact: bool = False


def apply_edits(source: bytes, edits: Iterable[Edit]) -> bytes:
    """The source without these stretches; edits inside others are swallowed by them, neighbours become one."""
    result = []
    at = 0
    for edit in _merged(source, edits):
        start, end, instead = (edit.start, edit.end, edit.instead) if edit.exact else _widened(source, edit)
        start = max(start, at)
        result += [source[at:start], instead]
        at = max(end, start)
    result.append(source[at:])
    return b"".join(result)


class Cuts:
    """Edits being collected, and quick answers about which bytes are gone already. Edits inside others are not
    kept.
    """

    def __init__(self, edits: Iterable[Edit] = ()) -> None:
        self._edits: list[Edit] = []
        self._exact: list[Edit] = []
        for edit in edits:
            self.add(edit)

    def add(self, edit: Edit) -> None:
        """Take this out too."""
        if edit.exact:
            self._exact.append(edit)
        elif not self.cover(edit.start, edit.end):
            low = bisect_left(self._edits, edit.start, key=_start)
            high = low
            while high < len(self._edits) and self._edits[high].end <= edit.end:
                high += 1
            self._edits[low:high] = [edit]

    def replace(self, place: int, instead: bytes) -> None:
        """Put this in the place of the edit that takes out the byte at `place`."""
        index = bisect_right(self._edits, place, key=_start) - 1
        self._edits[index] = replace(self._edits[index], instead=instead)

    def cover(self, start: int, end: int) -> bool:
        """Whether one of the edits takes out all of these bytes."""
        index = bisect_right(self._edits, start, key=_start) - 1
        return index >= 0 and end <= self._edits[index].end

    def within(self, start: int, end: int) -> list[Edit]:
        """The edits that lie in these bytes altogether."""
        low = bisect_left(self._edits, start, key=_start)
        high = bisect_left(self._edits, end, key=_start)
        return [edit for edit in self._edits[low:high] if edit.end <= end]

    def all(self) -> tuple[Edit, ...]:
        """Every edit, those inside others left out, exact ones last."""
        return (*self._edits, *self._exact)


def _start(edit: Edit) -> int:
    return edit.start


def _merged(source: bytes, edits: Iterable[Edit]) -> list[Edit]:
    """The edits in order: nested ones gone, those with only blanks between them made one."""
    merged: list[Edit] = []
    for edit in sorted(edits, key=lambda e: (e.start, -e.end)):
        last = merged[-1] if merged else None
        if last is not None and edit.end <= last.end:
            continue
        joined = last is not None and not last.exact and not edit.exact
        if last is not None and joined and not source[last.end : edit.start].strip():
            merged[-1] = replace(last, end=edit.end, instead=last.instead or edit.instead)
        else:
            merged.append(edit)
    return merged


def _widened(source: bytes, edit: Edit) -> tuple[int, int, bytes]:
    """The bytes really taken out: whole lines with one side's blank lines where the stretch stands alone on
    its lines.
    """
    begin, line_end = edit.start, _past(source, edit.end, _BLANK)
    while begin > 0 and source[begin - 1] in _BLANK:
        begin -= 1
    punctuated = _past(source, edit.end, _BLANK + b";,")
    if punctuated == len(source) or source[punctuated] == _NEWLINE:
        line_end = punctuated
    alone_behind = line_end == len(source) or source[line_end] == _NEWLINE
    if not alone_behind or (begin > 0 and source[begin - 1] != _NEWLINE):
        return _within_line(source, edit, alone_behind)
    line_end = min(line_end + 1, len(source))
    if edit.instead:
        newline = b"\r\n" if source[begin:line_end].endswith(b"\r\n") else b"\n"
        return begin, line_end, source[begin : edit.start] + edit.instead + newline
    return (*_with_blank_lines(source, begin, line_end, source[begin : edit.start]), b"")


def _past(source: bytes, at: int, skipped: bytes) -> int:
    while at < len(source) and source[at] in skipped:
        at += 1
    return at


def _within_line(source: bytes, edit: Edit, alone_behind: bool) -> tuple[int, int, bytes]:
    start, end = edit.start, edit.end
    if edit.instead:
        return start, end, edit.instead
    if alone_behind:
        while start > 0 and source[start - 1] in b" \t":
            start -= 1
    else:
        while end < len(source) and source[end] in b" \t":
            end += 1
    return start, end, b""


def _with_blank_lines(source: bytes, begin: int, end: int, indent: bytes) -> tuple[int, int]:
    """Lines `begin` to `end` with those blank lines around them that would be too many once they are gone."""
    above = begin
    while above > 0:
        line = source.rfind(b"\n", 0, above - 1) + 1
        if source[line:above].strip(_BLANK + b"\n"):
            break
        above = line
    below = end
    while below < len(source):
        line = source.find(b"\n", below)
        line = len(source) if line < 0 else line + 1
        if source[below:line].strip(_BLANK + b"\n"):
            break
        below = line
    before, behind = source.count(b"\n", above, begin), source.count(b"\n", end, below)
    previous = source[source.rfind(b"\n", 0, max(above - 1, 0)) + 1 : above] if above else b""
    following = source[below:].split(b"\n", 1)[0]
    opened = len(_indent(previous)) < len(indent) and previous.rstrip().endswith(_OPENERS)
    closed = len(_indent(following)) < len(indent) and following.lstrip().startswith(_CLOSERS)
    if above == 0 or below == len(source) or opened or closed:
        return above, below
    return (above, end) if behind >= before else (begin, below)


def _indent(line: bytes) -> bytes:
    return line[: len(line) - len(line.lstrip(b" \t"))]
