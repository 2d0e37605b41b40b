"""A file without some of its tests or other units, as if they had never been written.

It exists to hide tests from an agent without breaking the file they stand in. What has to be hidden is the
caller's decision; whether the rest still runs is for the checks to say.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from change2task.syntax.edits import Edit, apply_edits, covered
from change2task.syntax.emptied import emptied
from change2task.syntax.faults import new_syntax_errors
from change2task.syntax.grammars import grammar
from change2task.syntax.helpers import unneeded
from change2task.syntax.imports import imports
from change2task.syntax.languages import Language
from change2task.syntax.pruned import unneeded_imports
from change2task.syntax.script_blocks import script_blocks
from change2task.syntax.tests import test_units
from change2task.syntax.tokens import docstring_spans
from change2task.syntax.trees import captures, root
from change2task.syntax.units import units

_SCRIPTS = frozenset({Language.JAVASCRIPT, Language.TYPESCRIPT, Language.TSX})


class CutError(Exception):
    """A cut would leave a file that does not parse, though it did before."""


def cut_tests(
    language: Language,
    path: bytes,
    source: bytes,
    names: Collection[str],
    *,
    helpers: bool = False,
    keep: Collection[str] = (),
) -> bytes:
    """The file without the tests of these names (as `test_units` names them); unknown names are passed over.

    Attached comments and decorators go along, so do shells left without a test and imports only the cut tests
    needed. With `helpers`, module-level functions, constants, fixtures and types go too that only they used,
    except those whose name is in `keep` (names other files need). Without a test to cut, the source comes back
    as it is; cutting twice is cutting once. Raises `CutError` when the result would not parse although the
    source does.
    """
    wanted = set(names)
    doomed = [test.unit.span for test in test_units(language, path, source) if test.name in wanted]
    parts = _parts_of_larger(language, source)
    edits = [Edit(s.start, s.end, b"undefined" if s.start in parts else b"") for s in doomed]
    return _cut(language, path, source, edits, shells=True, helpers=helpers, keep=keep)


def cut_units(
    language: Language,
    path: bytes,
    source: bytes,
    keys: Collection[str],
    *,
    helpers: bool = False,
    keep: Collection[str] = (),
) -> bytes:
    """The file without the units of these keys (`Unit.key`), and without imports only they needed.

    Names bound by one statement go when all of them are asked for. A class or block left empty stays, in
    Python with `pass`.
    """
    wanted = set(keys)
    everything = units(language, source)
    staying = {unit.span for unit in everything if unit.key not in wanted}
    spans = {unit.span for unit in everything if unit.key in wanted} - staying
    return _cut(language, path, source, [Edit(s.start, s.end) for s in spans], shells=False, helpers=helpers, keep=keep)


def is_bare(language: Language, source: bytes) -> bool:
    """Whether nothing but comments, imports, documentation and a package clause is left of a file."""
    silent = {*grammar(language).comments, "package_clause", "package_declaration", "empty_statement"}
    holes = [Edit(found.span.start, found.span.end) for found in imports(language, source)]
    holes += [Edit(*(found.group.start, found.group.end)) for found in imports(language, source) if found.group]
    if language is Language.PYTHON:
        holes += [Edit(start, end) for start, end in docstring_spans(source)]
    return all(
        node.type in silent or covered(node.start_byte, node.end_byte, holes) or not (node.text or b"").strip()
        for node in root(language, source).named_children
    )


def _cut(
    language: Language,
    path: bytes,
    source: bytes,
    edits: Sequence[Edit],
    *,
    shells: bool,
    helpers: bool,
    keep: Collection[str],
) -> bytes:
    if not edits:
        return source
    done = list(edits)
    if shells:
        done += emptied(language, path, source, done, helpers=helpers)
    if helpers:
        done += unneeded(language, path, source, done, keep)
        done += emptied(language, path, source, done, helpers=True) if shells else []
    done += unneeded_imports(language, source, done)
    if language is Language.PYTHON:
        done = _filled(source, done)
    result = apply_edits(source, done)
    faults = new_syntax_errors(language, source, result)
    if faults and not new_syntax_errors(language, None, source):
        where = ", ".join(f"line {fault.line}: {fault.kind} at {fault.text!r}" for fault in faults[:3])
        shown = path.decode("utf-8", "backslashreplace")
        raise CutError(f"cutting {len(edits)} units out of {shown} leaves it unparsable ({where})")
    return result


def _parts_of_larger(language: Language, source: bytes) -> frozenset[int]:
    """Where test calls start that are part of a larger expression and need something in their place."""
    if language not in _SCRIPTS:
        return frozenset()
    return frozenset(block.unit.span.start for block in script_blocks(language, source) if not block.alone)


def _filled(source: bytes, edits: Sequence[Edit]) -> list[Edit]:
    """The edits, with `pass` where a Python block would be left without a statement."""
    comments = grammar(Language.PYTHON).comments
    result = list(edits)
    for block in captures(Language.PYTHON, root(Language.PYTHON, source), "(block) @b").get("b", []):
        statements = [child for child in block.named_children if child.type not in comments]
        owner = block.parent
        if not statements or owner is None or covered(owner.start_byte, owner.end_byte, result):
            continue
        if all(covered(child.start_byte, child.end_byte, result) for child in statements):
            first = statements[0]
            index = next(i for i, e in enumerate(result) if e.start <= first.start_byte and first.end_byte <= e.end)
            result[index] = replace(result[index], instead=b"pass")
    return result
