"""Level 1: the source patch reversed with less context, where what is left of it stands in one place only.

Git accepts fewer lines of context too, but may then take the wrong one of two twins. Here each hunk keeps as much
context as fits (three lines, two, one), and must fit exactly once. Where the change itself left twins of it, the one
that still stands must be its own: later work may have rewritten that and left the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from change2task.construct.resolve.align import align
from change2task.construct.resolve.descent import Descent
from change2task.construct.resolve.stack import MOST_BYTES, Merged, Note, Unmergeable
from change2task.construct.resolve.worded import split_lines
from change2task.construct.strategies.merging import Merging
from change2task.construct.undo import Versions

_CONTEXTS = (3, 2, 1)


class RelaxedContext(Merging):
    """Each hunk reversed where it fits once."""

    def __init__(self) -> None:
        super().__init__("relaxed-context", 1, _reverse)


def _reverse(versions: Versions) -> Merged:
    if max(map(len, (versions.before, versions.after, versions.modern))) > MOST_BYTES:
        raise Unmergeable(f"a version is larger than {MOST_BYTES} bytes")
    before, after, modern = map(split_lines, (versions.before, versions.after, versions.modern))
    descent = Descent(versions.after, versions.modern)
    places: dict[bytes, list[int]] = {}
    for number, line in enumerate(modern):
        places.setdefault(line, []).append(number)
    found: list[tuple[int, int, Sequence[bytes], int]] = []
    ends = [(0, 0, 0), *align(after, before), (len(after), len(before), 0)]
    for (a, x, n), (b, y, _) in pairwise(ends):
        if a + n == b and x + n == y:
            continue
        start = _place(descent, places, a + n, b)
        found.append((start, start + b - a - n, before[x + n : y], a + n + 1))
    found.sort(key=lambda edit: edit[:2])
    for (_, end, _, nearest), (start, *_) in pairwise(found):
        if start < end:
            raise Unmergeable(f"line {nearest} after the change: two hunks fit in overlapping places")
    result = list(modern)
    for start, end, older, _ in reversed(found):
        result[start:end] = older
    notes = tuple(Note(line, f"fits once, at line {start + 1}") for start, _, _, line in found)
    return Merged(b"".join(result), notes, 0)


def _place(descent: Descent, places: dict[bytes, list[int]], start: int, end: int) -> int:
    after, modern = descent.older, descent.later
    for context in _CONTEXTS:
        low, high = max(0, start - context), min(len(after), end + context)
        block = after[low:high]
        rarest = min(range(len(block)), key=lambda n: len(places.get(block[n], ())), default=None)
        if rarest is None:
            continue
        hits = [
            at - rarest
            for at in places.get(block[rarest], ())
            if at >= rarest and modern[at - rarest : at - rarest + len(block)] == block
        ]
        if len(hits) > 1:
            raise Unmergeable(f"line {start + 1} after the change: fits in {len(hits)} places")
        if hits and descent.repeated(low, high):
            inner = max(low, start - 1), min(high, end + 1)
            if any(descent.descends(way, low, high, inner) != hits[0] for way in descent.ways):
                raise Unmergeable(f"line {start + 1} after the change: what fits may be a twin of it")
        if hits:
            return hits[0] + start - low
    raise Unmergeable(f"line {start + 1} after the change: fits nowhere")
