"""Functions that the change added and that a merged file still holds, though nobody uses them: they went elsewhere.

A function moved within its file since the change is no clash: a merge of lines sees one go and another come. With its
callers undone it is left behind, the answer half written. Pure but for the words of other files, which the caller has.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from change2task.construct.resolve.words import likeness
from change2task.syntax.cut import CutError, cut_units
from change2task.syntax.definitions import UnitKind
from change2task.syntax.languages import Language
from change2task.syntax.units import Unit, units

SAME = 0.5
_KINDS = frozenset({UnitKind.FUNCTION, UnitKind.METHOD, UnitKind.CLASS})


def without_leftovers(
    language: Language, path: bytes, ends: tuple[bytes, bytes], text: bytes, used: Callable[[str], bool]
) -> tuple[bytes, tuple[str, ...]]:
    """The text without such definitions, and their names.

    ``ends`` are the file before and after the change; ``used`` tells of a name whether another file has it.
    """
    before = {unit.key for unit in units(language, ends[0])}
    added = {unit.key: unit for unit in units(language, ends[1]) if unit.kind in _KINDS and unit.key not in before}
    gone: dict[str, str] = {}
    for unit in units(language, text):
        then = added.get(unit.key)
        if then is None or then.kind is not unit.kind or unit.parent is not None:
            continue
        alike = likeness(_text(ends[1], then), _text(text, unit)) >= SAME
        if alike and not _stands_outside(text, unit) and not used(unit.short):
            gone[unit.key] = unit.short
    if not gone:
        return text, ()
    try:
        return cut_units(language, path, text, frozenset(gone)), tuple(gone.values())
    except CutError:
        return text, ()


def _text(source: bytes, unit: Unit) -> bytes:
    return source[unit.span.start : unit.span.end]


def _stands_outside(text: bytes, unit: Unit) -> bool:
    outside = text[: unit.span.start] + b"\n" + text[unit.span.end :]
    return re.search(rb"(?<!\w)" + re.escape(unit.short.encode()) + rb"(?!\w)", outside) is not None
