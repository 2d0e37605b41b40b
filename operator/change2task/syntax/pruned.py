"""Which imports only the code taken out needed, and how to take out single names of a list.

It exists because an import left behind names what was hidden, fails when a task removes its target, and in Go
does not even compile. An import that was unused before is none of our business and stays, as do star imports,
`__future__`, imports for their side effects, and any with a comment that says so.
"""

from __future__ import annotations

import re

from change2task.syntax.edits import Cuts, Edit
from change2task.syntax.helpers import Names
from change2task.syntax.imports import Binding, Import, imports
from change2task.syntax.languages import Language
from change2task.syntax.references import chains, import_names, package_names
from change2task.syntax.trees import Span, captures, root

_KEPT = re.compile(
    rb"(#|//|/\*).*(noqa(?!:)|noqa:.*F401|side.?effect|unused|register|eslint-disable|nolint|ts-ignore)", re.I
)
_PATTERNS: dict[Language, str] = {
    Language.PYTHON: "(try_statement) @t (function_definition) @t (class_definition) @t",
    Language.RUST: "(function_item) @t",
}


def add_unneeded_imports(language: Language, source: bytes, cuts: Cuts) -> None:
    """Take out also the imported names which the code taken out used and nothing else does."""
    names = Names(language, source, strict=True)
    gone, left = names.gone(cuts), names.within(0, len(source), cuts)
    if language is Language.GO:
        gone, left = _go_packages(source, cuts)
    local = captures(language, root(language, source), _PATTERNS[language]) if language in _PATTERNS else {}
    inside = Cuts(Edit(node.start_byte, node.end_byte) for node in local.get("t", []))
    pruned: list[Edit] = []
    for statement in imports(language, source):
        span = statement.span
        if cuts.cover(span.start, span.end) or inside.cover(span.start, span.end):
            continue
        if _stays(language, source, statement):
            continue
        doomed = {
            binding
            for binding in statement.bindings
            if (name := _name(language, source, statement, binding)) in gone and name not in left
        }
        pruned += import_cuts(statement, doomed)
    for edit in pruned:
        cuts.add(edit)
    _add_empty_groups(language, source, cuts)


def _stays(language: Language, source: bytes, statement: Import) -> bool:
    if statement.exported or statement.module == "__future__":
        return True
    stop = source.find(b"\n", statement.span.end)
    written = source[statement.span.start : stop if stop >= 0 else len(source)]
    if _KEPT.search(written):
        return True
    jsx = language in (Language.TSX, Language.JAVASCRIPT) and re.search(rb"</|/>", source) is not None
    return jsx and any(binding.name == "React" for binding in statement.bindings)


def _name(language: Language, source: bytes, statement: Import, binding: Binding) -> str:
    if binding.name in ("*", "_"):
        return ""
    return package_names(source).get(statement.module, binding.name) if language is Language.GO else binding.name


def import_cuts(statement: Import, doomed: set[Binding]) -> list[Edit]:
    """The edits that take these names out of their lists, or the whole statement when none is left."""
    if not doomed:
        return []
    if len(doomed) == len(statement.bindings):
        return [Edit(statement.span.start, statement.span.end)]
    lists: dict[int, dict[tuple[int, int], bool]] = {}
    for binding in statement.bindings:
        for slot in binding.slots:
            elements = lists.setdefault(slot.list_start, {})
            place = (slot.start, slot.end)
            elements[place] = elements.get(place, True) and binding in doomed
    edits: list[Edit] = []
    for elements in lists.values():
        if all(elements.values()):
            continue
        order = sorted(elements)
        kept = [place for place in order if not elements[place]]
        for place in order:
            if not elements[place]:
                continue
            following = next((other for other in kept if other > place), None)
            if following is not None:
                edits.append(Edit(place[0], following[0], exact=True))
            else:
                edits.append(Edit(kept[-1][1], place[1], exact=True))
    return edits


def _add_empty_groups(language: Language, source: bytes, cuts: Cuts) -> None:
    """Take out Go import groups of which no line is left."""
    left: dict[Span, bool] = {}
    for found in imports(language, source):
        if found.group is not None:
            gone = cuts.cover(found.span.start, found.span.end)
            left[found.group] = left.get(found.group, False) or not gone
    for group, any_left in left.items():
        if not any_left:
            cuts.add(Edit(group.start, group.end))


def _go_packages(source: bytes, cuts: Cuts) -> tuple[set[str], set[str]]:
    """The package names used in the code taken out, and in the rest; a local variable of that name is no
    package.
    """
    top = root(Language.GO, source)
    local = captures(
        Language.GO,
        top,
        """
        (short_var_declaration left: (expression_list (identifier) @d))
        (var_spec name: (identifier) @d) (parameter_declaration name: (identifier) @d)
        (range_clause left: (expression_list (identifier) @d))
        """,
    ).get("d", [])
    known = import_names(Language.GO, source)
    functions = [(node.start_byte, node.end_byte) for node in top.named_children]
    shadows: dict[tuple[int, int], dict[str, int]] = {}
    for node in local:
        name = (node.text or b"").decode("utf-8", "backslashreplace")
        if name in known:
            owner = next((f for f in functions if f[0] <= node.start_byte < f[1]), None)
            if owner is not None:
                shadows.setdefault(owner, {}).setdefault(name, node.start_byte)
    gone: set[str] = set()
    left: set[str] = set()
    for chain in chains(Language.GO, source):
        name = chain.parts[0]
        if len(chain.parts) < 2 or name not in known:
            continue
        hidden = any(
            begin <= chain.start < end and name in names and names[name] < chain.start
            for (begin, end), names in shadows.items()
        )
        if not hidden:
            (gone if cuts.cover(chain.start, chain.start + 1) else left).add(name)
    return gone, left
