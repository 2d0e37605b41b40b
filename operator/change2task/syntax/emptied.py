"""What a cut leaves empty: classes, describe-blocks and test modules without a test in them.

It exists because an empty shell tells an agent that something was hidden, and because some runners fail on a
suite without tests. A shell goes when nothing in it matters any more; one that still runs inherited tests, or
is named elsewhere, stays.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from change2task.syntax.attached import Attachments
from change2task.syntax.definitions import UnitKind, mark_name
from change2task.syntax.edits import Cuts, Edit
from change2task.syntax.grammars import grammar
from change2task.syntax.languages import Language
from change2task.syntax.references import mentions
from change2task.syntax.script_blocks import ScriptBlock, for_each, script_blocks, statement_of
from change2task.syntax.tests import class_bases, test_units
from change2task.syntax.trees import Node, Span, captures, root, text
from change2task.syntax.units import Unit, units

_SCRIPTS = frozenset({Language.JAVASCRIPT, Language.TYPESCRIPT, Language.TSX})


def add_emptied(language: Language, path: bytes, source: bytes, cuts: Cuts, *, helpers: bool) -> None:
    """Take out also what these cuts leave without a test, inner shells first.

    With `helpers`, a shell whose remaining members only served its tests (fixtures, set-up) counts as empty
    too.
    """
    if language is Language.PYTHON:
        _hanging(source, cuts)
    if language in _SCRIPTS:
        _script(language, source, cuts)
    elif language in (Language.PYTHON, Language.JAVA, Language.RUST):
        _classes(language, path, source, cuts, helpers=helpers)


_SAYS_NOTHING = frozenset(
    {"package_clause", "package_declaration", "import_declaration", "import_statement", "import_from_statement"}
    | {"future_import_statement", "use_declaration", "attribute_item", "inner_attribute_item", "pass_statement"}
)


def is_empty(language: Language, source: bytes) -> bool:
    """Whether a file holds no code: imports, comments, documentation and package clauses at most."""
    top = root(language, source)
    silent = _SAYS_NOTHING | grammar(language).comments
    return not top.has_error and all(
        node.type in silent
        or (
            node.type == "expression_statement"
            and node.named_child_count == 1
            and node.named_children[0].type in ("string", "concatenated_string")
        )
        for node in top.named_children
    )


def _hanging(source: bytes, cuts: Cuts) -> None:
    """Take out the Python statements that hang on a cut function and are evaluated with its block.

    `test_x.slow = True`, `alias = test_x`, and in a class also helpers decorated with it.
    """
    attachments = Attachments(Language.PYTHON, source)
    top = root(Language.PYTHON, source)
    found = captures(Language.PYTHON, top, "(function_definition name: (_) @name)").get("name", [])
    defined: dict[tuple[int, str], list[Node]] = {}
    for node in found:
        function = node.parent
        outer = function.parent if function is not None else None
        if outer is not None and outer.type == "decorated_definition":
            function, outer = outer, outer.parent
        if function is not None and outer is not None:
            defined.setdefault((outer.id, text(node)), []).append(function)
    for (_, name), functions in defined.items():
        block = functions[0].parent
        if block is None or not all(cuts.cover(f.start_byte, f.end_byte) for f in functions):
            continue
        if len(mentions(Language.PYTHON, source).get(name, ())) == len(functions):
            continue
        for statement in block.named_children:
            if not cuts.cover(statement.start_byte, statement.end_byte) and _hangs(statement, name):
                span, _ = attachments.around(statement)
                cuts.add(Edit(span.start, span.end))


def _hangs(statement: Node, name: str) -> bool:
    in_class = statement.parent is not None and statement.parent.type == "block"
    if statement.type == "decorated_definition":
        marks = [mark_name(child) for child in statement.named_children if child.type == "decorator"]
        return in_class and any(mark.split(".", 1)[0] == name for mark in marks)
    assignment = statement.named_child(0) if statement.type == "expression_statement" else None
    if assignment is None or assignment.type != "assignment":
        return False
    left, right = assignment.child_by_field_name("left"), assignment.child_by_field_name("right")
    return any(side is not None and text(side).split(".", 1)[0] == name for side in (left, right))


def _classes(language: Language, path: bytes, source: bytes, cuts: Cuts, *, helpers: bool) -> None:
    everything = units(language, source)
    tests = [test.unit.span for test in test_units(language, path, source)]
    bodies = _bodies(language, source)
    for unit in reversed(everything):
        if unit.kind not in (UnitKind.CLASS, UnitKind.NAMESPACE) or unit.body is None:
            continue
        inside = cuts.within(unit.span.start, unit.span.end)
        body = bodies.get((unit.body.start, unit.span.start))
        if language is Language.RUST and "cfg" not in unit.marks and not unit.short.startswith("test"):
            continue
        if not inside or body is None or cuts.cover(unit.span.start, unit.span.end):
            continue
        left = [node for node in _members(language, body) if not cuts.cover(node.start_byte, node.end_byte)]
        low = bisect_left(tests, unit.body.start, key=_start)
        high = bisect_left(tests, unit.body.end, key=_start)
        tests_left = any(not cuts.cover(test.start, test.end) for test in tests[low:high])
        if tests_left or (left and not helpers) or _inherits(language, source, unit):
            continue
        if not _named_elsewhere(language, source, unit, cuts):
            cuts.add(Edit(unit.span.start, unit.span.end))


def _start(span: Span) -> int:
    return span.start


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


def _named_elsewhere(language: Language, source: bytes, unit: Unit, cuts: Cuts) -> bool:
    return any(
        not (unit.span.start <= start < unit.span.end) and not cuts.cover(start, start + 1)
        for start in mentions(language, source).get(unit.short, ())
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


def _script(language: Language, source: bytes, cuts: Cuts) -> None:
    attachments = Attachments(language, source)
    top = root(language, source)
    for edit in cuts.all():
        _loops_around(top, edit.start, edit.end, attachments, cuts)
    blocks = script_blocks(language, source)
    for block in reversed(blocks):
        span = block.unit.span
        inside = cuts.within(span.start, span.end)
        if block.is_test or not inside or cuts.cover(span.start, span.end) or block.body is None:
            continue
        if not _blocks_left(block, blocks, cuts) and all(_is_inert(node, cuts) for node in _statements(block.body)):
            cuts.add(Edit(span.start, span.end, b"" if block.alone else b"undefined"))
            _loops_around(top, span.start, span.end, attachments, cuts)


def _blocks_left(block: ScriptBlock, blocks: Sequence[ScriptBlock], cuts: Cuts) -> bool:
    span = block.unit.span
    return any(
        other is not block
        and span.start <= other.unit.span.start
        and other.unit.span.end <= span.end
        and not cuts.cover(other.unit.span.start, other.unit.span.end)
        for other in blocks
    )


def _statements(body: Node) -> list[Node]:
    return body.named_children if body.type == "statement_block" else [body]


def _is_inert(node: Node, cuts: Cuts) -> bool:
    """Whether a statement does nothing when its group has no tests: gone, a declaration, or a hook."""
    if node.type in _INERT or cuts.cover(node.start_byte, node.end_byte):
        return True
    call = node.named_child(0) if node.type == "expression_statement" and node.named_child_count == 1 else node
    function = call.child_by_field_name("function") if call.type == "call_expression" else None
    names = []
    while function is not None and function.type == "member_expression":
        names.append(text(member) if (member := function.child_by_field_name("property")) is not None else "")
        function = function.child_by_field_name("object")
    names.append(text(function) if function is not None else "")
    return names[-1] in _HOOKS or (names[0] in _HOOKS and names[-1] in ("test", "it", "describe"))


def _loops_around(top: Node, start: int, end: int, attachments: Attachments, cuts: Cuts) -> None:
    """Loops and conditions that held nothing but what was cut."""
    node: Node | None = top.descendant_for_byte_range(start, max(start, end - 1))
    while node is not None:
        if node.type == "statement_block":
            owner = node.parent
            left = [
                child
                for child in node.named_children
                if child.type != "comment" and not cuts.cover(child.start_byte, child.end_byte)
            ]
            if left or owner is None:
                return
            if owner.type in _LOOPS and owner.child_by_field_name("alternative") is None:
                whole, _ = attachments.around(owner)
                cuts.add(Edit(whole.start, whole.end))
            elif owner.type == "arrow_function" and (call := for_each(owner)) is not None:
                whole, _ = attachments.around(statement_of(call))
                cuts.add(Edit(whole.start, whole.end))
        node = node.parent
