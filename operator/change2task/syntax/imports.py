"""The import statements of a source: what they bind, what that means, and where every name of them stands.

It exists because imports are treated apart everywhere: an edit of imports alone is no edit of code, a cut test
takes its imports with it, and an API is recognised through its aliases. Whether a module exists is left to the
checks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from change2task.syntax.faults import parses
from change2task.syntax.grammars import grammar
from change2task.syntax.languages import Language
from change2task.syntax.trees import Node, Span, captures, root, span, text


@dataclass(frozen=True, slots=True)
class Slot:
    """A place in a list of imported names: where the list begins, and the bytes of this element of it."""

    list_start: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Binding:
    """One name an import brings in.

    `name` is the name in this file (`*` for all names of a module, `_` for none), `target` the dotted thing
    imported, `meanings` what the name stands for (`import a.b` binds `a`, which means `a`). `slots` lead from
    the outermost list to this name.
    """

    name: str
    target: str
    meanings: tuple[str, ...]
    slots: tuple[Slot, ...]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Import:
    """One import: its module as written (Python relative dots kept), its bindings (none when only loaded), its
    statement.

    In a grouped Go import every line is an import of its own, and `group` is the span of the whole declaration.
    `exported` says that it re-exports what it imports.
    """

    module: str
    bindings: tuple[Binding, ...]
    span: Span
    group: Span | None = None
    exported: bool = False


@lru_cache(maxsize=64)
def imports(language: Language, source: bytes) -> tuple[Import, ...]:
    """Every import in file order, those inside functions too. Never raises."""
    nodes = captures(language, root(language, source), _PATTERNS[language]).get("i", [])
    return tuple(found for node in nodes for found in _READERS[language](node))


def import_lines(language: Language, source: bytes) -> frozenset[int]:
    """The 1-based lines that import statements cover; the exact way to tell an import-only edit of a known
    file.
    """
    lines: set[int] = set()
    for found in imports(language, source):
        whole = found.group or found.span
        lines.update(range(whole.first_line, whole.last_line + 1))
    return frozenset(lines)


def import_only(language: Language, before_lines: bytes, after_lines: bytes) -> bool:
    """Whether the two sides of an edit group are import statements (and comments) alone, at least one of them.

    The lines come without context, so a group that starts or ends within a statement counts only when the
    other half is unmistakable. With the whole files at hand, `import_lines` is exact.
    """
    sides = [side for side in (before_lines, after_lines) if side.strip()]
    return bool(sides) and all(_only_imports(language, side) for side in sides)


_FRAMES: dict[Language, tuple[tuple[bytes, bytes], ...]] = {
    Language.PYTHON: ((b"", b""), (b"", b"\n)\n")),
    Language.GO: ((b"package p\n", b"\n"), (b"package p\nimport (\n", b"\n)\n"), (b"package p\n", b"\n)\n")),
    Language.RUST: ((b"", b""), (b"", b"\n};\n")),
    Language.JAVA: ((b"", b""),),
}
_SCRIPT_FRAMES = ((b"", b""), (b"", b'\n} from "m";\n'), (b"import {\n", b""))


def _only_imports(language: Language, lines: bytes) -> bool:
    dedented = _dedent(lines)
    for before, after in _FRAMES.get(language, _SCRIPT_FRAMES):
        whole = before + dedented + after
        if before.endswith(b"{\n") and b"from" not in dedented:
            continue
        if not parses(language, whole):
            continue
        covered = import_lines(language, whole)
        comments = grammar(language).comments
        nodes = [
            node
            for node in root(language, whole).named_children
            if node.type not in comments and node.type != "package_clause"
        ]
        if nodes and all(node.start_point.row + 1 in covered for node in nodes):
            return True
    return False


def _dedent(lines: bytes) -> bytes:
    rows = lines.split(b"\n")
    indents = [len(row) - len(row.lstrip(b" \t")) for row in rows if row.strip()]
    depth = min(indents, default=0)
    return b"\n".join(row[depth:] for row in rows)


def _python(node: Node) -> Iterator[Import]:
    module_node = node.child_by_field_name("module_name")
    future = node.type == "future_import_statement"
    module = "__future__" if future else text(module_node) if module_node is not None else ""
    bindings = []
    for child in node.named_children:
        if child.type == "wildcard_import":
            bindings.append(Binding("*", module, (module,), (), child.start_byte, child.end_byte))
    for child in node.children_by_field_name("name"):
        alias = child.child_by_field_name("alias")
        inner = child.child_by_field_name("name") if child.type == "aliased_import" else child
        written = "".join(text(inner).split()) if inner is not None else ""
        joint = "" if module.endswith(".") or not module else "."
        target = f"{module}{joint}{written}"
        slot = Slot(node.start_byte, child.start_byte, child.end_byte)
        if alias is not None:
            name, meaning = text(alias), target
        elif node.type == "import_statement":
            name = meaning = written.split(".", 1)[0]
        else:
            name, meaning = written, target
        bindings.append(Binding(name, target, (meaning,), (slot,), child.start_byte, child.end_byte))
    first = bindings[0].target if bindings else ""
    yield Import(module or first, tuple(bindings), span(node))


_VERSION = re.compile(r"^v[0-9]+$")


def _go(node: Node) -> Iterator[Import]:
    group = span(node) if any(child.type == "import_spec_list" for child in node.named_children) else None
    specs = [
        spec
        for child in node.named_children
        for spec in (child.named_children if child.type == "import_spec_list" else [child])
        if spec.type == "import_spec"
    ]
    for spec in specs:
        path_node, alias = spec.child_by_field_name("path"), spec.child_by_field_name("name")
        path = text(path_node).strip('"`') if path_node is not None else ""
        guesses = go_package_names(path)
        short = guesses[0] if guesses else path
        name = {"dot": "*", "blank_identifier": "_"}.get(alias.type, text(alias)) if alias is not None else short
        binding = Binding(name, path, (path, short), (), spec.start_byte, spec.end_byte)
        yield Import(path, (binding,), span(spec) if group else span(node), group)


def go_package_names(path: str) -> tuple[str, ...]:
    """The names a Go package at this import path may have, likeliest first; only its own source knows for
    sure.
    """
    parts = [part for part in path.split("/") if part]
    while len(parts) > 1 and _VERSION.match(parts[-1]):
        parts.pop()
    if not parts:
        return ()
    last = re.sub(r"\.v[0-9]+$", "", parts[-1])
    guesses = [last, last.removeprefix("go-"), last.removesuffix("-go"), last.removesuffix(".go")]
    guesses += [last.rpartition("-")[2], last.replace("-", "_"), last.replace("-", ""), last.partition(".")[0]]
    return tuple(dict.fromkeys(guesses))


def _script(node: Node) -> Iterator[Import]:
    if node.type == "variable_declarator":
        yield from _required(node)
        return
    source_node = node.child_by_field_name("source")
    bindings: list[Binding] = []
    module = text(source_node).strip("\"'`") if source_node is not None else ""
    for clause in node.named_children:
        if clause.type == "import_require_clause":
            inner = clause.child_by_field_name("source")
            module = text(inner).strip("\"'`") if inner is not None else module
            names = [child for child in clause.named_children if child.type == "identifier"]
            bindings += [_whole(child, module, ()) for child in names]
        elif clause.type == "import_clause":
            for part in clause.named_children:
                slot = Slot(clause.start_byte, part.start_byte, part.end_byte)
                if part.type == "named_imports":
                    bindings += _specifiers(part, module, slot)
                elif part.type == "namespace_import":
                    bindings += [_whole(child, module, (slot,)) for child in part.named_children]
                elif part.type == "identifier":
                    bindings.append(_whole(part, module, (slot,), f"{module}.default"))
    yield Import(module, tuple(bindings), span(node))


def _whole(node: Node, module: str, slots: tuple[Slot, ...], *more: str) -> Binding:
    return Binding(text(node), module, (module, *more), slots, node.start_byte, node.end_byte)


def _specifiers(node: Node, module: str, slot: Slot) -> list[Binding]:
    bindings = []
    for child in node.named_children:
        name, alias = child.child_by_field_name("name"), child.child_by_field_name("alias")
        if child.type != "import_specifier" or name is None:
            continue
        target = f"{module}.{text(name)}"
        slots = (slot, Slot(node.start_byte, child.start_byte, child.end_byte))
        bindings.append(Binding(text(alias or name), target, (target,), slots, child.start_byte, child.end_byte))
    return bindings


def _required(node: Node) -> Iterator[Import]:
    """`const fs = require("fs")` and `const {a, b: c} = require("m")`; a part of a longer declaration is left
    alone.
    """
    value, name, statement = node.child_by_field_name("value"), node.child_by_field_name("name"), node.parent
    function = value.child_by_field_name("function") if value is not None else None
    arguments = value.child_by_field_name("arguments") if value is not None else None
    if name is None or statement is None or function is None or text(function) != "require":
        return
    given = arguments.named_children if arguments is not None else []
    if statement.named_child_count != 1 or len(given) != 1 or given[0].type != "string":
        return
    module = text(given[0]).strip("\"'`")
    if name.type == "identifier":
        yield Import(module, (_whole(name, module, ()),), span(statement))
        return
    bindings = []
    for child in name.named_children if name.type == "object_pattern" else []:
        key, bound = child.child_by_field_name("key"), child.child_by_field_name("value")
        if child.type == "shorthand_property_identifier_pattern":
            key = bound = child
        if key is None or bound is None or bound.type not in ("identifier", child.type):
            return
        target = f"{module}.{text(key)}"
        slot = Slot(name.start_byte, child.start_byte, child.end_byte)
        bindings.append(Binding(text(bound), target, (target,), (slot,), child.start_byte, child.end_byte))
    if bindings:
        yield Import(module, tuple(bindings), span(statement))


def _rust(node: Node) -> Iterator[Import]:
    exported = any(child.type == "visibility_modifier" for child in node.named_children)
    if node.type == "extern_crate_declaration":
        name, alias = node.child_by_field_name("name"), node.child_by_field_name("alias")
        if name is not None:
            bound = Binding(text(alias or name), text(name), (text(name),), (), name.start_byte, name.end_byte)
            yield Import(text(name), (bound,), span(node), exported=exported)
        return
    argument = node.child_by_field_name("argument")
    bindings: list[Binding] = []
    waiting: list[tuple[Node, str, tuple[Slot, ...]]] = [(argument, "", ())] if argument is not None else []
    while waiting:
        part, prefix, slots = waiting.pop()
        if part.type == "scoped_use_list":
            path, inner = part.child_by_field_name("path"), part.child_by_field_name("list")
            deeper = _dotted(prefix, text(path) if path is not None else "")
            waiting += [(inner, deeper, slots)] if inner is not None else []
        elif part.type == "use_list":
            elements = [child for child in part.named_children if child.type not in grammar(Language.RUST).comments]
            waiting += [
                (child, prefix, (*slots, Slot(part.start_byte, child.start_byte, child.end_byte)))
                for child in reversed(elements)
            ]
        else:
            bindings.append(_rust_leaf(part, prefix, slots))
    module = bindings[0].target.rpartition(".")[0] if bindings else ""
    yield Import(module, tuple(bindings), span(node), exported=exported)


def _rust_leaf(part: Node, prefix: str, slots: tuple[Slot, ...]) -> Binding:
    alias = part.child_by_field_name("alias") if part.type == "use_as_clause" else None
    path = part.child_by_field_name("path") if part.type == "use_as_clause" else part
    written = text(path) if path is not None else ""
    if part.type == "use_wildcard":
        target = _dotted(prefix, written.removesuffix("*").rstrip(":"))
        return Binding("*", target, (target,), slots, part.start_byte, part.end_byte)
    target = prefix if written == "self" else _dotted(prefix, written)
    name = text(alias) if alias is not None else target.rpartition(".")[2]
    return Binding(name, target, (target,), slots, part.start_byte, part.end_byte)


def _dotted(prefix: str, path: str) -> str:
    plain = "".join(path.split()).replace("::", ".")
    return f"{prefix}.{plain}" if prefix and plain else prefix or plain


def _java(node: Node) -> Iterator[Import]:
    path = next((c for c in node.named_children if c.type in ("scoped_identifier", "identifier")), None)
    target = "".join(text(path).split()) if path is not None else ""
    wildcard = any(child.type == "asterisk" for child in node.named_children)
    name = "*" if wildcard else target.rpartition(".")[2]
    binding = Binding(name, target, (target,), (), node.start_byte, node.end_byte)
    yield Import(target, (binding,), span(node))


_SCRIPT_PATTERN = "(import_statement) @i (variable_declarator value: (call_expression)) @i"
_PATTERNS: dict[Language, str] = {
    Language.PYTHON: "(import_statement) @i (import_from_statement) @i (future_import_statement) @i",
    Language.GO: "(import_declaration) @i",
    Language.JAVASCRIPT: _SCRIPT_PATTERN,
    Language.TYPESCRIPT: _SCRIPT_PATTERN,
    Language.TSX: _SCRIPT_PATTERN,
    Language.RUST: "(use_declaration) @i (extern_crate_declaration) @i",
    Language.JAVA: "(import_declaration) @i",
}
_READERS: dict[Language, Callable[[Node], Iterator[Import]]] = {
    Language.PYTHON: _python,
    Language.GO: _go,
    Language.JAVASCRIPT: _script,
    Language.TYPESCRIPT: _script,
    Language.TSX: _script,
    Language.RUST: _rust,
    Language.JAVA: _java,
}
