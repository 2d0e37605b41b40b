"""Which imports only the code taken out needed, and how to take out single names of a list.

It exists because an import left behind names what was hidden, fails when a task removes its target, and in Go
does not even compile. An import that was unused before is none of our business and stays, as do star imports,
`__future__`, imports for their side effects, and any with a comment that says so.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from change2task.syntax.edits import Edit, covered
from change2task.syntax.helpers import Names
from change2task.syntax.imports import Binding, Import, imports
from change2task.syntax.languages import Language
from change2task.syntax.references import chains, import_names, package_names
from change2task.syntax.trees import captures, root

_KEPT = re.compile(
    rb"(#|//|/\*).*(noqa(?!:)|noqa:.*F401|side.?effect|unused|register|eslint-disable|nolint|ts-ignore)", re.I
)
_PATTERNS: dict[Language, str] = {
    Language.PYTHON: "(try_statement) @t (function_definition) @t (class_definition) @t",
    Language.RUST: "(function_item) @t",
}


def unneeded_imports(language: Language, source: bytes, edits: Sequence[Edit]) -> list[Edit]:
    """The edits that take out imported names which the code taken out used and nothing else does."""
    names = Names(language, source)
    gone = names.within((edit.start, edit.end) for edit in edits)
    left = names.within([(0, len(source))], edits)
    if language is Language.GO:
        gone, left = _go_packages(source, edits)
    local = captures(language, root(language, source), _PATTERNS[language]) if language in _PATTERNS else {}
    inside = [(node.start_byte, node.end_byte) for node in local.get("t", [])]
    result: list[Edit] = []
    for statement in imports(language, source):
        span = statement.span
        if covered(span.start, span.end, edits) or any(a <= span.start and span.end <= b for a, b in inside):
            continue
        if _stays(language, source, statement):
            continue
        doomed = {
            binding
            for binding in statement.bindings
            if (name := _name(language, source, statement, binding)) in gone and name not in left
        }
        if doomed:
            result += _without(statement, doomed)
    return [*result, *_empty_groups(language, source, result, edits)]


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


def _without(statement: Import, doomed: set[Binding]) -> list[Edit]:
    """The edits that take these names out of their lists, or the whole statement when none is left."""
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


def _empty_groups(language: Language, source: bytes, pruned: Sequence[Edit], edits: Sequence[Edit]) -> list[Edit]:
    """Go import groups of which no line is left."""
    groups = {found.group for found in imports(language, source) if found.group is not None}
    every = [*pruned, *edits]
    return [
        Edit(group.start, group.end)
        for group in groups
        if all(
            covered(found.span.start, found.span.end, every)
            for found in imports(language, source)
            if found.group == group
        )
    ]


def _go_packages(source: bytes, edits: Sequence[Edit]) -> tuple[set[str], set[str]]:
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
            (gone if covered(chain.start, chain.start + 1, edits) else left).add(name)
    return gone, left
