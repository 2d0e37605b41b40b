"""The page that tells every value of the chart, made from its schema and its defaults."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

_HEAD: Final = """<!-- made by `make generate` from charts/change2task/values.schema.json and values.yaml -->

# Values of the chart

A value that is unknown, of the wrong type or out of bounds is refused with its name before anything is installed. How
they go together is told in [../install.md](../install.md).

| value | default | meaning |
|---|---|---|
"""
_LONGEST: Final = 72
_EMPTY: Final[Mapping[str, object]] = {}


def values_page(schema: Mapping[str, Any], defaults: Mapping[str, Any]) -> str:
    """Markdown; a row for each value that the schema describes, in its order. Helm's own are left out."""
    rows = (
        f"| `{'.'.join(path)}` | {_shown(_default(defaults, path))} | {_cell(said['description'])} |\n"
        for path, said in leaves(schema)
        if path != ("global",)
    )
    return _HEAD + "".join(rows)


def leaves(
    schema: Mapping[str, Any], above: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], Mapping[str, Any]]]:
    """Path and schema of every value that is described by itself, whatever lies below it."""
    for name, said in schema.get("properties", _EMPTY).items():
        path = (*above, name)
        if "description" in said:
            yield path, said
        else:
            yield from leaves(said, path)


def _default(defaults: Mapping[str, Any], path: tuple[str, ...]) -> object:
    found: Any = defaults
    for name in path:
        found = found[name]
    return found


def _shown(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False) if not isinstance(value, str) else value
    if len(text) > _LONGEST:
        return "see `values.yaml`"
    return f"`{text}`" if text else ""


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
