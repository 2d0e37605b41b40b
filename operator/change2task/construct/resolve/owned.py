"""Whose lines are these? A clash resolved by following the change's own lines to what became of them.

Each line after the change is looked for among the modern ones, in order and by its words. What descends from lines the
change brought goes; what it had removed comes back in that place, indented and named as the code around it is today;
lines the change did not touch stay as they are today. Where too many of its lines cannot be found, or they have grown
too far apart, nothing is claimed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise

from change2task.construct.resolve.align import align
from change2task.construct.resolve.clash import Clash, Settled
from change2task.construct.resolve.renamed import renames, with_names
from change2task.construct.resolve.shift import Shift
from change2task.construct.resolve.worded import split_lines, worded
from change2task.construct.resolve.words import Wording, indent_of, open_brackets, tells

ALIKE = 0.65
_MOST_PAIRS = 40_000
_UNFOUND = 0.34
_GROWN = 1.8
_WIDENED = 4


@lru_cache(maxsize=512)
def owned(clash: Clash) -> Settled | None:
    """The modern lines with the change's own ones replaced by the older ones."""
    return _followed(clash, "the change's lines followed to where they are today")


@lru_cache(maxsize=512)
def stated(clash: Clash) -> Settled | None:
    """The same by statements: lines between open brackets are one, however they are broken today."""
    whole = replace(clash, base=_statements(clash.base), ours=_statements(clash.ours), theirs=_statements(clash.theirs))
    return _followed(whole, "the change's statements followed to where they are today")


def _statements(lines: Sequence[bytes]) -> tuple[bytes, ...]:
    found: list[bytes] = []
    depth = 0
    for line in lines:
        if depth > 0:
            found[-1] += line
        else:
            found.append(line)
        depth = max(0, depth + sum(open_brackets([line])))
    return tuple(found)


def _followed(clash: Clash, how: str) -> Settled | None:
    if not clash.base or not clash.ours or len(clash.base) * len(clash.ours) > _MOST_PAIRS:
        return None
    found = follow_lines(clash.base, clash.ours)
    renamed = tuple(dict([*clash.renamed, *renames(clash.base, clash.ours, list(found.items()))]).items())
    result: list[bytes] = []
    kept_to = 0
    for start, end, older in _edits(clash.base, clash.theirs):
        place = _place(clash, found, start, end)
        place = None if place is None else _whole(clash, found, (start, end), place, older)
        if place is None or place[0] < kept_to or not _holds(clash, found, end, place, older):
            return None
        result += clash.ours[kept_to : place[0]]
        if _depth(clash.base[:start]) != _depth(clash.ours[: place[0]]):
            return None
        back = with_names(_older(clash, found, (start, end), place, older), renamed)
        result += () if _blank(back) and _blank(result[-1:]) else back
        kept_to = place[1]
    result += clash.ours[kept_to:]
    return Settled(split_lines(b"".join(result)), how)


def follow_lines(base: Sequence[bytes], ours: Sequence[bytes]) -> dict[int, int]:
    """For lines of `base` the line of `ours` that each became, order kept, by likeness of words."""
    scores = [[0.0] * (len(ours) + 1) for _ in range(len(base) + 1)]
    others = [Wording(line) for line in ours]
    for i, line in enumerate(base):
        row, above = scores[i + 1], scores[i]
        one = Wording(line)
        for j, other in enumerate(others):
            value = max(above[j + 1], row[j])
            alike = one.like(other)
            if alike >= ALIKE:
                value = max(value, above[j] + (alike if one.telling else 0.1 * alike))
            row[j + 1] = value
    found: dict[int, int] = {}
    i, j = len(base), len(ours)
    while i and j:
        if scores[i][j] == scores[i - 1][j]:
            i -= 1
        elif scores[i][j] == scores[i][j - 1]:
            j -= 1
        else:
            i, j = i - 1, j - 1
            found[i] = j
    return found


def _edits(base: Sequence[bytes], theirs: Sequence[bytes]) -> list[tuple[int, int, tuple[bytes, ...]]]:
    """What theirs does to the base: from line, to line, the lines instead."""
    ends = [(0, 0, 0), *align(base, theirs, telling=tells), (len(base), len(theirs), 0)]
    return [(a + n, b, tuple(theirs[x + n : y])) for (a, x, n), (b, y, _) in pairwise(ends) if a + n < b or x + n < y]


def _place(clash: Clash, found: dict[int, int], start: int, end: int) -> tuple[int, int] | None:
    """Where in ours the base's lines `start` to `end` are; an empty place for an empty stretch.

    Lines at its edges that nothing was found for are taken to have become those that nothing else claims there.
    """
    if start == end:
        return _between(clash, found, start)
    telling = [line for line in range(start, end) if tells(clash.base[line])]
    places = [found[line] for line in telling if line in found]
    if not places or len(telling) - len(places) > max(1, _UNFOUND * len(telling)):
        return None
    first, last = min(places), max(places) + 1
    if last - first > _GROWN * (end - start) + 2:
        return None
    kept = {other for one, other in found.items() if not start <= one < end}
    for line in telling:
        if line in found or first == 0 or first - 1 in kept or not tells(clash.ours[first - 1]):
            break
        first -= 1
    for line in reversed(telling):
        if line in found or last == len(clash.ours) or last in kept or not tells(clash.ours[last]):
            break
        last += 1
    return _with_blanks(clash, found, start, end, first, last)


