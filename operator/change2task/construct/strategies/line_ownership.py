"""Level 2: the change's own lines, followed to what later work made of them.

After the merge of words: each clash by what descends from the change's lines (``resolve.owned``).
"""

from __future__ import annotations

from change2task.construct.resolve.menus import LINES
from change2task.construct.strategies.merging import Merging, by_lines


class LineOwnership(Merging):
    """A merge of lines and words, then by descent."""

    def __init__(self) -> None:
        super().__init__("line-ownership", 2, by_lines(LINES))
