"""Later work already took away what the change had brought: nothing is left to undo there."""

from __future__ import annotations

from change2task.construct.resolve.clash import Clash, Settled


def gone(clash: Clash) -> Settled | None:
    """The modern lines, where later work removed all lines of the clash and put none in their place."""
    if any(line.strip() for line in clash.base) and not any(line.strip() for line in clash.ours):
        return Settled(clash.ours, "already gone; kept as it is")
    return None
