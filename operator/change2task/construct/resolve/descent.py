"""Where lines of a file stand in a later version of it, though the same lines stand elsewhere too.

A patch finds its place by its lines, and takes the nearest to an old number where several fit: a twin, when later work
moved the change's own. Lines that stand once on both sides tell themselves. Others are followed by aligning the two
versions, from the top and from the bottom: where a block was put among its equals, those two part, and nobody knows.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from change2task.construct.resolve.align import align
from change2task.construct.resolve.worded import split_lines

Way = dict[int, int]
"""Lines of the older version to those of the later that they became, both from 0."""


class Descent:
    """Two versions of one file, the older and the later one; what costs is worked out when twins ask for it."""

    def __init__(self, older: bytes, later: bytes) -> None:
        self.older, self.later = split_lines(older), split_lines(later)
        self._texts = b"\n" + older, b"\n" + later

    def alone(self, low: int, high: int) -> int | None:
        """Where the older version's lines `low` to `high` stand in the later one, if both hold them just once."""
        block = b"".join(self.older[low:high])
        if not block or _second(self._texts[0], block)[1] is not None:
            return None
        first, second = _second(self._texts[1], block)
        return first if second is None else None

    def repeated(self, low: int, high: int) -> bool:
        """Whether lines `low` to `high` of the older version stand there more than once."""
        return _second(self._texts[0], b"".join(self.older[low:high]))[1] is not None

    def descends(self, way: Way, low: int, high: int, inner: tuple[int, int]) -> int | None:
        """The line of the later version that `low` became this way, if lines `low` to `high` still stand there.

        `inner` are the lines that must have been followed, all to one place: context at the edges may be another's.
        The nearest line above that tells itself must have been followed too, or the place's owner has moved away.
        """
        offsets = {way[line] - line if line in way else None for line in range(*inner)}
        offset = offsets.pop() if len(offsets) == 1 else None
        if offset is None or low + offset < 0 or self.later[low + offset : high + offset] != self.older[low:high]:
            return None
        head = next((line for line in range(inner[1] - 1, -1, -1) if self.older[line] in self._telling), None)
        if head is not None and way.get(head) != self._telling[self.older[head]]:
            return None
        return low + offset

    @cached_property
    def ways(self) -> tuple[Way, Way]:
        """The lines followed from the top, and from the bottom."""
        last, end = len(self.older) - 1, len(self.later) - 1
        upwards = _followed(self.older[::-1], self.later[::-1])
        return _followed(self.older, self.later), {last - one: end - other for one, other in upwards.items()}

    @cached_property
    def _telling(self) -> dict[bytes, int]:
        """Lines that stand once in either version, and where in the later."""
        older = _single(self.older)
        return {line: place for line, place in _single(self.later).items() if line in older}


def _followed(older: Sequence[bytes], later: Sequence[bytes]) -> Way:
    return {m.one + n: m.other + n for m in align(older, later) for n in range(m.length)}


def _single(lines: Sequence[bytes]) -> dict[bytes, int]:
    places: dict[bytes, int] = {}
    for number, line in enumerate(lines):
        places[line] = -1 if line in places else number
    return {line: place for line, place in places.items() if place >= 0}


def _second(text: bytes, block: bytes) -> tuple[int | None, int | None]:
    """The first two lines at which the block stands in the text, which has a line feed put before it."""
    found: list[int] = []
    wanted, at = b"\n" + block, -1
    while len(found) < 2 and (at := text.find(wanted, at + 1)) >= 0:
        # A last line without an end is no part of a longer one.
        if block.endswith(b"\n") or at + len(wanted) == len(text):
            found.append(text.count(b"\n", 0, at))
    return (found[0] if found else None), (found[1] if len(found) > 1 else None)
