"""A clash of lines that is none of words: two edits of different parts of the same lines."""

from __future__ import annotations

from functools import lru_cache

from change2task.construct.resolve.clash import Clash, Settled
from change2task.construct.resolve.diff3 import stretches
from change2task.construct.resolve.words import kept, tells, words

MOST_WORDS = 20_000
ALIKE = 0.5
"""Lines that later work rewrote further than this share single words by chance only."""

_STEPS = 600_000


@lru_cache(maxsize=512)
def worded(clash: Clash) -> Settled | None:
    """The lines merged word by word, if no word clashes and every line that is kept stays one."""
    sides = [words(b"".join(side)) for side in (clash.base, clash.ours, clash.theirs)]
    if max(map(len, sides)) > MOST_WORDS or not sides[1]:
        return None
    if kept(b"".join(clash.base), b"".join(clash.ours)) < ALIKE:
        return None
    merged: list[bytes] = []
    for stretch in stretches(*sides, anchors=False, telling=tells, steps=_STEPS):
        settled = stretch.settled
        if settled is None:
            return None
        merged += settled
    return Settled(split_lines(b"".join(merged)), "merged word by word")


def split_lines(text: bytes) -> tuple[bytes, ...]:
    """Lines as git counts them: ended by a line feed only."""
    parts = text.split(b"\n")
    lines = [part + b"\n" for part in parts[:-1]]
    return (*lines, parts[-1]) if parts[-1] else tuple(lines)
