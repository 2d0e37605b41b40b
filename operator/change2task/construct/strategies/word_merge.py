"""Level 2: where lines clash, words need not.

The three-way merge of each file, and inside its conflicts: blanks, imports, lines that are gone already, and a merge
of words. Lines that the change and later work both rewrote are left to the strategies after it.
"""

from __future__ import annotations

from change2task.construct.resolve.menus import WORDS
from change2task.construct.strategies.merging import Merging, by_lines


class WordMerge(Merging):
    """A merge of lines, then of words."""

    def __init__(self) -> None:
        super().__init__("word-merge", 2, by_lines(WORDS))
