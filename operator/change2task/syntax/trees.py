"""Parsed sources, cached, and the few safe ways to look into them.

It exists because the same source is asked many questions, and because files may be minified, generated or
broken: nothing here recurses, so the depth of a tree costs memory only. What nodes mean is left to the callers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache

import tree_sitter

from change2task.syntax.grammars import compiled
from change2task.syntax.languages import Language

Node = tree_sitter.Node


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of a source: bytes `start` to `end` (exclusive), 1-based lines `first_line` to `last_line`
    (inclusive).
    """

    start: int
    end: int
    first_line: int
    last_line: int


@lru_cache(maxsize=64)
def parse(language: Language, source: bytes) -> tree_sitter.Tree:
    """The syntax tree; broken sources give a tree with error nodes, never an exception."""
    return tree_sitter.Parser(compiled(language)).parse(source)


def root(language: Language, source: bytes) -> Node:
    """The root node of a source."""
    return parse(language, source).root_node


@cache
def _query(language: Language, pattern: str) -> tree_sitter.Query:
    return tree_sitter.Query(compiled(language), pattern)


def captures(language: Language, node: Node, pattern: str) -> dict[str, list[Node]]:
    """The nodes below `node` that a query captures, by capture name, each list in file order, outer nodes
    first.
    """
    found = tree_sitter.QueryCursor(_query(language, pattern)).captures(node)
    return {name: sorted(nodes, key=lambda n: (n.start_byte, -n.end_byte)) for name, nodes in found.items()}


def walk(node: Node) -> Iterator[Node]:
    """Every node at and below `node`, parents before children."""
    cursor = node.walk()
    while True:
        current = cursor.node
        if current is not None:
            yield current
        if cursor.goto_first_child():
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return


def text(node: Node) -> str:
    """The source text of a node; bytes that are not UTF-8 become escapes, so that names stay distinct."""
    return (node.text or b"").decode("utf-8", "backslashreplace")


def span(node: Node) -> Span:
    """The stretch a node covers, without a line end that the grammar counts into it."""
    end, row = node.end_byte, node.end_point.row
    if node.end_point.column == 0 and end > node.start_byte:
        end, row = end - 1, row - 1
    return Span(node.start_byte, end, node.start_point.row + 1, row + 1)
