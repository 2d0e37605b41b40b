"""JSON schemas of the resources: one for editors, and the structural one that a CustomResourceDefinition holds.

Both come from pydantic's own schema of the models. Kubernetes' structural schemas know no references, no null
type and no closed objects (what is not declared is pruned), so that one is written out in full. Names,
versions and columns are left to ``crds``.
"""

from __future__ import annotations

from typing import Any, Final

from change2task.api.metadata import API_VERSION
from change2task.api.model import Model

Schema = dict[str, Any]

_KEPT: Final = (
    "type", "format", "enum", "pattern", "minLength", "maxLength", "minimum", "maximum", "minItems", "maxItems",
    "minProperties", "maxProperties", "required",
)  # fmt: skip
_OPEN_ENUMS: Final = frozenset(("Reason", "ConditionType", "RejectionClass"))
"""Closed in our code but open in the stored schema, so that a newer operator can write to older definitions."""
_WORD: Final[Schema] = {"type": "string", "maxLength": 128, "pattern": "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$"}


def schema(model: type[Model]) -> Schema:
    """The closed JSON schema (draft 2020-12) of one resource, for editors: unknown fields are errors."""
    made = _without_rules(model.model_json_schema(by_alias=True))
    properties = made.pop("properties")
    definitions = made.pop("$defs")
    properties["apiVersion"] = {"const": API_VERSION, "description": "Group and version."}
    properties["kind"] = {"const": model.__name__, "description": "Which resource this is."}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": model.__name__,
        "description": made["description"],
        "type": "object",
        "required": ["apiVersion", "kind", "metadata", "spec"],
        "additionalProperties": False,
        "properties": properties,
        "$defs": definitions,
    }


def document_schema(model: type[Model]) -> Schema:
    """The closed JSON schema (draft 2020-12) of a document that is no resource."""
    made: Schema = _without_rules(model.model_json_schema(by_alias=True))
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **made}


def _without_rules(node: Any) -> Any:
    if isinstance(node, dict):
        return {k: _without_rules(v) for k, v in node.items() if not str(k).startswith("x-kubernetes-")}
    return [_without_rules(v) for v in node] if isinstance(node, list) else node


def structural(model: type[Model]) -> Schema:
    """The structural OpenAPI v3 schema of one resource, whole and without references."""
    made = model.model_json_schema(by_alias=True)
    definitions = made["$defs"]
    spec = _node(made["properties"]["spec"], definitions, defaults=True)
    status = _node(made["properties"]["status"], definitions, defaults=False)
    return {
        "description": made["description"],
        "type": "object",
        "required": ["spec"],
        "properties": {
            "apiVersion": {"description": f"Group and version: {API_VERSION}.", "type": "string"},
            "kind": {"description": f"Which resource this is: {model.__name__}.", "type": "string"},
            "metadata": {"type": "object"},
            "spec": spec,
            "status": status,
        },
    }


def _node(source: Schema, definitions: dict[str, Schema], *, defaults: bool) -> Schema:
    """One value's schema; ``defaults`` says whether the API server fills in what is absent."""
    source = _resolved(source, definitions)
    if source.get("x-kubernetes-int-or-string"):
        kept = ("anyOf", "pattern", "maxLength", "x-kubernetes-int-or-string")
        return _described(source) | {key: source[key] for key in kept if key in source}
    node = _described(source) | {key: source[key] for key in _KEPT if key in source}
    if source.get("type") == "object" and "properties" in source:
        node["properties"] = {
            name: _node(field, definitions, defaults=defaults) for name, field in source["properties"].items()
        }
        filled = {name: field["default"] for name, field in node["properties"].items() if "default" in field}
        # A rule is tried on the default as it stands here, before the API server fills in what is below it.
        # A field that is absent on purpose has null for its default, and stays absent.
        if defaults and source.get("default") is not None and filled:
            node["default"] = filled
    elif defaults and source.get("default") not in (None, "", [], {}):
        node["default"] = source["default"]
    if isinstance(source.get("additionalProperties"), dict):
        node["additionalProperties"] = _node(source["additionalProperties"], definitions, defaults=False)
    if "items" in source:
        node["items"] = _node(source["items"], definitions, defaults=defaults)
    node |= {key: value for key, value in source.items() if key.startswith("x-kubernetes-")}
    return node


def _described(source: Schema) -> Schema:
    return {"description": " ".join(source["description"].split())} if "description" in source else {}


def _resolved(source: Schema, definitions: dict[str, Schema]) -> Schema:
    """The schema without references and without null; what stands beside a reference has precedence."""
    while True:
        if "$ref" in source:
            name = source["$ref"].removeprefix("#/$defs/")
            target = _WORD if name in _OPEN_ENUMS else definitions[name]
            source = target | {key: value for key, value in source.items() if key != "$ref"}
        elif "anyOf" in source and {"type": "null"} in source["anyOf"]:
            (only,) = (option for option in source["anyOf"] if option != {"type": "null"})
            source = only | {key: value for key, value in source.items() if key != "anyOf"}
        else:
            return source
