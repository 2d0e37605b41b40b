"""A whole file merged: stretches that agree as they are, clashes by the first resolver that knows.

Which resolvers are trusted is the strategy's choice. Each clash is told with its line and how it was settled.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from change2task.construct.resolve.align import align
from change2task.construct.resolve.clash import Clash, Resolver, Settled
from change2task.construct.resolve.diff3 import Stretch, stretches
from change2task.construct.resolve.layout import Layout
from change2task.construct.resolve.owned import follow_lines
from change2task.construct.resolve.renamed import Renames, renames
from change2task.construct.resolve.worded import split_lines
from change2task.construct.resolve.words import open_brackets, tells
from change2task.syntax.languages import Language

MOST_BYTES = 4_000_000
MOST_LINES = 60_000
MOST_CLASHES = 100
_MOST_PAIRS = 10_000
_MOST_PAIRS_IN_ALL = 100_000
Otherwise = Literal["fail", "ours", "theirs"]


@dataclass(frozen=True, slots=True)
class Note:
    """How one stretch was settled; `line` counts from 1 in the file after the change."""

    line: int
    how: str


@dataclass(frozen=True, slots=True)
class Merged:
    """The file without the change, how each stretch was settled, and how many clashes nobody could settle."""

    content: bytes
    notes: tuple[Note, ...]
    unsettled: int


class Unmergeable(Exception):
    """A file cannot be merged; the message says where and why."""


def merge(
    base: bytes,
    ours: bytes,
    theirs: bytes,
    resolvers: Sequence[Resolver],
    *,
    language: Language | None = None,
    otherwise: Otherwise = "fail",
) -> Merged:
    """The modern file (ours) with what leads from theirs to base undone. Raises Unmergeable.

    `otherwise` says which side stands where no resolver knows.
    """
    if max(len(base), len(ours), len(theirs)) > MOST_BYTES:
        raise Unmergeable(f"a version is larger than {MOST_BYTES} bytes")
    layout = Layout.of(ours)
    sides = [split_lines(layout.plain(side)) for side in (base, ours, theirs)]
    if max(map(len, sides)) > MOST_LINES:
        raise Unmergeable(f"a version has more than {MOST_LINES} lines")
    parts, renamed = _cut(*sides)
    clashes = sum(part.settled is None for part in parts)
    if clashes > MOST_CLASHES:
        raise Unmergeable(f"it clashes with later work in {clashes} places, more than {MOST_CLASHES}")
    lines: list[bytes] = []
    notes: list[Note] = []
    unsettled = 0
    for part in parts:
        settled = part.settled
        if settled is not None:
            lines += settled
            if not part.untouched:
                notes.append(Note(part.start + 1, "reversed"))
            continue
        clash = Clash(part.base, part.ours, part.theirs, language, renamed)
        answer = _first(clash, resolvers)
        if answer is not None:
            lines += answer.lines
            notes.append(Note(part.start + 1, answer.how))
        elif otherwise == "fail":
            raise Unmergeable(f"line {part.start + 1} after the change: {len(part.base)} lines clash with later work")
        else:
            unsettled += 1
            lines += part.ours if otherwise == "ours" else part.theirs
            how = "kept as it is, clashes with later work" if otherwise == "ours" else "the older lines as they were"
            notes.append(Note(part.start + 1, how))
    return Merged(layout.dressed(b"".join(lines)), tuple(notes), unsettled)


def _first(clash: Clash, resolvers: Sequence[Resolver]) -> Settled | None:
    """The first answer that leaves as many brackets open as the modern lines do, but for what the change itself did."""
    before, after, today = map(open_brackets, (clash.theirs, clash.base, clash.ours))
    wanted = tuple(t + b - a for t, b, a in zip(today, before, after, strict=True))
    for resolver in resolvers:
        answer = resolver(clash)
        if answer is not None and open_brackets(answer.lines) in (wanted, today):
            return answer
    return None


# Strategies ask for the same files one after another, with other resolvers.
@lru_cache(maxsize=16)
def _cut(
    base: tuple[bytes, ...], ours: tuple[bytes, ...], theirs: tuple[bytes, ...]
) -> tuple[tuple[Stretch, ...], Renames]:
    parts = tuple(stretches(base, ours, theirs, telling=tells))
    return parts, _renamed(base, ours) if any(part.settled is None for part in parts) else ()


def _renamed(base: Sequence[bytes], ours: Sequence[bytes]) -> Renames:
    """Names that later work changed, from the lines between those that are the same on both sides."""
    pairs: list[tuple[int, int]] = []
    one = other = 0
    left = _MOST_PAIRS_IN_ALL
    for match in (*align(base, ours, telling=tells), None):
        end, other_end = (match.one, match.other) if match else (len(base), len(ours))
        size = (end - one) * (other_end - other)
        if 0 < size <= min(_MOST_PAIRS, left):
            left -= size
            found = follow_lines(base[one:end], ours[other:other_end])
            pairs += [(one + i, other + j) for i, j in found.items()]
        if match:
            one, other = match.one + match.length, match.other + match.length
    return renames(base, ours, pairs)
