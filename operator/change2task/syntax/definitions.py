"""How each language writes a definition: its names, its kind, its body, and how much around it belongs to it.

It exists so that `units` can stay one loop for all languages. Where the definition sits in the file (scope,
attached comments) is left to that loop.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from change2task.syntax.languages import Language
from change2task.syntax.trees import Node, text


class UnitKind(StrEnum):
    """What a unit is."""

    FUNCTION = "function"
    METHOD = "method"
    CLASS = "class"
    INTERFACE = "interface"
    STRUCT = "struct"
    ENUM = "enum"
    TRAIT = "trait"
    TYPE = "type"
    VARIABLE = "variable"
    NAMESPACE = "namespace"
    IMPL = "impl"
    MACRO = "macro"
    TEST = "test"


@dataclass(frozen=True, slots=True)
class Definition:
    """A definition as written.

    `outer` is the largest node that is this definition alone (its export, its decorators); `scope` is the
    prefix of the names inside it where that is not its own name (a Rust `impl`); `marks` are its decorators or
    annotations.
    """

    names: tuple[str, ...]
    kind: UnitKind
    outer: Node
    body: Node | None
    marks: tuple[str, ...] = ()
    scope: str | None = None


def _up(node: Node, *types: str) -> Node:
    parent = node.parent
    return parent if parent is not None and parent.type in types else node


def _field(node: Node, name: str) -> Node | None:
    return node.child_by_field_name(name)


def _named(node: Node, field: str = "name") -> tuple[str, ...]:
    name = node.child_by_field_name(field)
    return (text(name),) if name is not None and name.end_byte > name.start_byte else ()


def mark_name(node: Node) -> str:
    """The dotted name of a decorator, annotation or attribute, without its arguments."""
    words = text(node).lstrip("@#[! \t").split("(", 1)[0].split("=", 1)[0].strip().rstrip("]")
    return words.replace("::", ".").strip()


def _python(node: Node) -> Definition | None:
    match node.type:
        case "function_definition" | "class_definition":
            outer = _up(node, "decorated_definition")
            marks = tuple(mark_name(child) for child in outer.named_children if child.type == "decorator")
            kind = UnitKind.CLASS if node.type == "class_definition" else UnitKind.FUNCTION
            return Definition(_named(node), kind, outer, _field(node, "body"), marks)
        case "type_alias_statement":
            left = _field(node, "left")
            name = text(left).split("[", 1)[0].strip() if left is not None else ""
            return Definition((name,) if name else (), UnitKind.TYPE, node, _field(node, "right"))
        case _:
            names: list[str] = []
            value: Node | None = node
            while value is not None and value.type in ("assignment", "augmented_assignment"):
                names += _targets(value.child_by_field_name("left"))
                value = value.child_by_field_name("right")
            return Definition(tuple(dict.fromkeys(names)), UnitKind.VARIABLE, _up(node, "expression_statement"), value)


def _targets(left: Node | None) -> list[str]:
    """The names an assignment binds, in order; attributes as dotted names, subscripts not at all."""
    names: list[str] = []
    waiting = [left] if left is not None else []
    while waiting:
        node = waiting.pop()
        if node.type == "identifier" or (node.type == "attribute" and "(" not in text(node)):
            names.append(text(node))
        elif node.type in ("pattern_list", "tuple_pattern", "list_pattern", "list_splat_pattern"):
            waiting += reversed(node.named_children)
    return names


def _go(node: Node) -> Definition | None:
    match node.type:
        case "function_declaration":
            return Definition(_named(node), UnitKind.FUNCTION, node, _field(node, "body"))
        case "method_declaration":
            receiver = text(r) if (r := _field(node, "receiver")) is not None else ""
            base = receiver.strip("() \t\n").split("[", 1)[0].split()[-1:] or [""]
            owner = base[0].lstrip("*")
            names = tuple(f"{owner}.{name}" if owner else name for name in _named(node))
            return Definition(names, UnitKind.METHOD, node, _field(node, "body"))
        case "type_spec" | "type_alias":
            body = _field(node, "type")
            kinds = {"struct_type": UnitKind.STRUCT, "interface_type": UnitKind.INTERFACE}
            kind = kinds.get(body.type, UnitKind.TYPE) if body is not None else UnitKind.TYPE
            return Definition(_named(node), kind, _lone(node, "type_declaration"), body)
        case _:
            names = tuple(text(n) for n in node.children_by_field_name("name") if n.is_named and text(n) != "_")
            outer = _lone(node, "const_declaration", "var_declaration")
            return Definition(names, UnitKind.VARIABLE, outer, _field(node, "value"))


def _lone(node: Node, *types: str) -> Node:
    """The declaration around a node when it declares this alone and without parentheses, else the node."""
    parent = _up(node, *types)
    if parent is node or any(child.type == "(" for child in parent.children):
        return node
    return parent


_FUNCTION_VALUES = frozenset({"arrow_function", "function_expression", "generator_function", "function"})


def _value_kind(value: Node | None, function: UnitKind) -> UnitKind:
    if value is not None and value.type in _FUNCTION_VALUES:
        return function
    return UnitKind.CLASS if value is not None and value.type == "class" else UnitKind.VARIABLE


def _body(value: Node | None) -> Node | None:
    return (value.child_by_field_name("body") or value) if value is not None else None


_SCRIPT_KINDS: dict[str, UnitKind] = {
    "function_declaration": UnitKind.FUNCTION,
    "generator_function_declaration": UnitKind.FUNCTION,
    "function_signature": UnitKind.FUNCTION,
    "class_declaration": UnitKind.CLASS,
    "abstract_class_declaration": UnitKind.CLASS,
    "method_definition": UnitKind.METHOD,
    "abstract_method_signature": UnitKind.METHOD,
    "method_signature": UnitKind.METHOD,
    "interface_declaration": UnitKind.INTERFACE,
    "type_alias_declaration": UnitKind.TYPE,
    "enum_declaration": UnitKind.ENUM,
    "internal_module": UnitKind.NAMESPACE,
    "module": UnitKind.NAMESPACE,
}


def _script(node: Node) -> Definition | None:
    match node.type:
        case "variable_declarator":
            value = _field(node, "value")
            outer = _up(node, "lexical_declaration", "variable_declaration")
            if sum(child.type == "variable_declarator" for child in outer.named_children) > 1:
                outer = node
            elif outer is not node:
                outer = _up(outer, "export_statement", "ambient_declaration")
            return Definition(
                _pattern(_field(node, "name")), _value_kind(value, UnitKind.FUNCTION), outer, _body(value)
            )
        case "assignment_expression":
            left, value = _field(node, "left"), _field(node, "right")
            name = text(left) if left is not None else ""
            plain = "".join(name.split())
            names = (plain,) if plain.replace(".", "").replace("_", "").replace("$", "").isalnum() else ()
            return Definition(
                names, _value_kind(value, UnitKind.FUNCTION), _up(node, "expression_statement"), _body(value)
            )
        case "pair":
            value = _field(node, "value")
            return Definition(_named(node, "key"), UnitKind.METHOD, node, _body(value))
        case "field_definition" | "public_field_definition":
            value = _field(node, "value")
            if value is None or value.type not in _FUNCTION_VALUES:
                return None
            field = _named(node, "property") or _named(node)
            return Definition(field, UnitKind.METHOD, node, _body(value), _marks(node))
        case "export_statement":
            value = _field(node, "value")
            return Definition(("default",), _value_kind(value, UnitKind.FUNCTION), node, _body(value))
        case _:
            outer = _up(node, "export_statement", "ambient_declaration", "expression_statement")
            if outer.type == "ambient_declaration":
                outer = _up(outer, "export_statement")
            quoted = tuple(name.strip("\"'") for name in _named(node))
            marks = _marks(outer) + (_marks(node) if outer is not node else ())
            return Definition(quoted or ("default",), _SCRIPT_KINDS[node.type], outer, _field(node, "body"), marks)


def _pattern(name: Node | None) -> tuple[str, ...]:
    """The names a declarator binds: one, or those of a destructuring pattern."""
    if name is None:
        return ()
    if name.type == "identifier":
        return (text(name),)
    names: list[str] = []
    waiting = [name]
    while waiting:
        node = waiting.pop()
        if node.type in ("identifier", "shorthand_property_identifier_pattern"):
            names.append(text(node))
        elif node.type in ("pair_pattern", "object_assignment_pattern", "assignment_pattern"):
            bound = node.child_by_field_name("value" if node.type == "pair_pattern" else "left")
            waiting += [bound] if bound is not None else []
        elif node.type in ("object_pattern", "array_pattern", "rest_pattern"):
            waiting += reversed(node.named_children)
    return tuple(names)


def _marks(node: Node) -> tuple[str, ...]:
    return tuple(mark_name(child) for child in node.named_children if child.type == "decorator")


_RUST_KINDS: dict[str, UnitKind] = {
    "function_item": UnitKind.FUNCTION,
    "function_signature_item": UnitKind.FUNCTION,
    "struct_item": UnitKind.STRUCT,
    "union_item": UnitKind.STRUCT,
    "enum_item": UnitKind.ENUM,
    "trait_item": UnitKind.TRAIT,
    "mod_item": UnitKind.NAMESPACE,
    "const_item": UnitKind.VARIABLE,
    "static_item": UnitKind.VARIABLE,
    "type_item": UnitKind.TYPE,
    "macro_definition": UnitKind.MACRO,
}


def _rust(node: Node) -> Definition | None:
    body = _field(node, "body")
    if node.type != "impl_item":
        value = body or _field(node, "value") or _field(node, "type")
        return Definition(_named(node), _RUST_KINDS[node.type], node, value)
    implementor = _field(node, "type")
    owner = text(implementor) if implementor is not None else ""
    base = owner.split("<", 1)[0].lstrip("&").strip()
    trait = _field(node, "trait")
    name = f"impl {text(trait)} for {owner}" if trait is not None else f"impl {owner}"
    return Definition((" ".join(name.split()),), UnitKind.IMPL, node, body, scope=base)


_JAVA_KINDS: dict[str, UnitKind] = {
    "class_declaration": UnitKind.CLASS,
    "interface_declaration": UnitKind.INTERFACE,
    "enum_declaration": UnitKind.ENUM,
    "record_declaration": UnitKind.CLASS,
    "annotation_type_declaration": UnitKind.INTERFACE,
    "method_declaration": UnitKind.METHOD,
    "constructor_declaration": UnitKind.METHOD,
    "compact_constructor_declaration": UnitKind.METHOD,
}


def _java(node: Node) -> Definition | None:
    modifiers = next((child for child in node.named_children if child.type == "modifiers"), None)
    annotations = modifiers.named_children if modifiers is not None else []
    marks = tuple(text(name) for a in annotations if (name := a.child_by_field_name("name")) is not None)
    return Definition(_named(node), _JAVA_KINDS[node.type], node, _field(node, "body"), marks)


_READERS: dict[Language, Callable[[Node], Definition | None]] = {
    Language.PYTHON: _python,
    Language.GO: _go,
    Language.JAVASCRIPT: _script,
    Language.TYPESCRIPT: _script,
    Language.TSX: _script,
    Language.RUST: _rust,
    Language.JAVA: _java,
}


def read_definition(language: Language, node: Node) -> Definition | None:
    """The definition a captured node writes; None when it names nothing (a broken or an unnamed one)."""
    definition = _READERS[language](node)
    return definition if definition is not None and definition.names else None
