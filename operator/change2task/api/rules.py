"""Rules that the API server enforces (CEL), written beside the Python validator that says the same.

A manifest must be refused for the same fault and in the same words by ``change2task validate`` and by
``kubectl apply``; so a model carries its rule in its configuration and its validator right below. Writing the
whole schema is left to ``crds``.
"""

from __future__ import annotations

from typing import Any, ClassVar, Final

from change2task.api.model import Model

RULES: Final = "x-kubernetes-validations"

SchemaExtra = dict[str, Any]


def ruled(*rules: tuple[str, str]) -> SchemaExtra:
    """Schema extra with these rules, each a CEL expression and the sentence told when it is false."""
    return {RULES: [{"rule": expression, "message": message} for expression, message in rules]}


def _immutable_fields(schema: SchemaExtra, model: type[Frozen]) -> None:
    """One rule a field that may not change, so that the refusal names the field."""
    required = frozenset(schema.get("required", ()))
    frozen = [name for name in schema["properties"] if name not in model.mutable]
    schema[RULES] = [
        {
            "rule": _unchanged(name, name in required),
            "message": f"{name} is immutable; {model.way_out}",
            "fieldPath": f".{name}",
        }
        for name in frozen
    ]


def _unchanged(name: str, required: bool) -> str:
    if required:
        return f"self.{name} == oldSelf.{name}"
    return f"has(self.{name}) == has(oldSelf.{name}) && (!has(self.{name}) || self.{name} == oldSelf.{name})"


class Frozen(Model):
    """A spec that may not change once it is stored, but for the fields in ``mutable`` (names on the wire)."""

    model_config = {"json_schema_extra": _immutable_fields}
    mutable: ClassVar[frozenset[str]] = frozenset()
    way_out: ClassVar[str]


def refused_changes(old: Frozen, new: Frozen) -> tuple[str, ...]:
    """Names of the immutable fields in which two specs of one kind differ."""
    fields = type(old).model_fields.items()
    names = ((name, info.alias or name) for name, info in fields)
    return tuple(
        alias for name, alias in names if alias not in old.mutable and getattr(old, name) != getattr(new, name)
    )
