"""Kubernetes' rules of a structural schema, as its documentation states them ("Specifying a structural schema").

Also what ``apiextensions`` v1 forbids besides, and the form of rules and defaults that an API server checks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

TYPES = {"object", "array", "string", "integer", "number", "boolean"}
FORBIDDEN = {
    "$ref", "$defs", "definitions", "dependencies", "deprecated", "discriminator", "id", "patternProperties",
    "propertyNames", "const", "readOnly", "writeOnly", "xml", "title", "examples", "prefixItems", "uniqueItems",
}  # fmt: skip
KNOWN = {
    "description", "type", "format", "enum", "pattern", "minLength", "maxLength", "minimum", "maximum", "minItems",
    "maxItems", "minProperties", "maxProperties", "required", "default", "properties", "additionalProperties", "items",
    "x-kubernetes-validations", "x-kubernetes-list-type", "x-kubernetes-list-map-keys", "x-kubernetes-int-or-string",
    "x-kubernetes-preserve-unknown-fields", "anyOf",
}  # fmt: skip
INT_OR_STRING = [{"type": "integer"}, {"type": "string"}]
FORMATS = {"string": {"date", "date-time"}, "integer": {"int32", "int64"}}


def faults(schema: dict[str, Any]) -> list[str]:
    """Everything that the schema of a whole resource does against the rules."""
    found = list(_node(schema, ""))
    if schema["properties"]["metadata"] != {"type": "object"}:
        found.append(".metadata: only name and generateName may be restricted")
    return found


def _node(node: dict[str, Any], path: str) -> Iterator[str]:
    yield from (f"{path}: {key} is forbidden" for key in sorted(set(node) & FORBIDDEN))
    yield from (f"{path}: {key} is unknown" for key in sorted(set(node) - FORBIDDEN - KNOWN))
    if node.get("x-kubernetes-int-or-string"):
        if node.get("anyOf") != INT_OR_STRING or "type" in node:
            yield f"{path}: int-or-string has no type, and anyOf integer or string"
    elif node.get("type") not in TYPES:
        yield f"{path}: a type is required, not {node.get('type')}"
    elif "anyOf" in node:
        yield f"{path}: anyOf specifies a type"
    if "format" in node and node["format"] not in FORMATS.get(node["type"], ()):
        yield f"{path}: format {node['format']} is not known for {node['type']}"
    if "properties" in node and "additionalProperties" in node:
        yield f"{path}: properties and additionalProperties exclude each other"
    if node.get("additionalProperties") is False:
        yield f"{path}: a closed object would forbid pruning"
    if node.get("type") == "array" and "items" not in node:
        yield f"{path}: items are required"
    if node.get("type") == "object" and path != ".metadata" and not {"properties", "additionalProperties"} & set(node):
        yield f"{path}: everything in it would be pruned"
    yield from (f"{path}: {name} is required but not declared" for name in _undeclared(node))
    yield from _list_map(node, path)
    yield from _rules(node, path)
    if "default" in node:
        yield from _value(node["default"], node, f"{path} default")
    for name, field in node.get("properties", {}).items():
        yield from _node(field, f"{path}.{name}")
    for key in ("items", "additionalProperties"):
        if isinstance(node.get(key), dict):
            yield from _node(node[key], f"{path}[]")


def _undeclared(node: dict[str, Any]) -> set[str]:
    return set(node.get("required", ())) - set(node.get("properties", {}))


def _list_map(node: dict[str, Any], path: str) -> Iterator[str]:
    if node.get("x-kubernetes-list-type") == "map":
        for key in node["x-kubernetes-list-map-keys"]:
            if key not in node["items"].get("required", ()) and "default" not in node["items"]["properties"][key]:
                yield f"{path}: list key {key} must be required or have a default"


def _rules(node: dict[str, Any], path: str) -> Iterator[str]:
    declared = set(node.get("properties", {}))
    for rule in node.get("x-kubernetes-validations", ()):
        if set(rule) - {"rule", "message", "fieldPath"} or not {"rule", "message"} <= set(rule):
            yield f"{path}: a rule has rule, message and perhaps fieldPath"
        for name in re.findall(r"\b(?:self|oldSelf)\.(\w+)", rule["rule"]):
            if name not in declared:
                yield f"{path}: the rule speaks of {name}, which is not declared"
        if "fieldPath" in rule and rule["fieldPath"].removeprefix(".") not in declared:
            yield f"{path}: fieldPath {rule['fieldPath']} is not declared"
        if "oldSelf" in rule["rule"] and "[]" in path:
            yield f"{path}: a transition rule needs a place that can be correlated"


def _value(value: Any, node: dict[str, Any], path: str) -> Iterator[str]:
    """A default must itself be valid and nothing of it may be pruned."""
    types: dict[str, type | tuple[type, ...]] = {
        "object": dict, "array": list, "string": str, "integer": int, "number": (int, float), "boolean": bool,
    }  # fmt: skip
    if not isinstance(value, types[node["type"]]):
        yield f"{path}: {value!r} is no {node['type']}"
    if isinstance(value, dict):
        properties = node.get("properties", {})
        yield from (f"{path}: {key} would be pruned" for key in set(value) - set(properties))
        yield from (f"{path}: {key} is missing" for key in set(node.get("required", ())) - set(value))
        for key in set(value) & set(properties):
            yield from _value(value[key], properties[key], f"{path}.{key}")
    if isinstance(value, list):
        for item in value:
            yield from _value(item, node["items"], f"{path}[]")
    if "enum" in node and value not in node["enum"]:
        yield f"{path}: {value!r} is none of the enum"
