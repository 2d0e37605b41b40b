"""Whether a source is well formed, and where it is not.

It exists so that a constructed file can be refused before anything is run, and because a grammar made for
editors forgives what an interpreter does not: tree-sitter's Python accepts a block without a statement and
statements that do not line up, which is exactly what a bad cut or merge leaves behind. It judges syntax only:
names, types and imports are left to the checks that run the code.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache

from change2task.syntax.grammars import grammar
from change2task.syntax.languages import Language
from change2task.syntax.trees import Node, captures, root

_MOST = 200


@dataclass(frozen=True, slots=True)
class SyntaxFault:
    """One place that is not well formed: 1-based line, 0-based byte column, and the first bytes of the text
    there.

    `kind` is `error` (text the grammar cannot place), `missing` (something required is absent), `empty` (a
    Python block without a statement) or `indent` (a Python statement that does not line up with its block).
    """

    line: int
    column: int
    kind: str
    text: str


@lru_cache(maxsize=256)
def syntax_errors(language: Language, source: bytes) -> tuple[SyntaxFault, ...]:
    """The faults of a source in file order, at most 200 of them; empty when it is well formed. Never raises."""
    top = root(language, source)
    faults: list[SyntaxFault] = []
    if top.has_error:
        found = captures(language, top, "(ERROR) @error (MISSING) @missing")
        for kind in ("error", "missing"):
            faults += [_fault(node, kind, source) for node in found.get(kind, [])[:_MOST]]
        if not faults:
            faults.append(_fault(top, "error", source))
    if language is Language.PYTHON:
        faults += _layout(top, source)
        faults += _unhandled(top, source)
    return tuple(sorted(faults, key=lambda f: (f.line, f.column, f.kind))[:_MOST])


def parses(language: Language, source: bytes) -> bool:
    """Whether the source is well formed. Never raises, whatever the bytes."""
    return not syntax_errors(language, source)


def new_syntax_errors(language: Language, before: bytes | None, after: bytes) -> tuple[SyntaxFault, ...]:
    """The faults of `after` that `before` did not have, told apart by kind and text since lines move.

    A grammar that cannot read newer syntax faults on both sides alike, and so accuses nobody.
    """
    known = Counter((fault.kind, fault.text) for fault in syntax_errors(language, before or b""))
    fresh = []
    for fault in syntax_errors(language, after):
        if known[fault.kind, fault.text] > 0:
            known[fault.kind, fault.text] -= 1
        else:
            fresh.append(fault)
    return tuple(fresh)


def _fault(node: Node, kind: str, source: bytes) -> SyntaxFault:
    shown = source[node.start_byte : min(node.end_byte, node.start_byte + 80)] or node.type.encode()
    return SyntaxFault(
        line=node.start_point.row + 1,
        column=node.start_point.column,
        kind=kind,
        text=shown.decode("utf-8", "backslashreplace"),
    )


def _layout(top: Node, source: bytes) -> list[SyntaxFault]:
    """Python blocks without a statement, and statements that do not line up with their block."""
    faults: list[SyntaxFault] = []
    comments = grammar(Language.PYTHON).comments
    for block in [top, *captures(Language.PYTHON, top, "(block) @block").get("block", [])]:
        statements = [child for child in block.named_children if child.type not in comments]
        if not statements and block.parent is not None and block.child_count == len(block.named_children):
            header = block.parent
            faults.append(_fault(header, "empty", source))
        lined = [_indent(child, source) for child in statements if not child.is_error]
        indents = {indent for indent in lined if indent is not None}
        expected = {b""} if block.parent is None else indents if len(indents) < 2 else {min(indents, key=len)}
        faults += [
            _fault(child, "indent", source)
            for child in statements
            if not child.is_error and (indent := _indent(child, source)) is not None and indent not in expected
        ]
    return faults


def _unhandled(top: Node, source: bytes) -> list[SyntaxFault]:
    """Python's ``try`` with neither ``except`` nor ``finally``, which the grammar lets pass."""
    return [
        _fault(node, "unhandled", source)
        for node in captures(Language.PYTHON, top, "(try_statement) @try").get("try", [])
        if not any(child.type.startswith(("except", "finally")) for child in node.named_children)
    ]


def _indent(node: Node, source: bytes) -> bytes | None:
    """The blanks before a node on its line; None when something else stands there, or the line continues
    another.
    """
    begin = source.rfind(b"\n", 0, node.start_byte) + 1
    before = source[begin : node.start_byte].rpartition(b"\f")[2].removeprefix(b"\xef\xbb\xbf")
    if before.strip() or source[max(0, begin - 3) : begin].rstrip(b"\r\n").endswith(b"\\"):
        return None
    return before
