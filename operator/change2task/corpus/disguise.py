"""Sources that read differently and behave the same: a test that reads them is not taken for one that runs them.

An added test is to tell the task state from the restored one by behaviour. The cheapest cheat compares a source file
with the text the agent was given, and would pass every repeat. So on repeats after the first each state carries the
other one's text as comments behind its own, and in Python each function its other form, since ``inspect`` reads one
alone. Pure; where it is used is decided by ``grading``.
"""

from __future__ import annotations

import re
from typing import Final

from change2task.syntax.definitions import UnitKind
from change2task.syntax.faults import new_syntax_errors
from change2task.syntax.languages import Language, language_of
from change2task.syntax.units import Unit, units

_COMMENT: Final[dict[Language, bytes]] = {
    Language.PYTHON: b"# ",
    Language.GO: b"// ",
    Language.JAVA: b"// ",
    Language.JAVASCRIPT: b"// ",
    Language.RUST: b"// ",
    Language.TSX: b"// ",
    Language.TYPESCRIPT: b"// ",
}
# Whatever ends a line in one of the languages ends it here. A backslash could join lines, or be a line end in Java.
_DEEPER: Final = 40
"""Columns by which a comment lies deeper than the function it belongs to; no body begins so deep."""
_LINE_ENDS: Final = re.compile(b"\r\n|[\r\n\f\v\0]|\xe2\x80[\xa8\xa9]|\xc2\x85")


def disguised(path: bytes, own: bytes, other: bytes) -> bytes:
    """``own`` with every line of ``other`` behind it as a comment; as it is where that could not be harmless."""
    language = language_of(path, own[:256])
    if language is None or not other or not _is_text(other):
        return own
    comment = _COMMENT[language]
    # Beyond the second line Python takes no comment for the declaration of an encoding.
    end = b"\n\n" if own.endswith(b"\n") else b"\n\n\n"
    within = _within(own, other) if language is Language.PYTHON else own
    text = within + end + b"".join(comment + line + b"\n" for line in _lines(other))
    return own if new_syntax_errors(language, own, text) else text


def _within(own: bytes, other: bytes) -> bytes:
    """Python with every function's other form as comments at its end, so deep that they are read as a part of it."""
    forms = {unit.key: other[unit.code_start : unit.span.end] for unit in units(Language.PYTHON, other) if _runs(unit)}
    text = own
    for unit in sorted(units(Language.PYTHON, own), key=lambda one: one.span.end, reverse=True):
        form, start, end = forms.get(unit.key), unit.code_start, unit.span.end
        if not _runs(unit) or form is None or form == own[start:end]:
            continue
        deep = b" " * (start - own.rfind(b"\n", 0, start) + _DEEPER)
        text = text[:end] + b"".join(b"\n" + deep + b"# " + line for line in _lines(form)) + text[end:]
    return text


def _runs(unit: Unit) -> bool:
    return unit.kind in {UnitKind.FUNCTION, UnitKind.METHOD}


def _lines(content: bytes) -> list[bytes]:
    return _LINE_ENDS.split(content.replace(b"\\", b"/"))


def _is_text(content: bytes) -> bool:
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True
