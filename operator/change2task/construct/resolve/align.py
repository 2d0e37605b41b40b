"""Which elements of two sequences belong together, in a bounded number of steps.

Lines are anchored at those that stand once on both sides (patience), which keeps moved and repeated code from being
taken for each other; what lies between, and words, by the longest common stretch. Both are quadratic on bad input, so
that steps are counted: what is left when they are used up counts as different. Equal input gives equal output anywhere.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

STEPS = 1_500_000


class Match(NamedTuple):
    """`length` equal elements from `one` of the first sequence and `other` of the second on."""

    one: int
    other: int
    length: int


def align(
    one: Sequence[bytes],
    other: Sequence[bytes],
    *,
    anchors: bool = True,
    telling: Callable[[bytes], bool] = lambda _: True,
    steps: int = STEPS,
) -> tuple[Match, ...]:
    """Ascending matches, none overlapping. A stretch without a `telling` element is matched only at an edge."""
    return _Alignment(one, other, anchors, telling, steps).run()


class _Alignment:
    def __init__(
        self,
        one: Sequence[bytes],
        other: Sequence[bytes],
        anchors: bool,
        telling: Callable[[bytes], bool],
        steps: int,
    ) -> None:
        self._one, self._other, self._anchors, self._telling, self._steps = one, other, anchors, telling, steps
        self._places: dict[bytes, list[int]] = {}
        for place, element in enumerate(other):
            self._places.setdefault(element, []).append(place)

    def run(self) -> tuple[Match, ...]:
        found: list[Match] = []
        waiting = [(0, len(self._one), 0, len(self._other))]
        while waiting:
            one, one_end, other, other_end = waiting.pop()
            head = self._common(one, one_end, other, other_end, 1)
            if head:
                found.append(Match(one, other, head))
                one, other = one + head, other + head
            tail = self._common(one, one_end, other, other_end, -1)
            if tail:
                one_end, other_end = one_end - tail, other_end - tail
                found.append(Match(one_end, other_end, tail))
            if one >= one_end or other >= other_end:
                continue
            inner = (self._unique(one, one_end, other, other_end) if self._anchors else []) or self._longest(
                one, one_end, other, other_end
            )
            for match in inner:
                waiting.append((one, match.one, other, match.other))
                found.append(match)
                one, other = match.one + match.length, match.other + match.length
            if inner:
                waiting.append((one, one_end, other, other_end))
        return _joined(sorted(found))

    def _common(self, one: int, one_end: int, other: int, other_end: int, step: int) -> int:
        most = min(one_end - one, other_end - other)
        first, second = (one, other) if step > 0 else (one_end - 1, other_end - 1)
        count = 0
        while count < most and self._one[first + step * count] == self._other[second + step * count]:
            count += 1
        return count

    def _unique(self, one: int, one_end: int, other: int, other_end: int) -> list[Match]:
        """Elements that stand once on both sides, the longest run of them that keeps its order."""
        counts = Counter(self._one[one:one_end])
        theirs: dict[bytes, int] = {}
        for place in range(other, other_end):
            element = self._other[place]
            theirs[element] = -1 if element in theirs else place
        pairs = [
            (place, theirs[element])
            for place in range(one, one_end)
            if counts[element := self._one[place]] == 1 and theirs.get(element, -1) >= 0 and self._telling(element)
        ]
        tails: list[int] = []
        ends: list[int] = []
        before: list[int] = []
        for number, (_, place) in enumerate(pairs):
            at = bisect_left(tails, place)
            tails[at : at + 1] = [place]
            ends[at : at + 1] = [number]
            before.append(ends[at - 1] if at else -1)
        chain: list[Match] = []
        number = ends[-1] if ends else -1
        while number >= 0:
            chain.append(Match(*pairs[number], 1))
            number = before[number]
        return chain[::-1]

    def _longest(self, one: int, one_end: int, other: int, other_end: int) -> list[Match]:
        best = Match(one, other, 0)
        lengths: dict[int, int] = {}
        for place in range(one, one_end):
            longer: dict[int, int] = {}
            places = self._places.get(self._one[place], [])
            start = bisect_left(places, other)
            for second in places[start : bisect_left(places, other_end, start)]:
                self._steps -= 1
                length = longer[second] = lengths.get(second - 1, 0) + 1
                if length > best.length and self._tells(place, length):
                    best = Match(place - length + 1, second - length + 1, length)
            if self._steps < 0:
                return []
            lengths = longer
        return [best] if best.length else []

    def _tells(self, place: int, length: int) -> bool:
        return any(self._telling(self._one[at]) for at in range(place, place - length, -1))


def _joined(found: Sequence[Match]) -> tuple[Match, ...]:
    joined: list[Match] = []
    for match in found:
        last = joined[-1] if joined else None
        if last and last.one + last.length == match.one and last.other + last.length == match.other:
            joined[-1] = Match(last.one, last.other, last.length + match.length)
        else:
            joined.append(match)
    return tuple(joined)
