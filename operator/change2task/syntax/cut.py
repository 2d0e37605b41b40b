"""A file without some of its tests, as if they had never been written.

It exists to hide tests from an agent without breaking the file they stand in. What has to be hidden is the
caller's decision; whether the rest still runs is for the checks to say.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from change2task.syntax.edits import Cuts, Edit, apply_edits
from change2task.syntax.emptied import add_emptied
from change2task.syntax.faults import new_syntax_errors
from change2task.syntax.grammars import grammar
from change2task.syntax.helpers import add_unneeded
from change2task.syntax.languages import Language
from change2task.syntax.pruned import add_unneeded_imports
from change2task.syntax.script_blocks import script_blocks
from change2task.syntax.tests import test_units
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
    return _cut(language, path, source, edits, helpers=helpers, keep=keep)


def cut_units(language: Language, path: bytes, source: bytes, keys: Collection[str]) -> bytes:
    """The file without the module-level units of these keys, and without the imports only they needed.

    Raises `CutError` when the result would not parse although the source does.
    """
    doomed = [unit.span for unit in units(language, source) if unit.key in keys]
    return _cut(language, path, source, [Edit(span.start, span.end) for span in doomed], helpers=False, keep=())


def _cut(
    language: Language,
    path: bytes,
    source: bytes,
    edits: Sequence[Edit],
    *,
    helpers: bool,
    keep: Collection[str],
) -> bytes:
    if not edits:
        return source
    cuts = Cuts(edits)
    add_emptied(language, path, source, cuts, helpers=helpers)
    if helpers:
        add_unneeded(language, path, source, cuts, keep)
        add_emptied(language, path, source, cuts, helpers=True)
    add_unneeded_imports(language, source, cuts)
    if language is Language.PYTHON:
        _fill(source, cuts)
    result = apply_edits(source, cuts.all())
    faults = new_syntax_errors(language, source, result)
    if faults and not new_syntax_errors(language, None, source):
        where = ", ".join(f"line {fault.line}: {fault.kind} at {fault.text!r}" for fault in faults[:3])
        shown = path.decode("utf-8", "backslashreplace")
        raise CutError(f"cutting {len(edits)} tests out of {shown} leaves it unparsable ({where})")
    return result


def _parts_of_larger(language: Language, source: bytes) -> frozenset[int]:
    """Where test calls start that are part of a larger expression and need something in their place."""
    if language not in _SCRIPTS:
        return frozenset()
    return frozenset(block.unit.span.start for block in script_blocks(language, source) if not block.alone)


def _fill(source: bytes, cuts: Cuts) -> None:
    """Put `pass` where a Python block would be left without a statement."""
    comments = grammar(Language.PYTHON).comments
    for block in captures(Language.PYTHON, root(Language.PYTHON, source), "(block) @b").get("b", []):
        owner = block.parent
        if owner is None:
            continue
        statements = [child for child in block.named_children if child.type not in comments]
        gone = all(cuts.cover(child.start_byte, child.end_byte) for child in statements)
        if statements and gone and not cuts.cover(owner.start_byte, owner.end_byte):
            cuts.replace(statements[0].start_byte, b"pass")
