"""Which parts of a file only the cut tests needed: helpers, constants, fixtures, types.

It exists because a helper written for a hidden test tells what that test asks. It sees one file: names that
other files need must be given by the caller. A part goes when cut code names it, directly or through other
such parts, and nothing that stays does.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from change2task.syntax.attached import Attachments
from change2task.syntax.edits import Cuts, Edit
from change2task.syntax.grammars import grammar
from change2task.syntax.languages import Language
from change2task.syntax.references import chains, named_in_strings, quoted_names
from change2task.syntax.tests import test_units
from change2task.syntax.trees import Node, Span, root
from change2task.syntax.units import Unit, units

_HOOKS = frozenset(
    {
        "setup_module",
        "teardown_module",
        "setup_function",
        "teardown_function",
        "setUpModule",
        "tearDownModule",
        "load_tests",
        "pytestmark",
        "pytest_plugins",
        "collect_ignore",
        "init",
        "main",
        "TestMain",
        "exports",
        "module",
        "default",
    }
)
_NEVER = frozenset(
    {"export_statement", "import_statement", "import_declaration", "use_declaration", "extern_crate_declaration"}
)


class Names:
    """The names used in any stretch of a source: beginnings of chains, and names written as strings.

    With `strict`, strings count only where they surely name something, else whenever they may.
    """

    def __init__(self, language: Language, source: bytes, *, strict: bool = False) -> None:
        quoted = named_in_strings(language, source) if strict else quoted_names(language, source)
        found = [(chain.start, chain.parts[0], len(chain.parts)) for chain in chains(language, source)]
        found += [(start, name, 0) for start, name in quoted]
        self._found = sorted(found)

    def within(self, start: int, end: int, without: Cuts | None = None) -> set[str]:
        """The names used in these bytes, those that the cuts take out left aside."""
        low = bisect_left(self._found, (start, "", 0))
        high = bisect_left(self._found, (end, "", 0))
        return {
            name for place, name, _ in self._found[low:high] if without is None or not without.cover(place, place + 1)
        }

    def gone(self, cuts: Cuts) -> set[str]:
        """The names used in what the cuts take out."""
        return set().union(*(self.within(edit.start, edit.end) for edit in cuts.all()))


@dataclass(frozen=True, slots=True)
class _Part:
    """A module-level statement: what it binds, what it uses, and whether it may go."""

    span: Span
    binds: frozenset[str]
    uses: frozenset[str]
    pinned: bool


def add_unneeded(language: Language, path: bytes, source: bytes, cuts: Cuts, keep: Collection[str]) -> None:
    """Take out also the module-level parts which only the code taken out used, transitively."""
    names = Names(language, source)
    parts = _parts(language, path, source, cuts, names, frozenset(keep))
    gone = names.gone(cuts)
    candidates = _reached(gone, [part for part in parts if not part.pinned])
    doubtful = {part.span.start for part in candidates}
    staying = [part.uses for part in parts if part.span.start not in doubtful]
    alive = {part.span.start for part in _reached(set().union(*staying), candidates)}
    for part in candidates:
        if part.span.start not in alive:
            cuts.add(Edit(part.span.start, part.span.end))


def _reached(names: set[str], parts: Sequence[_Part]) -> list[_Part]:
    """The parts that these names lead to, directly or through what those parts use."""
    binders: dict[str, list[_Part]] = {}
    for part in parts:
        for name in part.binds:
            binders.setdefault(name, []).append(part)
    seen: dict[int, _Part] = {}
    waiting = list(names)
    known = set(names)
    while waiting:
        for part in binders.get(waiting.pop(), ()):
            if part.span.start not in seen:
                seen[part.span.start] = part
                fresh = part.uses - known
                known |= fresh
                waiting += fresh
    return [seen[start] for start in sorted(seen)]


def _parts(
    language: Language, path: bytes, source: bytes, cuts: Cuts, names: Names, keep: frozenset[str]
) -> list[_Part]:
    attachments = Attachments(language, source)
    comments = grammar(language).comments
    everything = units(language, source)
    bound = sorted(((unit.code_start, unit) for unit in everything if unit.top), key=lambda p: p[0])
    tests = Cuts(
        Edit(test.unit.span.start, test.unit.span.end)
        for test in test_units(language, path, source)
        if not cuts.cover(test.unit.span.start, test.unit.span.end)
    )
    parts = []
    for node in _statements(language, source, cuts):
        if node.type in comments or cuts.cover(node.start_byte, node.end_byte):
            continue
        low = bisect_left(bound, node.start_byte, key=lambda p: p[0])
        high = bisect_left(bound, node.end_byte, key=lambda p: p[0])
        binds = frozenset(
            _owner(unit, outer)
            for _, unit in bound[low:high]
            if not cuts.cover(unit.code_start, unit.span.end)
            and ((outer := _around(everything, unit)) is None or outer.code_start < node.start_byte)
        )
        span, _ = attachments.around(node)
        pinned = (
            not binds
            or bool(tests.within(span.start, span.end))
            or node.type in _NEVER
            or bool(binds & keep)
            or any(is_hook(name) for name in binds)
            or _runs_unasked(node)
            or (language is Language.RUST and not _only_for_tests(node, cuts))
        )
        uses = names.within(span.start, span.end, cuts) - binds
        parts.append(_Part(span, binds, frozenset(uses), pinned))
    return parts


def _statements(language: Language, source: bytes, cuts: Cuts) -> list[Node]:
    """The statements of the file and, in Rust, of the modules that something is cut out of."""
    waiting = list(reversed(root(language, source).named_children))
    found = []
    while waiting:
        node = waiting.pop()
        body = node.child_by_field_name("body") if node.type == "mod_item" else None
        if body is not None and cuts.within(node.start_byte, node.end_byte):
            waiting += reversed(body.named_children)
        elif node.type != "attribute_item":
            found.append(node)
    return found


def _around(everything: Sequence[Unit], unit: Unit) -> Unit | None:
    return everything[unit.parent] if unit.parent is not None else None


def _owner(unit: Unit, outer: Unit | None) -> str:
    """The name in its module that a unit's fate hangs on: of a method written apart from its type, the type."""
    name = unit.name.removeprefix(f"{outer.name}.") if outer is not None else unit.name
    if unit.kind == "impl":
        written = name.rpartition(" for ")[2].removeprefix("impl ")
        return written.split("<", 1)[0].lstrip("&").strip()
    return name.split(".", 1)[0]


def is_hook(name: str) -> bool:
    """Whether runners or the language call it without anybody naming it."""
    return name in _HOOKS or name.startswith("pytest_") or (name.startswith("__") and name.endswith("__"))


def _runs_unasked(node: Node) -> bool:
    """Whether this is a pytest fixture that every test gets."""
    return any(child.type == "decorator" and b"autouse" in (child.text or b"") for child in node.named_children)


def _only_for_tests(node: Node, cuts: Cuts) -> bool:
    """Whether a Rust item stands beside cut tests (in their module, or in a file of tests) and is not
    public.
    """
    around = node.parent
    if around is None or any(child.type == "visibility_modifier" for child in node.named_children):
        return False
    return any(
        cuts.cover(other.start_byte, other.end_byte) and other.type == "function_item"
        for other in around.named_children
    )