def _with_blanks(clash: Clash, found: dict[int, int], start: int, end: int, first: int, last: int) -> tuple[int, int]:
    """The place with the blank and bracket lines at its edges that the stretch has too."""
    edge = start
    while edge < end and not tells(clash.base[edge]) and first > 0 and not tells(clash.ours[first - 1]):
        owner = first - 1
        if any(j == owner and not start <= i < end for i, j in found.items()):
            break
        edge, first = edge + 1, first - 1
    edge = end
    while edge > start and not tells(clash.base[edge - 1]) and last < len(clash.ours) and not tells(clash.ours[last]):
        if any(j == last and not start <= i < end for i, j in found.items()):
            break
        edge, last = edge - 1, last + 1
    return first, last


def _between(clash: Clash, found: dict[int, int], line: int) -> tuple[int, int] | None:
    if line == 0 and 0 not in found:
        return 0, 0
    if line - 1 in found:
        return found[line - 1] + 1, found[line - 1] + 1
    if line in found:
        return found[line], found[line]
    if line == len(clash.base):
        return len(clash.ours), len(clash.ours)
    return None


def _older(
    clash: Clash, found: dict[int, int], stretch: tuple[int, int], place: tuple[int, int], older: tuple[bytes, ...]
) -> tuple[bytes, ...]:
    """The older lines for one place: merged by words where that is possible, else put in as a whole."""
    start, end = stretch
    base, ours = clash.base[start:end], clash.ours[place[0] : place[1]]
    if base and ours and older:
        merged = worded(Clash(base, ours, older))
        if merged is not None:
            return merged.lines
    if not older:
        return ()
    near = min(found, key=lambda line: (min(abs(line - start), abs(line - end)), line), default=None)
    lines = split_lines(b"".join(older))
    if near is None:
        return lines
    return Shift(indent_of(clash.base[near]), indent_of(clash.ours[found[near]])).lines(lines)


def _whole(
    clash: Clash, found: dict[int, int], stretch: tuple[int, int], place: tuple[int, int], older: tuple[bytes, ...]
) -> tuple[int, int] | None:
    """The place, widened by lines that nothing else claims until no statement and no block would be torn in two.

    What goes must leave as many brackets open as what comes, and no deeper lines without what they stand under.
    """
    wanted = open_brackets(older)
    kept = {other for one, other in found.items() if not stretch[0] <= one < stretch[1]}
    place = _with_block(clash, kept, place, older)
    if place[1] - place[0] > _GROWN * (stretch[1] - stretch[0]) + 2 + _WIDENED:
        return None
    for more in range(_WIDENED + 1):
        for above in range(more + 1):
            first, last = place[0] - above, place[1] + more - above
            if first < 0 or last > len(clash.ours):
                continue
            taken = {*range(first, place[0]), *range(place[1], last)}
            if not taken & kept and open_brackets(clash.ours[first:last]) == wanted:
                return first, last
    return None


def _holds(clash: Clash, found: dict[int, int], end: int, place: tuple[int, int], older: tuple[bytes, ...]) -> bool:
    """Whether a line that comes back over a block stands over the same block today."""
    head = next((line for line in reversed(older) if tells(line)), None)
    below = next((line for line in range(end, len(clash.base)) if tells(clash.base[line])), None)
    if head is None or below is None or len(indent_of(clash.base[below])) <= len(indent_of(head)):
        return True
    now = next((line for line in range(place[1], len(clash.ours)) if tells(clash.ours[line])), None)
    if now is None or found.get(below) != now:
        return False
    return place[0] == place[1] or len(indent_of(clash.ours[now])) > len(indent_of(clash.ours[place[0]]))


def _with_block(clash: Clash, kept: set[int], place: tuple[int, int], older: tuple[bytes, ...]) -> tuple[int, int]:
    """The place with the deeper lines behind it that later work added, unless a block of the older lines holds them."""
    telling = [indent_of(line) for line in clash.ours[place[0] : place[1]] if tells(line)]
    if not telling:
        return place
    depth = min(map(len, telling))
    holder = next((line for line in reversed(older) if tells(line)), b"")
    if len(indent_of(holder)) > depth:
        return place
    last = at = place[1]
    while at < len(clash.ours) and at not in kept:
        line = clash.ours[at]
        at += 1
        if line.strip():
            if len(indent_of(line)) <= depth:
                break
            last = at
    return place[0], last


def _depth(lines: Sequence[bytes]) -> int:
    """How many brackets are open behind these lines; some may have been opened before them."""
    depth = 0
    for line in lines:
        depth = max(0, depth + sum(open_brackets([line])))
    return depth


def _blank(lines: Sequence[bytes]) -> bool:
    return bool(lines) and not b"".join(lines).strip()
