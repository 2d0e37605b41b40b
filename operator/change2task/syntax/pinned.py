"""Numbers that a test pins: how many pieces, which place in a list, which amount.

A number counts where it stands beside a comparison, alone between the brackets of a look-up, or directly among the
arguments of a call that compares. None, one and their opposites do not count: that there is something, or one of it, is
what words usually tell.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from change2task.syntax.languages import Language
from change2task.syntax.tokens import Token, tokens

_NUMBER: Final = re.compile(r"[0-9][\w.]*", re.ASCII)
_SMALL: Final = frozenset({"0", "1", "0.0", "1.0"})
_COMPARISONS: Final = frozenset({b"==", b"!=", b"===", b"!==", b"<", b">", b"<=", b">="})
_COMPARING: Final = re.compile(
    rb"assert\w*|expect\w*|equals?|eq|ne|len|count|to(?:Be|Equal|StrictEqual|HaveLength|HaveBeenCalledTimes)"
    rb"|(?:deep|strict|not|deepStrict)Equal",
    re.IGNORECASE,
)


def pinned_numbers(language: Language, source: bytes) -> frozenset[str]:
    """The numbers, as written, that a stretch of test code pins."""
    leaves = tokens(language, source)
    found: set[str] = set()
    callees: list[bytes] = []
    for place, token in enumerate(leaves):
        if token.text == b"(":
            callees.append(_callee(leaves, place))
        elif token.text == b")" and callees:
            callees.pop()
        text = token.text.decode("utf-8", "replace")
        if "string" in token.kind or not _NUMBER.fullmatch(text) or text in _SMALL:
            continue
        before, after = _neighbours(leaves, place)
        called = bool(callees) and _COMPARING.fullmatch(callees[-1]) is not None
        if (
            {before, after} & _COMPARISONS
            or (before == b"[" and after == b"]" and _looks_up(leaves, place))
            or (called and before in {b"(", b","} and after in {b")", b","})
        ):
            found.add(text)
    return frozenset(found)


def _neighbours(leaves: Sequence[Token], place: int) -> tuple[bytes, bytes]:
    """The words around a number and its sign."""
    first = place - 1 if place and leaves[place - 1].text == b"-" else place
    before = leaves[first - 1].text if first else b""
    return before, leaves[place + 1].text if place + 1 < len(leaves) else b""


def _looks_up(leaves: Sequence[Token], place: int) -> bool:
    """Whether the bracket before the number opens a look-up and no list."""
    opened = place - 2 if leaves[place - 1].text == b"-" else place - 1
    owner = leaves[opened - 1] if opened > 0 else None
    return owner is not None and (owner.text in {b")", b"]"} or owner.kind.endswith("identifier"))


def _callee(leaves: Sequence[Token], place: int) -> bytes:
    """The name before a bracket; that of a macro stands before its mark."""
    back = place - 2 if place > 1 and leaves[place - 1].text == b"!" else place - 1
    return leaves[back].text if back >= 0 else b""
