"""What stands around a definition and belongs to it: comments right above it, attributes, a comment behind it.

It exists because a definition moved or cut without these leaves orphans behind. A comment belongs to a
definition when no blank line parts them and it begins in the same column; in Python also when it is indented
deeper than the definition above it.
"""

from __future__ import annotations

from bisect import bisect_right

from change2task.syntax.grammars import grammar
from change2task.syntax.languages import Language
from change2task.syntax.trees import Node, Span, captures, root

_BLANK = b" \t\r\n\f"


class Attachments:
    """The comments and attributes of one source, found by where they end."""

    def __init__(self, language: Language, source: bytes) -> None:
        self._language = language
        self._source = source
        self._lines = [0]
        at = source.find(b"\n")
        while at >= 0:
            self._lines.append(at + 1)
            at = source.find(b"\n", at + 1)
        found = captures(language, root(language, source), grammar(language).pieces)
        self._comment_ids = {node.id for node in found.get("comment", [])}
        pieces = [*found.get("comment", []), *found.get("attribute", [])]
        self._ending = {self._trimmed(node): node for node in pieces}
        self._starting = {node.start_byte: node for node in found.get("comment", [])}

    def line(self, offset: int) -> int:
        """The 1-based line of a byte."""
        return bisect_right(self._lines, offset)

    def line_start(self, offset: int) -> int:
        """Where the line of a byte begins."""
        return self._lines[self.line(offset) - 1]

    def span(self, start: int, end: int) -> Span:
        """A span of these bytes with its lines."""
        return Span(start, end, self.line(start), self.line(max(start, end - 1)))

    def plain(self, node: Node) -> Span:
        """The span of a node alone, without a line end the grammar counts into it."""
        return self.span(node.start_byte, max(node.start_byte, self._trimmed(node)))

    def around(self, node: Node) -> tuple[Span, list[Node]]:
        """The span of a node with all that is attached, and the attributes among that, in file order."""
        start, marks = self._before(node.start_byte)
        return self.span(start, self._behind(node)), marks

    def _trimmed(self, node: Node) -> int:
        end = node.end_byte
        while end > node.start_byte and self._source[end - 1] in _BLANK:
            end -= 1
        return end

    def _before(self, start: int) -> tuple[int, list[Node]]:
        marks: list[Node] = []
        column = start - self.line_start(start)
        while True:
            at = start
            while at > 0 and self._source[at - 1] in _BLANK:
                at -= 1
            breaks = self._source.count(b"\n", at, start)
            piece = self._ending.get(at)
            if piece is None or breaks > 1 or piece.start_byte >= start:
                return start, marks
            begins = self.line_start(piece.start_byte)
            own_line = not self._source[begins : piece.start_byte].strip()
            comment = piece.id in self._comment_ids
            shown = self._source[piece.start_byte : piece.start_byte + 3]
            if comment and (shown.startswith(b"#!") or shown == b"//!"):
                return start, marks
            if breaks and not (own_line and piece.start_byte - begins == column):
                return start, marks
            if comment and not breaks and not own_line:
                return start, marks
            if not comment:
                marks.insert(0, piece)
            start = piece.start_byte

    def _behind(self, node: Node) -> int:
        """Where the node ends with a comment on its last line and, in Python, deeper comments below it."""
        end = self._same_line(self._trimmed(node))
        if self._language is not Language.PYTHON:
            return end
        column = node.start_byte - self.line_start(node.start_byte)
        if self._source[self.line_start(node.start_byte) : node.start_byte].strip():
            return end
        while True:
            at = end
            while at < len(self._source) and self._source[at] in _BLANK:
                at += 1
            comment = self._starting.get(at)
            if comment is None or at - self.line_start(at) <= column or self.line(at) == self.line(end):
                return end
            end = self._trimmed(comment)

    def _same_line(self, end: int) -> int:
        at = end
        while at < len(self._source) and self._source[at] in b" \t;,":
            at += 1
        comment = self._starting.get(at)
        if comment is None:
            return end
        stop = self._trimmed(comment)
        last = self._source.find(b"\n", stop)
        rest = self._source[stop : last if last >= 0 else len(self._source)]
        return stop if not rest.strip() and b"\n" not in self._source[at:stop] else end
