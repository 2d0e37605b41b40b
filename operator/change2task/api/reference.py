"""The reference pages of the documentation, made from the models and the reasons.

A page that repeats what the code knows goes stale; these cannot. Prose that explains is left to the hand-written
pages.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from change2task.api.crds import DEFINITIONS, Definition
from change2task.api.labels import labels_table
from change2task.api.metadata import API_VERSION
from change2task.api.reasons import reasons_table
from change2task.api.rules import RULES
from change2task.api.schemas import Schema, structural

_LONGEST_LISTED = 12


_LADDER = "\n[The ladder](../ladder.md) tells every strategy, and under which level it counts.\n"
_BESIDE = {"TaskCandidate": _LADDER, "TaskVariant": _LADDER + "[Labels](labels.md) are defined apart.\n"}
"""What a page says beside the fields, by kind."""


def reference_pages() -> dict[str, str]:
    """File name to Markdown of every page."""
    pages = {f"{d.model.__name__.lower()}.md": _page(d) for d in DEFINITIONS}
    return pages | {"reasons.md": _reasons_page(), "labels.md": _labels_page()}


def _page(definition: Definition) -> str:
    schema = structural(definition.model)
    kind = definition.model.__name__
    columns = ", ".join(f"{c.name}{' (wide)' if c.wide else ''}" for c in definition.columns)
    head = (
        "<!-- Made by `make generate` from operator/change2task/api. -->\n\n"
        f"# {kind}\n\n{schema['description']}\n\n"
        f"`apiVersion: {API_VERSION}`, `kind: {kind}`; short name `{definition.short}`, category `change2task`.\n"
        f"Columns of `kubectl get {definition.short}`: {columns}.\n\n"
        "A field without a default may be left out unless it says *required*.\n"
    )
    head += _BESIDE.get(kind, "")
    sections = (*_sections("spec", schema["properties"]["spec"]), *_sections("status", schema["properties"]["status"]))
    return "\n".join((head, *sections))


def _sections(path: str, node: Schema) -> Iterator[str]:
    """A table for the object at ``path``, then the tables of the objects below it."""
    required = frozenset(node.get("required", ()))
    rows = [f"## {path}\n", f"{node['description']}\n", "| field | type | default | meaning |", "|---|---|---|---|"]
    below: list[tuple[str, Schema]] = []
    for name, field in node["properties"].items():
        default = "*required*" if name in required else _default(field)
        rows.append(f"| `{name}` | {_cell(_type(field))} | {default} | {_cell(field.get('description', ''))} |")
        inner, suffix = field, ""
        while "items" in inner or "additionalProperties" in inner:
            inner, suffix = (
                (inner["items"], f"{suffix}[]") if "items" in inner else (inner["additionalProperties"], f"{suffix}.*")
            )
        if "properties" in inner:
            below.append((f"{path}.{name}{suffix}", inner))
    rules = [rule["message"] for rule in node.get(RULES, ())]
    rows += ["", *(f"- {message}" for message in rules), ""] if rules else [""]
    yield "\n".join(rows)
    for where, inner in below:
        yield from _sections(where, inner)


def _type(field: Schema) -> str:
    if field.get("x-kubernetes-int-or-string"):
        return "quantity"
    if "items" in field:
        return f"list of {_type(field['items'])}{_bounds(field, 'Items')}"
    if "additionalProperties" in field:
        return f"map of {_type(field['additionalProperties'])}{_bounds(field, 'Properties')}"
    if "enum" in field:
        return ", ".join(f"`{choice}`" for choice in field["enum"][:_LONGEST_LISTED])
    kind = {"date": "date", "date-time": "time"}.get(field.get("format", ""), field["type"])
    if kind in ("integer", "number"):
        return kind + _range(field.get("minimum"), field.get("maximum"))
    if kind == "string":
        pattern = f", `{field['pattern']}`" if "pattern" in field else ""
        return kind + _bounds(field, "Length") + pattern
    return str(kind)


def _range(low: int | None, high: int | None) -> str:
    if low is not None and high is not None:
        return f", {low} to {high:,}"
    return f", at least {low}" if low is not None else f", at most {high:,}" if high is not None else ""


def _bounds(field: Schema, what: str) -> str:
    return f", at most {field[f'max{what}']:,}" if f"max{what}" in field else ""


def _default(field: Schema) -> str:
    value: Any = field.get("default")
    return "" if value is None or isinstance(value, dict) else f"`{json.dumps(value)}`"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _reasons_page() -> str:
    """Every reason a condition can carry, as the page that users search."""
    rows = "\n".join(
        f"| `{name}` | {f'`{rejection}`' if rejection else ''} | {sentence} |"
        for name, rejection, sentence in reasons_table()
    )
    return (
        "<!-- Made by `make generate` from operator/change2task/api/reasons.py. -->\n\n"
        "# Reasons\n\n"
        "Every condition carries one of these, and every rejection one with a class. The list is closed: nothing else\n"
        "is ever a reason. What happened in one case stands in the condition's message. Strategies, which\n"
        "`ConstructionExhausted` speaks of, are told in [the ladder](../ladder.md).\n\n"
        "| reason | class, if it rejects | meaning |\n|---|---|---|\n"
        f"{rows}\n"
    )


def _labels_page() -> str:
    """Every label that a task can bear."""
    rows = "\n".join(f"| `{name}` | {sentence} |" for name, sentence in labels_table())
    return (
        "<!-- Made by `make generate` from operator/change2task/api/labels.py. -->\n\n"
        "# Labels\n\n"
        "`spec.labels` of a TaskVariant, also printed by `change2task show` and `change2task explain`. Each is\n"
        "decided by program and refuses nothing. That a label is absent says that its rule did not hold, not that\n"
        "nothing of its kind can be: a mock written by hand is no mock to a program, and whether the author's words\n"
        "are true of the author's code is decided by none.\n\n"
        "| label | meaning |\n|---|---|\n"
        f"{rows}\n"
    )
