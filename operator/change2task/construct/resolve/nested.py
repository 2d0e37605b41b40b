"""Lines as nested statements, told by brackets and indentation alone, so that it serves every language alike.

A statement is a head, the statements inside of it, and what closes it. In Python what is deeper belongs to the line it
stands under; elsewhere what stands between brackets that a line leaves open. Comments are statements of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from change2task.construct.resolve.words import indent_of, open_brackets

_GOES_ON = (b"else", b"elif", b"except", b"finally", b"catch", b"case", b"default")


@dataclass(frozen=True, slots=True)
class Nested:
    """One statement; ``goes_on``: it belongs to the one before it and cannot stand without."""

    head: tuple[bytes, ...]
    inner: tuple[Nested, ...]
    tail: tuple[bytes, ...]
    goes_on: bool

    @property
    def lines(self) -> tuple[bytes, ...]:
        """All of its lines."""
        return (*self.head, *(line for one in self.inner for line in one.lines), *self.tail)


def nested(lines: Sequence[bytes]) -> tuple[Nested, ...] | None:
    """The statements in order; None where the lines close what they do not open, or leave something open."""
    found: list[Nested] = []
    at = 0
    while at < len(lines):
        one = _statement(lines, at)
        if one is None:
            return None
        found.append(one)
        at += len(one.lines)
    return tuple(found)


def _statement(lines: Sequence[bytes], at: int) -> Nested | None:
    end, depth = at, 0
    while True:
        depth += sum(open_brackets([lines[end]]))
        end += 1
        if depth < 0:
            return None
        if depth == 0:
            break
        if end == len(lines):
            return None
    head, text = tuple(lines[at:end]), lines[at].strip()
    goes_on = text.lstrip(b"}) \t").startswith(_GOES_ON)
    if not text or _is_comment(text):
        return Nested(head, (), (), False)
    if len(head) > 2 and text.endswith(b"{"):
        inner = nested(head[1:-1])
        return None if inner is None else Nested(head[:1], inner, head[-1:], goes_on)
    below = _deeper(lines, end, len(indent_of(lines[at])))
    inner = nested(lines[end:below])
    return None if inner is None else Nested(head, inner, (), goes_on)


def _deeper(lines: Sequence[bytes], start: int, indent: int) -> int:
    """Where the lines that are deeper than ``indent`` end; blank lines behind the last of them are not theirs."""
    end = start
    for place in range(start, len(lines)):
        if lines[place].strip():
            if len(indent_of(lines[place])) <= indent:
                break
            end = place + 1
    return end


def _is_comment(text: bytes) -> bool:
    return text.startswith((b"#", b"//", b"/*", b"*"))
