"""The change only added lines here, and later work rewrote them: what they became goes."""

from __future__ import annotations

from change2task.construct.resolve.clash import Clash, Settled
from change2task.construct.resolve.words import likeness

_ALIKE = 0.3
_GROWN = 1.8


def dropped(clash: Clash) -> Settled | None:
    """Nothing, where the older side has nothing and the modern lines are still of that size and of those words."""
    if any(line.strip() for line in clash.theirs) or not clash.base or not clash.ours:
        return None
    if len(clash.ours) > _GROWN * len(clash.base) + 2:
        return None
    if likeness(b"".join(clash.base), b"".join(clash.ours), signs=False) < _ALIKE:
        return None
    return Settled(clash.theirs, "what became of the change's lines taken away")
