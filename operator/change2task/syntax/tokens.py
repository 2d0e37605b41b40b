"""The tokens of a source without comments and layout: what the code says, however it is written.

It exists to tell a change of code from a change of formatting, for whole files and for single units. Two
sources are the same code when their trees have the same shape and the same words; that needs no knowledge of
what the words mean.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from functools import lru_cache

from change2task.syntax.grammars import grammar
from change2task.syntax.languages import Language
from change2task.syntax.trees import captures, root

Word = bytes | tuple[int, int]


@dataclass(frozen=True, slots=True)
class Token:
    """A leaf of the tree: its bytes, where they stand, and the grammar's name of its kind."""

    text: bytes
    start: int
    end: int
    kind: str


@dataclass(frozen=True, slots=True)
class _Shape:
    """Leaves and inner nodes of a tree in pre-order: where each starts, and its bytes or its kind and count of
    parts.

    Kinds with counts make the sequence stand for one tree only: a statement moved out of a block changes it.
    """

    starts: tuple[int, ...]
    words: tuple[Word, ...]
    leaves: tuple[Token, ...]


@lru_cache(maxsize=64)
def _shape(language: Language, source: bytes, first: int = 0, last: int | None = None) -> _Shape:
    """The shape of a whole source, or of what lies between two bytes with whatever encloses it."""
    comments = grammar(language).comments
    starts: list[int] = []
    words: list[Word] = []
    leaves: list[Token] = []
    opened: list[tuple[int, int]] = []
    counts = [0]
    covered = 0
    cursor = root(language, source).walk()
    while True:
        node = cursor.node
        entered = False
        if node is not None:
            start, kind = node.start_byte, node.type
            outside = node.end_byte <= first or (last is not None and start >= last)
            between = source[covered:start].strip() if start > covered and not outside else b""
            if between and between != b"\xef\xbb\xbf":
                leaves.append(Token(between, covered, start, "text"))
                starts.append(covered)
                words.append(between)
            if outside and node.end_byte > start:
                covered = max(covered, node.end_byte)
                counts[-1] += 1
            elif kind in comments:
                covered = node.end_byte
            elif node.child_count == 0:
                word = source[start : node.end_byte]
                if node.is_named or word.strip():
                    leaves.append(Token(word, start, node.end_byte, kind))
                    starts.append(start)
                    words.append(word)
                    counts[-1] += 1
                covered = max(covered, node.end_byte)
            else:
                covered = max(covered, start)
                opened.append((len(words), node.kind_id))
                counts.append(0)
                starts.append(start)
                words.append(b"")
                entered = cursor.goto_first_child()
        if entered:
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return _Shape(tuple(starts), tuple(words), tuple(leaves))
            index, kind_id = opened.pop()
            words[index] = (kind_id, counts.pop())
            counts[-1] += 1


def tokens(language: Language, source: bytes) -> tuple[Token, ...]:
    """The tokens in file order, without comments and blanks. Strings come in their grammar's parts."""
    return _shape(language, source).leaves


def code_words(
    language: Language, source: bytes, start: int = 0, end: int | None = None, *, docstrings: bool = True
) -> tuple[Word, ...]:
    """The comparable form of the code between two bytes: equal exactly when the code is, whatever its layout
    and comments.

    A part is compared from its first leaf on, so that what encloses it does not count. With
    `docstrings=False`, Python docstrings are left out. Only meant to be compared with another such value.
    """
    shape = _shape(language, source, start, end)
    first = bisect_left(shape.starts, start)
    last = len(shape.starts) if end is None else bisect_left(shape.starts, end)
    if start > 0 or end is not None:
        while first < last and isinstance(shape.words[first], tuple):
            first += 1
    words = shape.words[first:last]
    if docstrings or language is not Language.PYTHON:
        return words
    kept: list[Word] = []
    holes = docstring_spans(source)
    hole = 0
    for at, word in zip(shape.starts[first:last], words, strict=True):
        while hole < len(holes) and holes[hole][1] <= at:
            hole += 1
        if hole == len(holes) or at < holes[hole][0]:
            kept.append(word)
    return tuple(kept)


def same_code(language: Language, a: bytes, b: bytes, *, docstrings: bool = True) -> bool:
    """Whether two sources differ in layout and comments only (with `docstrings=False`, in Python docstrings
    also).
    """
    if a == b:
        return True
    return code_words(language, a, docstrings=docstrings) == code_words(language, b, docstrings=docstrings)


def docstring_spans(source: bytes) -> list[tuple[int, int]]:
    """The bytes of every Python docstring, in file order."""
    top = root(Language.PYTHON, source)
    comments = grammar(Language.PYTHON).comments
    owners = captures(
        Language.PYTHON, top, "(function_definition body: (block) @b) (class_definition body: (block) @b)"
    ).get("b", [])
    result = []
    for block in [top, *owners]:
        first = next((child for child in block.named_children if child.type not in comments), None)
        if (
            first is not None
            and first.type == "expression_statement"
            and first.named_child_count == 1
            and first.named_child(0).type in ("string", "concatenated_string")
        ):
            result.append((first.start_byte, first.end_byte))
    return sorted(result)
