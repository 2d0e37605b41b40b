"""Names that a source gives to members: ``self.x = …``, ``self.x: T``, and what stands in the body of a class.

Units are definitions; a member that is only assigned is none, and is still what others call it by. A condition on a
member (``if self.x:``) and a key of a mapping look alike and name nothing, so statements are told by where they begin.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from change2task.syntax.definitions import UnitKind
from change2task.syntax.tokens import Token
from change2task.syntax.units import Unit

_OPEN, _CLOSE = (b"(", b"[", b"{"), (b")", b"]", b"}")
_GIVEN = (b"=", b":")
_WORD = re.compile(rb"[^\W\d]\w*")


def assigned_members(source: bytes, words: Sequence[Token], units: Sequence[Unit]) -> Iterator[str]:
    """The names of members that are assigned or annotated; those of a class's own body with the class before them."""
    depth = 0
    for place, (name, sign) in enumerate(pairwise(words)):
        depth += (name.text in _OPEN) - (name.text in _CLOSE)
        if sign.text not in _GIVEN or not _WORD.fullmatch(name.text):
            continue
        first = _chain(words, place)
        text = name.text.decode("utf-8", "backslashreplace")
        if first < place and (sign.text == b"=" or (depth == 0 and _begins(source, words[first]))):
            yield text
        elif first == place and depth == 0 and _begins(source, name) and (owner := _class_of(units, name)) is not None:
            yield f"{owner.name}.{text}"


def _chain(words: Sequence[Token], place: int) -> int:
    """Where the dotted name begins that ends at ``place``."""
    while place >= 2 and words[place - 1].text == b"." and _WORD.fullmatch(words[place - 2].text):
        place -= 2
    return place if place == 0 or words[place - 1].text != b"." else place - 1


def _begins(source: bytes, word: Token) -> bool:
    """Whether nothing but blanks stands before a word on its line."""
    return not source[source.rfind(b"\n", 0, word.start) + 1 : word.start].strip()


def _class_of(units: Sequence[Unit], word: Token) -> Unit | None:
    """The class whose own body holds a word, where the innermost unit around it is one."""
    around = [unit for unit in units if unit.body is not None and unit.body.start <= word.start < unit.body.end]
    inner = max(around, key=lambda unit: unit.span.start, default=None)
    return inner if inner is not None and inner.kind is UnitKind.CLASS else None
