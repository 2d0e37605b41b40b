"""The `describe` and `it` calls of a JavaScript or TypeScript test file.

It exists because these languages write tests as calls with titles, not as definitions: jest, vitest, mocha,
jasmine, ava, tape and node:test share the shape. What runs them, and how titles with parameters come out, is
left to the runner.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from change2task.syntax.attached import Attachments
from change2task.syntax.definitions import UnitKind
from change2task.syntax.languages import Language
from change2task.syntax.trees import Node, captures, root, text
from change2task.syntax.units import Unit

_TESTS = frozenset({"test", "it", "specify", "fit", "xit", "xtest", "ftest"})
_GROUPS = frozenset({"describe", "context", "suite", "fdescribe", "xdescribe", "xcontext"})
_HOOKS = frozenset({"beforeEach", "afterEach", "beforeAll", "afterAll", "before", "after"})
_ALIAS = re.compile(r"(describe|it|test)[A-Z_]\w*$")
_HARNESSES = frozenset({"QUnit", "Deno", "nodeTest"})
_FUNCTIONS = frozenset({"arrow_function", "function_expression", "generator_function", "function"})
_WRAPPERS = frozenset(
    {"member_expression", "call_expression", "await_expression", "arrow_function", "parenthesized_expression"}
)
_STRINGS = frozenset({"string", "template_string"})


@dataclass(frozen=True, slots=True)
class ScriptBlock:
    """One call: its full title (outer titles joined by ` > `), whether it is a test or a group, its statement
    and its body.
    """

    title: str
    is_test: bool
    unit: Unit
    body: Node | None
    alone: bool


def script_blocks(language: Language, source: bytes) -> tuple[ScriptBlock, ...]:
    """The groups and tests of a file in file order, outer before inner. What stands inside a test is that
    test's own.
    """
    attachments = Attachments(language, source)
    blocks: list[ScriptBlock] = []
    open_blocks: list[tuple[int, ScriptBlock]] = []
    seen: dict[str, int] = {}
    for node in captures(language, root(language, source), "(call_expression) @call").get("call", []):
        while open_blocks and node.start_byte >= open_blocks[-1][0]:
            open_blocks.pop()
        if open_blocks and open_blocks[-1][1].is_test:
            continue
        kind = _callee(node)
        arguments = node.child_by_field_name("arguments")
        if kind is None or arguments is None or arguments.type != "arguments":
            continue
        given = [child for child in arguments.named_children if child.type != "comment"]
        body = next((child for child in given if child.type in _FUNCTIONS), None)
        if not given or (given[0].type not in _STRINGS and (body is None or given[0] == body)):
            continue
        outer = [block.title for _, block in open_blocks[-1:]]
        title = " > ".join([*outer, _title(given[0])])
        statement = statement_of(node)
        span, _ = attachments.around(statement)
        ordinal = seen.get(title, 0)
        seen[title] = ordinal + 1
        block = ScriptBlock(
            title=title,
            is_test=kind in _TESTS,
            unit=Unit(
                name=title,
                ordinal=ordinal,
                kind=UnitKind.TEST,
                span=span,
                code_start=statement.start_byte,
                body=attachments.plain(body) if body is not None else None,
                parent=None,
                marks=(),
                top=not open_blocks,
            ),
            body=body.child_by_field_name("body") if body is not None else None,
            alone=statement.type == "expression_statement",
        )
        blocks.append(block)
        open_blocks.append((node.end_byte, block))
    return tuple(blocks)


def statement_of(call: Node) -> Node:
    """The statement that is nothing but this call: chained (`it(…).timeout(5)`), awaited, or all of a
    `forEach`.

    The call itself where it is part of something larger.
    """
    node, parent = call, call.parent
    while parent is not None and parent.type in _WRAPPERS:
        if parent.type == "arrow_function":
            loop = for_each(parent)
            if loop is None:
                return node
            node, parent = loop, loop.parent
        else:
            node, parent = parent, parent.parent
    return parent if parent is not None and parent.type == "expression_statement" else node


def for_each(function: Node) -> Node | None:
    """The call `xs.forEach(function)` around a function, or None."""
    arguments = function.parent
    call = arguments.parent if arguments is not None and arguments.type == "arguments" else None
    callee = call.child_by_field_name("function") if call is not None else None
    member = callee.child_by_field_name("property") if callee is not None else None
    return call if member is not None and text(member) in ("forEach", "map") else None


def _callee(call: Node) -> str | None:
    """`it` for `it(…)`, `it.only(…)`, `it.each(table)(…)`, `it.each`table`(…)`, `Deno.test(…)`; None for other
    calls.
    """
    function = call.child_by_field_name("function")
    last = ""
    while function is not None and function.type in ("member_expression", "call_expression"):
        if function.type == "member_expression":
            member = function.child_by_field_name("property")
            last = text(member) if member is not None else ""
            function = function.child_by_field_name("object")
        else:
            if not last and not _is_table(function):
                return None
            function = function.child_by_field_name("function")
    if function is None or function.type != "identifier":
        return None
    word = text(function)
    if word in _HARNESSES and last in ("test", "module"):
        return "test" if last == "test" else "describe"
    if word in _TESTS or word in _GROUPS:
        return "describe" if last in _GROUPS else None if last in _HOOKS else word
    alias = _ALIAS.match(word)
    return alias.group(1) if alias is not None and _with_function(call) else None


def _with_function(call: Node) -> bool:
    arguments = call.child_by_field_name("arguments")
    given = arguments.named_children if arguments is not None else []
    return bool(given) and given[0].type in _STRINGS and any(child.type in _FUNCTIONS for child in given)


def _is_table(call: Node) -> bool:
    """Whether a call is the `.each(table)`, `.skipIf(condition)` or `testIf(condition)` part of a test call."""
    function = call.child_by_field_name("function")
    if function is None:
        return False
    alias = function.type == "identifier" and _ALIAS.match(text(function)) is not None
    return alias or function.type == "member_expression"


def _title(node: Node) -> str:
    shown = text(node)
    return shown[1:-1] if node.type in _STRINGS else " ".join(shown.split())
