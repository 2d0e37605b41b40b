"""Level 2, last: where nothing else is known, the lines from before the change.

It can take away what later work brought; the gates decide. Whole-patch strategies come before it.
"""

from __future__ import annotations

from change2task.construct.resolve.menus import ALL
from change2task.construct.strategies.merging import Merging, by_lines


class OlderRegions(Merging):
    """All resolvers, and the older side of what they leave."""

    def __init__(self) -> None:
        super().__init__("older-regions", 2, by_lines(ALL, otherwise="theirs"))
