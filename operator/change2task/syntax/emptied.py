"""What a cut leaves empty: classes, describe-blocks and test modules without a test in them.

It exists because an empty shell tells an agent that something was hidden, and because some runners fail on a
suite without tests. A shell goes when nothing in it matters any more; one that still runs inherited tests, or
is named elsewhere, stays.
"""

from __future__ import annotations

from collections.abc import Sequence

from change2task.syntax.attached import Attachments
from change2task.syntax.definitions import UnitKind
from change2task.syntax.edits import Edit, covered
from change2task.syntax.grammars import grammar
from change2task.syntax.languages import Language
from change2task.syntax.references import chains, quoted_names
from change2task.syntax.script_blocks import ScriptBlock, for_each, script_blocks, statement_of
from change2task.syntax.tests import class_bases, test_units
from change2task.syntax.trees import Node, captures, root, text
from change2task.syntax.units import Unit, units

_SCRIPTS = frozenset({Language.JAVASCRIPT, Language.TYPESCRIPT, Language.TSX})


def emptied(language: Language, path: bytes, source: bytes, edits: Sequence[Edit], *, helpers: bool) -> list[Edit]:
    """The edits that take out what these edits leave without a test, inner shells first.

    With `helpers`, a shell whose remaining members only served its tests (fixtures, set-up) counts as empty
    too.
    """
    done = list(edits)
    if language in _SCRIPTS:
        _script(language, source, done)
    elif language in (Language.PYTHON, Language.JAVA, Language.RUST):
        _classes(language, path, source, done, helpers=helpers)
    return done[len(edits) :]


def _classes(language: Language, path: bytes, source: bytes, done: list[Edit], *, helpers: bool) -> None:
    everything = units(language, source)
    tests = {test.unit.span for test in test_units(language, path, source)}
    bodies = _bodies(language, source)
    for unit in reversed(everything):
        if unit.kind not in (UnitKind.CLASS, UnitKind.NAMESPACE) or unit.body is None:
            continue
        inside = [edit for edit in done if unit.span.start <= edit.start and edit.end <= unit.span.end]
        body = bodies.get((unit.body.start, unit.span.start))
        if language is Language.RUST and "cfg" not in unit.marks and not unit.short.startswith("test"):
            continue
        if not inside or body is None or covered(unit.span.start, unit.span.end, done):
            continue
        left = [node for node in _members(language, body) if not covered(node.start_byte, node.end_byte, inside)]
        tests_left = any(
            unit.body.start <= test.start and test.end <= unit.body.end and not covered(test.start, test.end, done)
            for test in tests
        )
        if tests_left or (left and not helpers) or _inherits(language, source, unit):
            continue
        if not _named_elsewhere(language, source, unit, done):
            done.append(Edit(unit.span.start, unit.span.end))


def _bodies(language: Language, source: bytes) -> dict[tuple[int, int], Node]:
    """The body nodes of classes and modules, by where body and unit start."""
    pattern = {
        Language.PYTHON: "(class_definition body: (_) @b)",
        Language.JAVA: "(class_declaration body: (_) @b)",
        Language.RUST: "(mod_item body: (_) @b)",
    }[language]
    found = {node.start_byte: node for node in captures(language, root(language, source), pattern).get("b", [])}
    return {
        (unit.body.start, unit.span.start): found[unit.body.start]
        for unit in units(language, source)
        if unit.body is not None and unit.body.start in found
    }


def _members(language: Language, body: Node) -> list[Node]:
    """The members of a body that say something: no comments, documentation, `pass`, nor what a Rust module
    imports.
    """
    silent = {*grammar(language).comments, "pass_statement", "use_declaration", "attribute_item", ";"}
    return [
        node
        for node in body.named_children
        if node.type not in silent
        and not (
            node.type == "expression_statement"
            and language is Language.PYTHON
            and node.named_child_count == 1
            and node.named_child(0).type in ("string", "ellipsis")
        )
    ]


