"""Names that later work gave others, learnt from lines that differ in names alone.

Older lines put back on modern code must use the names of today. A rename counts when the old name is gone from the
modern lines, the new one was not there before or is told by several lines, and every line that tells agrees.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from change2task.construct.resolve.words import is_name, words

_MOST_LINES = 20_000
_ENOUGH = 2


Renames = tuple[tuple[bytes, bytes], ...]


def renames(base: Sequence[bytes], ours: Sequence[bytes], pairs: Sequence[tuple[int, int]]) -> Renames:
    """Old names with their new ones; `pairs` are lines of base and ours that belong together."""
    if max(len(base), len(ours)) > _MOST_LINES:
        return ()
    votes = _votes(base, ours, pairs)
    if not votes:
        return ()
    before = {word for line in base for word in words(line)}
    now = {word for line in ours for word in words(line)}
    agreed = {old: next(iter(new)) for old, new in votes.items() if len(new) == 1}
    return tuple(
        (old, new)
        for old, new in sorted(agreed.items())
        if old not in now and (new not in before or votes[old][new] >= _ENOUGH)
    )


def _votes(
    base: Sequence[bytes], ours: Sequence[bytes], pairs: Sequence[tuple[int, int]]
) -> dict[bytes, Counter[bytes]]:
    """How often lines that belong together say that a name became another one."""
    votes: dict[bytes, Counter[bytes]] = {}
    for one, other in pairs:
        first, second = words(base[one].strip()), words(ours[other].strip())
        if len(first) != len(second) or first == second:
            continue
        different = [(a, b) for a, b in zip(first, second, strict=True) if a != b]
        if all(is_name(a) and is_name(b) for a, b in different):
            for a, b in different:
                votes.setdefault(a, Counter())[b] += 1
    return votes


def with_names(lines: Sequence[bytes], renamed: Renames) -> tuple[bytes, ...]:
    """The lines with the names of today."""
    if not renamed:
        return tuple(lines)
    names = dict(renamed)
    return tuple(b"".join(names.get(word, word) for word in words(line)) for line in lines)
