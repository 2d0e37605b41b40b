"""Code blocks in an author's words, and whether one quotes a source.

A line of a few characters that a text shares with a source may be chance. Within a block of code it is none where the
whole block is the source's, or where such lines follow each other; so blocks are told from the text around them, and
compared without blanks and trailing comments. What is done with a quotation is left to ``solution``.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from itertools import pairwise

_FENCE = re.compile(r"^\s*(?P<fence>`{3,}|~{3,})")
_COMMENT = re.compile(r"\s(?:#|//)\s.*")
_NO_CODE = re.compile(r"^\s*(?:\W*|(?:#|//)\s.*)$")
_HEADER = re.compile(r"^(?:@@ |diff --git |index [0-9a-f]+\.\.|--- |\+\+\+ )")
_NEUTRAL = re.compile(r"^(?:import|from|use|using|package|require|#\s*include)\b")
_TELLING = re.compile(r"[=(){}\[\];]|\w\s+\S|\S\s+\w")


def pieces(lines: Sequence[str]) -> list[tuple[bool, list[str]]]:
    """A body as code blocks, fenced or indented, and what is between them."""
    found: list[tuple[bool, list[str]]] = [(False, [])]
    fence = ""
    for line in lines:
        mark = _FENCE.match(line)
        if fence:
            found[-1][1].append(line)
            if mark and mark["fence"].startswith(fence):
                fence = ""
                found.append((False, []))
        elif mark:
            fence = mark["fence"]
            found.append((True, [line]))
        else:
            indented = line.startswith(("    ", "\t")) or (found[-1][0] and not line.strip())
            if indented != found[-1][0]:
                found.append((indented, []))
            found[-1][1].append(line)
    return found


def keys(lines: Iterable[str]) -> frozenset[str]:
    """What lines are compared by, those that are no code, or only signs, left aside."""
    return frozenset(_key(line) for line in lines if not _NO_CODE.match(line))


def quoted(block: Sequence[str], added: Collection[str], held: Collection[str]) -> list[str]:
    """The lines of a source in this block, as written; none where it quotes no more than may be chance.

    ``added`` and ``held`` are keys of lines: those asked for, and all of their sources. Sessions with prompts are uses.
    """
    code = _code(block)
    if any(line.startswith(">>>") for line in code):
        return []
    asked = [_key(line) in added and not _NEUTRAL.match(line) for line in code]
    telling = [is_asked and _TELLING.search(line) is not None for is_asked, line in zip(asked, code, strict=True)]
    whole = any(telling) and all(_key(line) in held for line in code)
    in_a_row = any(
        first and second and (one or other)
        for (first, second), (one, other) in zip(pairwise(asked), pairwise(telling), strict=True)
    )
    return [line for line, is_asked in zip(code, asked, strict=True) if is_asked] if whole or in_a_row else []


def _code(block: Sequence[str]) -> list[str]:
    """The block's lines of code as they stand in a source: of a difference, what is there after it."""
    rows = [line for line in block if not _FENCE.match(line)]
    margin = min((len(row) - len(row.lstrip()) for row in rows if row.strip()), default=0)
    rows = [row[margin:] for row in rows]
    if any(row.startswith(("+", "@@ ")) for row in rows):
        rows = [row.removeprefix("+") for row in rows if not row.startswith("-") and not _HEADER.match(row)]
    return [row.strip() for row in rows if not _NO_CODE.match(row)]


def _key(line: str) -> str:
    return "".join(_COMMENT.sub("", line.strip()).split())
