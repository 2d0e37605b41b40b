"""A definition or import of one version of a file put into another, where it stood among what both hold. Pure.

It exists for repair: what a task patch took away and later code needs comes back as it was. A place is told by
neighbours, definitions by definitions and imports by imports, so that nothing is ever put into the middle of something.
"""

from __future__ import annotations

from collections.abc import Collection

from change2task.construct.resolve.imported import written_again
from change2task.construct.resolve.worded import split_lines
from change2task.syntax.edits import Cuts, apply_edits
from change2task.syntax.imports import Import, imports
from change2task.syntax.languages import Language
from change2task.syntax.pruned import import_cuts
from change2task.syntax.tokens import docstring_spans
from change2task.syntax.units import Unit, units


def with_name(language: Language, source: bytes, target: bytes, name: str) -> bytes | None:
    """The target with the definition or import that the source has of a name and it has not; None where it cannot."""
    for statement in imports(language, source):
        if any(binding.name == name for binding in statement.bindings):
            found = _with_import(language, source, target, statement, name)
            if found is not None:
                return found
    return _with_unit(language, source, target, name)


def without_imports(language: Language, source: bytes, names: Collection[str]) -> bytes:
    """The source without these imported names, and in Python without their entries in ``__all__``."""
    cuts = Cuts()
    for statement in imports(language, source):
        for edit in import_cuts(statement, {b for b in statement.bindings if b.name in names}):
            cuts.add(edit)
    result = apply_edits(source, cuts.all())
    return _without_exports(result, names) if language is Language.PYTHON else result


def _with_import(language: Language, source: bytes, target: bytes, statement: Import, name: str) -> bytes | None:
    begin = source.rfind(b"\n", 0, statement.span.start) + 1
    if begin != statement.span.start:
        return None
    lines = written_again(language, source, statement, [name])
    if lines is None:
        return None
    there = [found for found in imports(language, target) if _column(target, found) == 0]
    known = {target[found.span.start : found.span.end]: found for found in there}
    above = [
        known[text]
        for found in imports(language, source)
        if found.span.start < statement.span.start and (text := source[found.span.start : found.span.end]) in known
    ]
    future = [found for found in there if found.module == "__future__"]
    if above:
        line = above[-1].span.last_line
    elif future:
        line = future[-1].span.last_line
    elif there:
        line = there[0].span.first_line - 1
    else:
        line = _after_docstring(language, target)
    return _inserted(target, line, b"".join(lines))


def _column(source: bytes, statement: Import) -> int:
    return statement.span.start - source.rfind(b"\n", 0, statement.span.start) - 1


def _after_docstring(language: Language, source: bytes) -> int:
    if language is not Language.PYTHON:
        return 0
    first = next(iter(docstring_spans(source)), None)
    leading = first is not None and not source[: first[0]].strip()
    return source.count(b"\n", 0, first[1]) + 1 if first is not None and leading else 0


def _with_unit(language: Language, source: bytes, target: bytes, name: str) -> bytes | None:
    """The unit of this name, or of this short name inside another, behind the sibling it stood behind."""
    theirs, there = units(language, source), {unit.key: unit for unit in units(language, target)}
    named = [u for u in theirs if u.name == name or (u.parent is not None and u.short == name)]
    wanted = [u for u in named if u.key not in there]
    if not wanted:
        return None
    unit = wanted[0]
    parent = None if unit.parent is None else there.get(theirs[unit.parent].key)
    if unit.parent is not None and parent is None:
        return None
    siblings = [other for other in theirs if other.parent == unit.parent and other.key in there]
    above = [other for other in siblings if other.span.start < unit.span.start]
    below = [other for other in siblings if other.span.start > unit.span.start]
    text, blank = _text(source, unit)
    if above:
        line = there[above[-1].key].span.last_line
        return _inserted(target, line, b"\n" * blank + text)
    if below:
        line = there[below[0].key].span.first_line - 1
        return _inserted(target, line, text + b"\n" * _blank_behind(source, unit))
    if parent is not None:
        return _inserted(target, parent.span.last_line, b"\n" * blank + text)
    return _inserted(target, target.count(b"\n"), b"\n" * blank + text)


def _text(source: bytes, unit: Unit) -> tuple[bytes, int]:
    """The unit's lines, and how many blank lines stand before them."""
    lines = split_lines(source)
    first = unit.span.first_line - 1
    blank = 0
    while first - blank > 0 and not lines[first - blank - 1].strip():
        blank += 1
    text = b"".join(lines[first : unit.span.last_line])
    return (text if text.endswith(b"\n") else text + b"\n"), blank


def _blank_behind(source: bytes, unit: Unit) -> int:
    blank = 0
    for line in split_lines(source)[unit.span.last_line :]:
        if line.strip():
            break
        blank += 1
    return blank


def _inserted(target: bytes, line: int, text: bytes) -> bytes:
    lines = list(split_lines(target))
    if lines and not lines[-1].endswith(b"\n"):
        lines[-1] += b"\n"
    return b"".join([*lines[:line], text, *lines[line:]])


def _without_exports(source: bytes, names: Collection[str]) -> bytes:
    """Without the entries of these names in a list of ``__all__``."""
    start = source.find(b"__all__")
    if start < 0:
        return source
    end = min((at for sign in (b"]", b")") if (at := source.find(sign, start)) >= 0), default=-1)
    if end < 0:
        return source
    exports = source[start:end]
    for name in names:
        for quote in (b'"', b"'"):
            entry = quote + name.encode() + quote
            for form in (b"    " + entry + b",\n", entry + b", ", b", " + entry, entry + b",", entry):
                exports = exports.replace(form, b"")
    return source[:start] + exports + source[end:]
