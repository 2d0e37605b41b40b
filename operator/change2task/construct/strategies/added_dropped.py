"""Level 2: what the change only added goes, even where later work rewrote it beyond recognition of lines."""

from __future__ import annotations

from change2task.construct.resolve.menus import ALL
from change2task.construct.strategies.merging import Merging, by_lines


class AddedDropped(Merging):
    """A merge by all resolvers there are."""

    def __init__(self) -> None:
        super().__init__("added-dropped", 2, by_lines(ALL))
