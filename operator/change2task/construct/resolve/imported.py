"""Clashes of import statements: what is imported today stays, and what the change had removed comes back.

An import too many does no harm, one too few breaks a module; so nothing is ever taken away here.
"""

from __future__ import annotations

from collections.abc import Sequence

from change2task.construct.resolve.clash import Clash, Settled
from change2task.construct.resolve.words import indent_of
from change2task.syntax.imports import Import, import_only, imports
from change2task.syntax.languages import Language

_MOST_LINES = 400


def imported(clash: Clash) -> Settled | None:
    """The modern imports and, behind them, those that only the older side has."""
    language = clash.language
    sides = (clash.base, clash.ours, clash.theirs)
    if language is None or max(map(len, sides)) > _MOST_LINES:
        return None
    base, ours, theirs = (b"".join(side) for side in sides)
    if not all(not side.strip() or import_only(language, side, b"") for side in (base, ours, theirs)):
        return None
    lost = _lost(language, base, ours, theirs)
    if lost is None:
        return None
    how = "imports kept" if not lost else "imports kept, those that the change removed added"
    return Settled((*clash.ours, *lost), how)


def written_again(language: Language, source: bytes, statement: Import, names: Sequence[str]) -> list[bytes] | None:
    """Lines that import these names of a statement; None where they cannot be written without its other names."""
    if language is Language.PYTHON and statement.module != "__future__":
        return _python(statement, names, source)
    if len(set(names)) == len(statement.bindings):
        return _whole(source, statement)
    return None


def _lost(language: Language, base: bytes, ours: bytes, theirs: bytes) -> tuple[bytes, ...] | None:
    """Statements for the names that only `theirs` binds; None where they cannot be written on lines of their own."""
    bound = _names(language, base) | _names(language, ours)
    lines: list[bytes] = []
    for statement in imports(language, theirs):
        missing = [b.name for b in statement.bindings if b.name not in bound]
        if missing:
            again = written_again(language, theirs, statement, missing)
            if again is None:
                return None
            lines += again
    return tuple(lines)


def _names(language: Language, source: bytes) -> set[str]:
    return {binding.name for statement in imports(language, source) for binding in statement.bindings}


def _python(statement: Import, names: Sequence[str], source: bytes) -> list[bytes]:
    begin = source.rfind(b"\n", 0, statement.span.start) + 1
    indent = indent_of(source[begin : statement.span.end])
    written = {b.name: source[b.start : b.end] for b in statement.bindings}
    if source[statement.span.start : statement.span.end].startswith(b"import"):
        return [indent + b"import " + written[name] + b"\n" for name in names]
    joined = b", ".join(written.get(name, b"*") for name in names)
    return [indent + b"from " + statement.module.encode() + b" import " + joined + b"\n"]


def _whole(source: bytes, statement: Import) -> list[bytes]:
    begin = source.rfind(b"\n", 0, statement.span.start) + 1
    end = source.find(b"\n", statement.span.end)
    text = source[begin : len(source) if end < 0 else end + 1]
    return [line + b"\n" for line in text.rstrip(b"\n").split(b"\n")]
