"""The cases of parametrised Python tests as they are written: pytest's id of each, and its text however it is laid out.

An id says little of its case: `proxies4` is the fifth today and may have been another then. So cases are compared by
what is written, and ids only lead to it. Only what can be told for sure is told: one ``parametrize`` over a list of
values, with literals, or objects that pytest numbers. Never raises, whatever the bytes.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

_MOST_BYTES = 2_000_000


def written_cases(source: bytes, function: str) -> dict[str, str]:
    """For the test `Class::method` or `function` its cases: pytest's id in brackets to the case's normal form."""
    found = _function(source, function)
    if found is None:
        return {}
    marks = [call for call in found.decorator_list if isinstance(call, ast.Call) and _is_parametrize(call.func)]
    if len(marks) != 1 or len(marks[0].args) != 2 or marks[0].keywords:
        return {}
    names, values = _names(marks[0].args[0]), marks[0].args[1]
    if not names or not isinstance(values, ast.List | ast.Tuple):
        return {}
    cases: dict[str, str] = {}
    for place, value in enumerate(values.elts):
        known = _id(names, place, value)
        if known is None or f"[{known}]" in cases:
            return {}
        cases[f"[{known}]"] = _normal(value)
    return cases


def _normal(value: ast.expr) -> str:
    for node in ast.walk(value):
        if isinstance(node, ast.Constant):
            node.kind = None
    return ast.dump(value)


def _function(source: bytes, name: str) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
    if len(source) > _MOST_BYTES:
        return None
    try:
        scope: ast.AST = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    for part in name.split("::"):
        named = [n for n in _body(scope) if n.name == part]
        if len(named) != 1:
            return None
        scope = named[0]
    return scope if isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef) else None


def _body(scope: ast.AST) -> Iterator[ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in getattr(scope, "body", ()):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def _is_parametrize(func: ast.expr) -> bool:
    return isinstance(func, ast.Attribute) and func.attr == "parametrize"


def _names(given: ast.expr) -> list[str]:
    if isinstance(given, ast.Constant) and isinstance(given.value, str):
        return [name.strip() for name in given.value.split(",") if name.strip()]
    if isinstance(given, ast.List | ast.Tuple):
        return [e.value for e in given.elts if isinstance(e, ast.Constant) and isinstance(e.value, str)]
    return []


def _id(names: Sequence[str], place: int, value: ast.expr) -> str | None:
    """The id that pytest gives a case; None where it cannot be told."""
    if len(names) == 1:
        parts = [value]
    elif isinstance(value, ast.List | ast.Tuple) and len(value.elts) == len(names):
        parts = value.elts
    else:
        return None
    told = [_part(name, place, part) for name, part in zip(names, parts, strict=True)]
    return None if None in told else "-".join(part for part in told if part is not None)


def _part(name: str, place: int, value: ast.expr) -> str | None:
    match value:
        case ast.Constant(value=str() as text) if text.isascii() and text.isprintable() and "\\" not in text:
            return text
        case ast.Constant(value=bool() | int() | float() | None as plain):
            return str(plain)
        case ast.Dict() | ast.List() | ast.Tuple() | ast.Set():
            return f"{name}{place}"
        case _:
            return None
