"""The named parts of a source: functions, methods, classes, types, module-level names.

It exists because undoing a change, counting what it touched and cutting tests out all work on whole definitions
with what is attached to them, not on lines. A unit is an in-process value; nothing of it crosses a border, so
it is a plain dataclass. Which units are tests is left to `tests`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from change2task.syntax.attached import Attachments
from change2task.syntax.definitions import Definition, UnitKind, mark_name, read_definition
from change2task.syntax.grammars import grammar
from change2task.syntax.languages import Language
from change2task.syntax.trees import Span, captures, root


@dataclass(frozen=True, slots=True)
class Unit:
    """One definition.

    `span` holds attached comments, decorators and attributes too, `code_start` is where the definition itself
    (with decorators the grammar counts into it) begins, `body` is the span of its body, if it has one.
    `ordinal` counts units of the same name in file order from 0. `parent` is the index of the enclosing unit
    in the tuple `units` returned. `top` says that it binds a name of the module (not inside any function).
    """

    name: str
    ordinal: int
    kind: UnitKind
    span: Span
    code_start: int
    body: Span | None
    parent: int | None
    marks: tuple[str, ...]
    top: bool

    @property
    def key(self) -> str:
        """The name, made unique in its file: `A.f`, and `A.f#2` for the second of that name."""
        return self.name if self.ordinal == 0 else f"{self.name}#{self.ordinal + 1}"

    @property
    def short(self) -> str:
        """The last part of the name."""
        return self.name.rpartition(".")[2]


_FUNCTIONS = frozenset({UnitKind.FUNCTION, UnitKind.METHOD})
_CLASSES = frozenset(
    {UnitKind.CLASS, UnitKind.INTERFACE, UnitKind.ENUM, UnitKind.TRAIT, UnitKind.IMPL, UnitKind.STRUCT}
)
_MODULES = frozenset({UnitKind.NAMESPACE, UnitKind.IMPL})


@dataclass(frozen=True, slots=True)
class _Scope:
    end: int
    unit: int | None
    prefix: str
    kind: UnitKind | None
    function: bool


_FILE = _Scope(end=1 << 62, unit=None, prefix="", kind=None, function=False)


@lru_cache(maxsize=64)
def units(language: Language, source: bytes) -> tuple[Unit, ...]:
    """Every unit in file order, outer before inner; spans nest or are disjoint (names bound together share
    one).

    Names: `Class.method`, `outer.<locals>.inner`, Go `Mux.Route`, Rust `S.method` inside `impl Tr for S`,
    JavaScript `obj.method` and `default`. Never raises; a broken source gives what can be read.
    """
    top = root(language, source)
    found = captures(language, top, grammar(language).definitions)
    attachments = Attachments(language, source)
    anonymous = {node.id for node in found.get("fn", [])}
    nodes = sorted([*found.get("unit", []), *found.get("fn", [])], key=lambda n: (n.start_byte, -n.end_byte))
    result: list[Unit] = []
    seen: dict[str, int] = {}
    scopes = [_FILE]
    for node in nodes:
        while node.start_byte >= scopes[-1].end:
            scopes.pop()
        scope = scopes[-1]
        if node.id in anonymous:
            scopes.append(_Scope(node.end_byte, scope.unit, scope.prefix, scope.kind, function=True))
            continue
        definition = read_definition(language, node)
        if definition is None or not _counts(definition, scope):
            continue
        span, marks = attachments.around(definition.outer)
        body = definition.body
        first = len(result)
        for name in definition.names:
            kind = definition.kind
            if kind is UnitKind.FUNCTION and scope.kind in _CLASSES:
                kind = UnitKind.METHOD
            qualified = scope.prefix + name
            ordinal = seen.get(qualified, 0)
            seen[qualified] = ordinal + 1
            result.append(
                Unit(
                    name=qualified,
                    ordinal=ordinal,
                    kind=kind,
                    span=span,
                    code_start=definition.outer.start_byte,
                    body=attachments.plain(body) if body is not None else None,
                    parent=scope.unit,
                    marks=tuple(mark_name(mark) for mark in marks) + definition.marks,
                    top=not scope.function and (scope.kind is None or scope.kind in _MODULES),
                )
            )
        function = definition.kind in _FUNCTIONS
        prefix = scope.prefix + (definition.scope if definition.scope is not None else definition.names[0])
        scopes.append(
            _Scope(
                end=definition.outer.end_byte,
                unit=first,
                prefix=prefix + (".<locals>." if function else "."),
                kind=result[first].kind,
                function=scope.function or function,
            )
        )
    return tuple(result)


def _counts(definition: Definition, scope: _Scope) -> bool:
    """Whether this is a unit here: plain names are units at module level only, others everywhere."""
    if definition.kind is not UnitKind.VARIABLE:
        return True
    return not scope.function and (scope.kind is None or scope.kind in _MODULES)


def unit_named(language: Language, source: bytes, key: str) -> Unit | None:
    """The unit with this key (`name` or `name#2`), or None."""
    return next((unit for unit in units(language, source) if unit.key == key), None)