def _inherits(language: Language, source: bytes, unit: Unit) -> bool:
    """Whether a class may run tests of a base class: any base but plain `TestCase`s."""
    if language is Language.PYTHON:
        bases = class_bases(source).get(unit.code_start, ())
        return any(not base.endswith("TestCase") and base != "object" for base in bases)
    if language is Language.JAVA:
        head = source[unit.code_start : unit.body.start if unit.body else unit.span.end]
        return b" extends " in head and b"TestCase" not in head
    return False


def _named_elsewhere(language: Language, source: bytes, unit: Unit, done: Sequence[Edit]) -> bool:
    places = [chain.start for chain in chains(language, source) if unit.short in chain.parts]
    places += [start for start, name in quoted_names(language, source) if name == unit.short]
    return any(
        not (unit.span.start <= start < unit.span.end) and not covered(start, start + 1, done) for start in places
    )


_INERT = frozenset(
    {
        "lexical_declaration",
        "variable_declaration",
        "function_declaration",
        "generator_function_declaration",
        "class_declaration",
        "type_alias_declaration",
        "interface_declaration",
        "enum_declaration",
        "empty_statement",
        "comment",
    }
)
_HOOKS = frozenset(
    {"beforeEach", "afterEach", "beforeAll", "afterAll", "before", "after", "setup", "teardown", "this", "jest", "vi"}
)
_LOOPS = frozenset({"for_statement", "for_in_statement", "while_statement", "if_statement"})


def _script(language: Language, source: bytes, done: list[Edit]) -> None:
    attachments = Attachments(language, source)
    top = root(language, source)
    for edit in list(done):
        _loops_around(top, edit, attachments, done)
    blocks = script_blocks(language, source)
    for block in reversed(blocks):
        span = block.unit.span
        inside = [edit for edit in done if span.start <= edit.start and edit.end <= span.end]
        if block.is_test or not inside or covered(span.start, span.end, done) or block.body is None:
            continue
        if not _blocks_left(block, blocks, done) and all(_is_inert(node, done) for node in _statements(block.body)):
            done.append(Edit(span.start, span.end, b"" if block.alone else b"undefined"))
            _loops_around(top, done[-1], attachments, done)


def _blocks_left(block: ScriptBlock, blocks: Sequence[ScriptBlock], done: Sequence[Edit]) -> bool:
    span = block.unit.span
    return any(
        other is not block
        and span.start <= other.unit.span.start
        and other.unit.span.end <= span.end
        and not covered(other.unit.span.start, other.unit.span.end, done)
        for other in blocks
    )


def _statements(body: Node) -> list[Node]:
    return body.named_children if body.type == "statement_block" else [body]


def _is_inert(node: Node, done: Sequence[Edit]) -> bool:
    """Whether a statement does nothing when its group has no tests: gone, a declaration, or a hook."""
    if node.type in _INERT or covered(node.start_byte, node.end_byte, done):
        return True
    call = node.named_child(0) if node.type == "expression_statement" and node.named_child_count == 1 else node
    function = call.child_by_field_name("function") if call.type == "call_expression" else None
    while function is not None and function.type == "member_expression":
        function = function.child_by_field_name("object")
    return function is not None and text(function) in _HOOKS


def _loops_around(top: Node, edit: Edit, attachments: Attachments, done: list[Edit]) -> None:
    """Loops and conditions that held nothing but what was cut."""
    node: Node | None = top.descendant_for_byte_range(edit.start, max(edit.start, edit.end - 1))
    while node is not None:
        if node.type == "statement_block":
            owner = node.parent
            left = [
                child
                for child in node.named_children
                if child.type != "comment" and not covered(child.start_byte, child.end_byte, done)
            ]
            if left or owner is None:
                return
            if owner.type in _LOOPS and owner.child_by_field_name("alternative") is None:
                whole, _ = attachments.around(owner)
                done.append(Edit(whole.start, whole.end))
            elif owner.type == "arrow_function" and (call := for_each(owner)) is not None:
                whole, _ = attachments.around(statement_of(call))
                done.append(Edit(whole.start, whole.end))
        node = node.parent
