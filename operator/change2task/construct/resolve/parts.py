"""A file cut into its functions and what stands around them, so that each can be merged with its own kind alone.

Lines merge badly where code moved: a function that went elsewhere in its file clashes with everything it passed. Cut
out and found again by its name, else by what it is written of, it merges with itself; the rest of the file, with a
mark in the place of each function, merges as lines.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from change2task.construct.resolve.worded import split_lines
from change2task.construct.resolve.words import likeness
from change2task.syntax.definitions import UnitKind
from change2task.syntax.languages import Language
from change2task.syntax.units import units

SAME_NAME = 0.4
ALIKE = 0.7
MARGIN = 0.1
_MOST_COMPARED = 4_000
_FUNCTIONS = frozenset({UnitKind.FUNCTION, UnitKind.METHOD})


@dataclass(frozen=True, slots=True)
class Part:
    """One function with what is attached to it: its key in the file, its short name, its lines."""

    key: str
    short: str
    first: int
    last: int
    text: bytes


def parts(language: Language, source: bytes) -> dict[str, Part]:
    """The outermost functions and methods that stand on lines of their own, by key."""
    lines = split_lines(source)
    found: dict[str, Part] = {}
    covered = 0
    everything = units(language, source)
    for unit in everything:
        span = unit.span
        if unit.kind not in _FUNCTIONS or span.first_line <= covered:
            continue
        begin = source.rfind(b"\n", 0, span.start) + 1
        end = source.find(b"\n", span.end)
        behind = source[span.end : len(source) if end < 0 else end]
        if source[begin : span.start].strip() or behind.strip(b" \t\r;,"):
            continue
        text = b"".join(lines[span.first_line - 1 : span.last_line])
        found[unit.key] = Part(unit.key, unit.short, span.first_line, span.last_line, text)
        covered = span.last_line
    return found


def hosts(wanted: Iterable[Part], modern: Mapping[str, Part], known: Iterable[str]) -> dict[str, str]:
    """For the keys of some parts the key that each has on the base; ``known`` are all keys after the change.

    By the same key; else by a short name that only one new part has, if it is somewhat alike; else by likeness, if
    no other part is nearly as alike.
    """
    found: dict[str, str] = {}
    lost: list[Part] = []
    for part in wanted:
        if part.key in modern:
            found[part.key] = part.key
        else:
            lost.append(part)
    fresh = [part for key, part in modern.items() if key not in set(known)]
    if len(lost) * len(fresh) > _MOST_COMPARED:
        return found
    for part in lost:
        named = [other for other in fresh if other.short == part.short]
        if len(named) == 1 and likeness(part.text, named[0].text) >= SAME_NAME:
            found[part.key] = named[0].key
            continue
        ranked = sorted(((likeness(part.text, other.text), other.key) for other in fresh), reverse=True)
        second = ranked[1][0] if len(ranked) > 1 else 0.0
        if ranked and ranked[0][0] >= ALIKE and ranked[0][0] - second >= MARGIN:
            found[part.key] = ranked[0][1]
    taken = list(found.values())
    return {key: host for key, host in found.items() if taken.count(host) == 1}


def skeleton(source: bytes, cut: Sequence[Part], names: Mapping[str, str]) -> bytes:
    """The source with one mark line in the place of each part; ``names`` gives the name in the mark by its key."""
    lines = list(split_lines(source))
    for part in sorted(cut, key=lambda part: part.first, reverse=True):
        lines[part.first - 1 : part.last] = [mark(names[part.key])]
    return b"".join(lines)


def mark(name: str) -> bytes:
    """The line that stands for a part; no source file holds its first byte."""
    return b"\0" + name.encode() + b"\n"
