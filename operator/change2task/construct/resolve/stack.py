"""A whole file merged: stretches that agree as they are, clashes by the first resolver that knows.

Which resolvers are trusted is the strategy's choice. Each clash is told with its line and how it was settled. An answer
with which the file no longer parses is passed over for the next resolver's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Literal

from change2task.construct.resolve.align import align
from change2task.construct.resolve.clash import Clash, Resolver, Settled
from change2task.construct.resolve.diff3 import Stretch, stretches
from change2task.construct.resolve.layout import Layout
from change2task.construct.resolve.owned import follow_lines
from change2task.construct.resolve.renamed import Renames, renames
from change2task.construct.resolve.worded import split_lines
from change2task.construct.resolve.words import is_name, open_brackets, tells, words
from change2task.syntax.faults import syntax_errors
from change2task.syntax.languages import Language

MOST_BYTES = 4_000_000
MOST_LINES = 60_000
MOST_CLASHES = 100
MOST_PARSED = 400_000
MOST_TORN = 8
"""Answers that may be passed over in one file since it does not parse with them."""
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
    coined = _coined(sides[0], sides[2]) if clashes else frozenset()
    passed_over: dict[int, int] = {}
    while True:
        merged, clashing = _assembled(parts, resolvers, (language, renamed, coined), otherwise, passed_over)
        torn = _torn(language, layout.plain(ours), merged.content, clashing)
        if torn is None or sum(passed_over.values()) == MOST_TORN:
            return Merged(layout.dressed(merged.content), merged.notes, merged.unsettled)
        passed_over[torn] = passed_over.get(torn, 0) + 1


def _coined(base: Sequence[bytes], theirs: Sequence[bytes]) -> frozenset[bytes]:
    """Names that stand after the change and nowhere before it."""
    brought = frozenset(words(b"".join(base))) - frozenset(words(b"".join(theirs)))
    return frozenset(filter(is_name, brought))


def _assembled(
    parts: Sequence[Stretch],
    resolvers: Sequence[Resolver],
    around: tuple[Language | None, Renames, frozenset[bytes]],
    otherwise: Otherwise,
    passed_over: Mapping[int, int],
) -> tuple[Merged, dict[int, tuple[int, int]]]:
    """The file, and for each clash that a resolver settled the lines of it that are the resolver's (from 0, half open).

    ``passed_over``: how many answers to a clash are not taken.
    """
    lines: list[bytes] = []
    notes: list[Note] = []
    unsettled = 0
    places: dict[int, tuple[int, int]] = {}
    for number, part in enumerate(parts):
        settled = part.settled
        if settled is not None:
            lines += settled
            if not part.untouched:
                notes.append(Note(part.start + 1, "reversed"))
            continue
        clash = Clash(part.base, part.ours, part.theirs, *around)
        answer = next(islice(_answers(clash, resolvers), passed_over.get(number, 0), None), None)
        if answer is not None:
            places[number] = len(lines), len(lines) + len(answer.lines)
            lines += answer.lines
            notes.append(Note(part.start + 1, answer.how))
        elif otherwise == "fail":
            raise Unmergeable(f"line {part.start + 1} after the change: {len(part.base)} lines clash with later work")
        else:
            unsettled += 1
            lines += part.ours if otherwise == "ours" else part.theirs
            how = "kept as it is, clashes with later work" if otherwise == "ours" else "the older lines as they were"
            notes.append(Note(part.start + 1, how))
    return Merged(b"".join(lines), tuple(notes), unsettled), places


def _answers(clash: Clash, resolvers: Sequence[Resolver]) -> Iterator[Settled]:
    """The answers that leave as many brackets open as the modern lines do, but for what the change itself did.

    Those come last in which a name is left that the change coined: with its definition undone, its uses are torn.
    """
    before, after, today = map(open_brackets, (clash.theirs, clash.base, clash.ours))
    wanted = tuple(t + b - a for t, b, a in zip(today, before, after, strict=True))
    later: list[Settled] = []
    for resolver in resolvers:
        answer = resolver(clash)
        if answer is None or open_brackets(answer.lines) not in (wanted, today):
            continue
        if clash.coined.isdisjoint(words(b"".join(answer.lines))):
            yield answer
        else:
            later.append(answer)
    yield from later


def _torn(language: Language | None, ours: bytes, merged: bytes, places: Mapping[int, tuple[int, int]]) -> int | None:
    """The settled clash at or nearest above which the merged file no longer parses; None where it does, or who knows.

    Parts of files need not parse, and then say nothing.
    """
    if language is None or not places or len(ours) > MOST_PARSED or b"\0" in ours or syntax_errors(language, ours):
        return None
    faults = syntax_errors(language, merged)
    if not faults:
        return None
    line = faults[0].line - 1
    above = [number for number, (start, _) in places.items() if start <= line + 1]
    return max(above, key=lambda number: places[number]) if above else min(places, key=lambda n: places[n])


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
