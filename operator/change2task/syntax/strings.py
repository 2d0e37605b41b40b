"""Strings as a program has them: literals that stand side by side are one, and what is filled in parts them.

Tokens come in the grammar's pieces, which say how a string is written and not what it says.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from change2task.syntax.tokens import Token


@dataclass
class String:
    """A string as written: escapes stay, quotes of grammars that have tokens for them are left out."""

    start: int
    """The byte at which its first literal starts."""
    parts: list[str] = field(default_factory=lambda: [""])
    """Its text between what is filled in."""
    whole: str = ""
    """All of it, with the code of what is filled in."""


def strings(source: bytes, tokens: Iterable[Token]) -> Iterator[String]:
    """The strings of a source by its tokens, in the order in which they end."""
    opened: list[_Literal] = []
    closed: String | None = None
    for token in tokens:
        if token.kind == "string_start":
            opened.append(_Literal(source, token, closed or String(token.start)))
            closed = None
            continue
        if closed is not None:
            yield closed
            closed = None
        if token.kind == "string_end" and opened:
            closed = opened.pop().ended(token)
        elif opened:
            opened[-1].take(token)
        elif "string" in token.kind:
            text = _decoded(token.text)
            yield String(token.start, [text], text)
    yield from (closed,) if closed is not None else ()


class _Literal:
    """One literal of a string while its tokens come; blanks beside escapes belong to no token."""

    def __init__(self, source: bytes, token: Token, string: String) -> None:
        self._source = source
        self._string = string
        self._start = self._read = token.end
        self._filled_in = 0

    def take(self, token: Token) -> None:
        if token.kind == "{" and not self._filled_in:
            self._text(token.start)
            self._string.parts.append("")
        self._filled_in += (token.kind == "{") - (token.kind == "}")
        if token.kind == "}" and not self._filled_in:
            self._read = token.end
        elif not self._filled_in:
            self._text(token.end)

    def ended(self, token: Token) -> String:
        self._text(token.start)
        self._string.whole += _decoded(self._source[self._start : token.start])
        return self._string

    def _text(self, end: int) -> None:
        self._string.parts[-1] += _decoded(self._source[self._read : end])
        self._read = end


def _decoded(text: bytes) -> str:
    return text.decode("utf-8", "backslashreplace")
