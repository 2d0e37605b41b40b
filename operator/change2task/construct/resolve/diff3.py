"""Three sequences cut into stretches: what all agree in, what one side changed, and what clashes.

The classic three-way merge of diff3, on lines or on words. What to do about a clash is left to the resolvers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from change2task.construct.resolve.align import STEPS, Match, align


@dataclass(frozen=True, slots=True)
class Stretch:
    """One stretch of the three; `start` is where it begins in the base, counted from 0."""

    start: int
    base: tuple[bytes, ...]
    ours: tuple[bytes, ...]
    theirs: tuple[bytes, ...]

    @property
    def settled(self) -> tuple[bytes, ...] | None:
        """What the merge gives; None for a clash."""
        if self.ours == self.base:
            return self.theirs
        if self.theirs in (self.base, self.ours):
            return self.ours
        return None

    @property
    def untouched(self) -> bool:
        """Whether theirs changes nothing here."""
        return self.theirs == self.base


def stretches(
    base: Sequence[bytes],
    ours: Sequence[bytes],
    theirs: Sequence[bytes],
    *,
    anchors: bool = True,
    telling: Callable[[bytes], bool] = lambda _: True,
    steps: int = STEPS,
) -> Iterator[Stretch]:
    """The stretches in order; joined, each side of them is that side whole."""
    to_ours = _mapped(align(base, ours, anchors=anchors, telling=telling, steps=steps))
    to_theirs = _mapped(align(base, theirs, anchors=anchors, telling=telling, steps=steps))
    at = our = their = 0
    while at < len(base) or our < len(ours) or their < len(theirs):
        count = 0
        while to_ours.get(at + count) == our + count and to_theirs.get(at + count) == their + count:
            count += 1
        if count:
            same = tuple(base[at : at + count])
            yield Stretch(at, same, same, same)
            at, our, their = at + count, our + count, their + count
        following = at
        while following < len(base) and not (following in to_ours and following in to_theirs):
            following += 1
        our_end, their_end = to_ours.get(following, len(ours)), to_theirs.get(following, len(theirs))
        if following > at or our_end > our or their_end > their:
            yield Stretch(at, tuple(base[at:following]), tuple(ours[our:our_end]), tuple(theirs[their:their_end]))
        at, our, their = following, our_end, their_end


def _mapped(matches: Sequence[Match]) -> dict[int, int]:
    return {m.one + n: m.other + n for m in matches for n in range(m.length)}
