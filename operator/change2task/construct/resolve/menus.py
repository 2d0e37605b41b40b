"""The resolvers in the order in which they are asked, from those that change least to those that claim most."""

from __future__ import annotations

from change2task.construct.resolve.clash import Resolver
from change2task.construct.resolve.coined import coined
from change2task.construct.resolve.dropped import dropped
from change2task.construct.resolve.elsewhere import elsewhere
from change2task.construct.resolve.gone import gone
from change2task.construct.resolve.imported import imported
from change2task.construct.resolve.owned import owned, stated
from change2task.construct.resolve.whitespace import whitespace
from change2task.construct.resolve.worded import worded

WORDS: tuple[Resolver, ...] = (whitespace, gone, imported, worded)
LINES: tuple[Resolver, ...] = (*WORDS, owned, stated, elsewhere)
ALL: tuple[Resolver, ...] = (*LINES, dropped, coined)
