"""Every bound that a schema sets on a sample's values, with a value just beyond it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

Path = tuple[str | int, ...]


@dataclass(frozen=True)
class Beyond:
    """A value that a schema must refuse, and where."""

    path: Path
    bound: str
    value: Any

    @property
    def field(self) -> str:
        """The place as an API server names it."""
        return "spec" + "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in self.path)

    def __str__(self) -> str:
        return f"{self.field}-{self.bound}"


def beyond_bounds(schema: dict[str, Any], value: Any, path: Path = ()) -> Iterator[Beyond]:
    """A refused value for each bound of each place that the sample reaches."""
    for bound, broken in BREAK.items():
        if bound in schema:
            yield Beyond(path, bound, broken(schema[bound], value))
    if isinstance(value, dict):
        for name in schema.get("required", ()):
            yield Beyond(path, f"required {name}", {key: kept for key, kept in value.items() if key != name})
        for name, inner in value.items():
            below = schema.get("properties", {}).get(name) or schema.get("additionalProperties")
            assert below is not None, f"{path}: {name} is not in the schema"
            yield from beyond_bounds(below, inner, (*path, name))
    elif isinstance(value, list):
        for at, inner in enumerate(value):
            yield from beyond_bounds(schema["items"], inner, (*path, at))


def places(schema: dict[str, Any], path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], dict[str, Any]]]:
    """Every place of a schema, items and values of maps as ``*``."""
    yield path, schema
    for name, below in schema.get("properties", {}).items():
        yield from places(below, (*path, name))
    for each in ("items", "additionalProperties"):
        if isinstance(schema.get(each), dict):
            yield from places(schema[each], (*path, "*"))


def reached(schema: dict[str, Any], value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The places of a schema that a sample has a value for."""
    yield path
    if isinstance(value, dict):
        for name, inner in value.items():
            known = name in schema.get("properties", {})
            below = schema["properties"][name] if known else schema["additionalProperties"]
            yield from reached(below, inner, (*path, name if known else "*"))
    elif isinstance(value, list):
        for inner in value:
            yield from reached(schema["items"], inner, (*path, "*"))


BREAK = {
    "enum": lambda allowed, _: 99 if isinstance(allowed[0], int) else "Nonsense",
    "pattern": lambda _, __: "\x01 not this",
    "format": lambda _, __: "not a date",
    "minLength": lambda _, __: "",
    "maxLength": lambda bound, value: (value * (bound + 1))[: bound + 1],
    "minimum": lambda bound, _: bound - 1,
    "maximum": lambda bound, _: bound + 1,
    "minItems": lambda _, __: [],
    "maxItems": lambda bound, value: (value * (bound + 1))[: bound + 1],
    "maxProperties": lambda bound, value: {f"k{n}": next(iter(value.values())) for n in range(bound + 1)},
}
