"""The words of a stretch of text, whatever its language: names, numbers, blanks, line ends with indentation, signs.

Joined they are the text again. A merger of words needs no grammar, so that it serves templates and settings as well.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

_WORD = re.compile(
    rb"[A-Za-z_\x80-\xff][0-9A-Za-z_\x80-\xff]*|[0-9][0-9A-Za-z_.]*|\r?\n[ \t]*|[ \t\f\v\r]+|.", re.DOTALL
)
_TELLING = re.compile(rb"[0-9A-Za-z\x80-\xff]")
_BRACKETS = ((b"(", b")"), (b"[", b"]"), (b"{", b"}"))
_NAME = re.compile(rb"[A-Za-z_\x80-\xff][0-9A-Za-z_\x80-\xff]*")


def words(text: bytes) -> list[bytes]:
    """The words in order."""
    return _WORD.findall(text)


def is_name(word: bytes) -> bool:
    """Whether the word could be an identifier."""
    return _NAME.fullmatch(word) is not None


def tells(line: bytes) -> bool:
    """Whether a line or word says anything: blank lines and lone brackets stand everywhere."""
    return _TELLING.search(line) is not None


def likeness(one: bytes, other: bytes, *, signs: bool = True) -> float:
    """How much of two texts' words is common, 0 to 1; blanks never count, brackets and the like only with `signs`."""
    if one.strip() == other.strip():
        return 1.0
    counts = bytes.strip if signs else tells
    first = Counter(word for word in words(one) if counts(word))
    second = Counter(word for word in words(other) if counts(word))
    size = first.total() + second.total()
    return 2 * (first & second).total() / size if size else 1.0


def kept(one: bytes, other: bytes) -> float:
    """How much of the shorter text's words the longer one has, 0 to 1, blanks not counted."""
    first = Counter(word for word in words(one) if word.strip())
    second = Counter(word for word in words(other) if word.strip())
    size = min(first.total(), second.total())
    return _common(first, second) / size if size else 1.0


def open_brackets(lines: Iterable[bytes]) -> tuple[int, ...]:
    """How many brackets of each kind stay open, those in texts and comments counted too."""
    text = b"".join(lines)
    return tuple(text.count(one) - text.count(other) for one, other in _BRACKETS)


class Wording:
    """A line's words, counted once, to be compared with many others."""

    def __init__(self, line: bytes) -> None:
        self.telling = tells(line)
        self._text = line.strip()
        self._all = Counter(word for word in words(self._text) if word.strip())
        self._telling = Counter({word: count for word, count in self._all.items() if tells(word)})
        self._sizes = self._all.total(), self._telling.total()

    def like(self, other: Wording) -> float:
        """The larger ``likeness``, with signs or without; 0 where only one of the two tells anything."""
        if self._text == other._text:
            return 1.0
        if not self.telling or not other.telling:
            return 0.0
        counts = ((self._all, other._all), (self._telling, other._telling))
        sizes = (a + b for a, b in zip(self._sizes, other._sizes, strict=True))
        return max(2 * _common(one, two) / size for (one, two), size in zip(counts, sizes, strict=True))


def _common(one: Counter[bytes], two: Counter[bytes]) -> int:
    few, many = (one, two) if len(one) <= len(two) else (two, one)
    return sum(min(count, many[word]) for word, count in few.items() if word in many)


def indent_of(line: bytes) -> bytes:
    """The blanks a line begins with."""
    return line[: len(line) - len(line.lstrip(b" \t"))]
