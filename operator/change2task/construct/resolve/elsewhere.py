"""The change only added lines, and each stands in the clash today once more, word for word, but in another order."""

from __future__ import annotations

from change2task.construct.resolve.align import align
from change2task.construct.resolve.clash import Clash, Settled
from change2task.construct.resolve.words import tells


def elsewhere(clash: Clash) -> Settled | None:
    """The modern lines without those that the change added, where each of them is there exactly once."""
    matches = align(clash.base, clash.theirs)
    kept = {match.one + n for match in matches for n in range(match.length)}
    if len(kept) < len(clash.theirs):
        return None
    added = [line.strip() for n, line in enumerate(clash.base) if n not in kept and tells(line)]
    today = [line.strip() for line in clash.ours]
    if not added or any(today.count(line) != 1 for line in added):
        return None
    left = tuple(line for line in clash.ours if line.strip() not in added)
    return Settled(left, "the change's lines taken away where they stand today")
