"""Pydantic's errors in the words of a manifest: the field, what it should be, and the way out.

Pydantic speaks of Python types; who writes YAML needs to hear that ``commit: 1234567`` is a number there and
wants quotes, or which field was probably meant.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

from change2task.api.model import Model
from change2task.api.problems import bounded, field_path, listed
from change2task.api.shapes import at, below, fields, model_of, nearest, places
from change2task.api.yamlscalars import describe, resolve
from change2task.api.yamltree import Mapping, Node, Path, Scalar, Sequence

KUBERNETES_METADATA: Final = frozenset(
    (
        "annotations", "creationTimestamp", "deletionGracePeriodSeconds", "deletionTimestamp", "finalizers",
        "generateName", "generation", "labels", "managedFields", "name", "namespace", "ownerReferences",
        "resourceVersion", "selfLink", "uid",
    )
)  # fmt: skip
"""Fields of Kubernetes' ObjectMeta (API reference v1.31); everything else under metadata is a slip."""

_EXPECTED: Final = {
    "string_type": "a string",
    "string_sub_type": "a string",
    "int_type": "an integer",
    "int_from_float": "an integer",
    "int_parsing": "an integer",
    "int_parsing_size": "an integer",
    "float_type": "a number",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "tuple_type": "a list",
    "list_type": "a list",
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "model_attributes_type": "a mapping",
    "date_type": "a date like 2024-10-09",
    "date_parsing": "a date like 2024-10-09",
    "date_from_datetime_parsing": "a date like 2024-10-09",
    "date_from_datetime_inexact": "a date like 2024-10-09, without a time",
    "datetime_type": "a time like 2024-10-09T12:00:00Z",
    "datetime_parsing": "a time like 2024-10-09T12:00:00Z",
    "datetime_from_date_parsing": "a time like 2024-10-09T12:00:00Z",
}


_LONGEST_PATTERN: Final = 80
"""Signs of a pattern beyond which its field's description says more."""


def refused_metadata(values: dict[str, Any]) -> Iterator[Path]:
    """Paths of fields under metadata that Kubernetes does not have (the model itself keeps what it does not know)."""
    metadata = values.get("metadata")
    if isinstance(metadata, dict):
        yield from (("metadata", key) for key in metadata if key not in KUBERNETES_METADATA)


def told(errors: Iterable[dict[str, Any]], model: type[Model]) -> list[dict[str, Any]]:
    """Pydantic's errors as they are worth telling: what is missing last, and not where a misspelt field explains it.

    A misspelt field is unknown, and the one that was meant is missing: that is one fault.
    """
    every = list(errors)
    explained = {meant(tuple(error["loc"]), model) for error in every if error["type"] == "extra_forbidden"}
    missing = [error for error in every if error["type"] == "missing" and tuple(error["loc"]) not in explained]
    return [*(error for error in every if error["type"] != "missing"), *missing]


def explain(error: dict[str, Any], model: type[Model], root: Mapping) -> tuple[str, str | None]:
    """The message of one pydantic error and the value as it was written, bounded."""
    path: Path = tuple(step for step in error["loc"] if step != "[key]")
    node = _find(root, path)
    value = None if node is None else _shown(node)
    kind = error["type"]
    if kind == "extra_forbidden":
        return _unknown_field(path, model), value
    if kind == "missing":
        return _missing(path, model), None
    if kind in _EXPECTED:
        return _wrong_type(kind, node, value), value
    if kind in ("enum", "literal_error"):
        return _not_one_of(error, at(model, path), value, node), value
    if kind == "value_error":
        return str(error["ctx"]["error"]), None
    if kind == "string_pattern_mismatch":
        return _not_matching(str(error["ctx"]["pattern"]), path, model), value
    words = _WORDS.get(kind)
    return (words(error.get("ctx", {})) if words else str(error["msg"])), value


_WORDS: Final[dict[str, Callable[[dict[str, Any]], str]]] = {
    "string_too_short": lambda c: "must not be empty" if c["min_length"] == 1 else f"at least {c['min_length']} signs",
    "string_too_long": lambda c: f"at most {c['max_length']} characters",
    "too_short": lambda c: f"at least {c['min_length']} of them",
    "too_long": lambda c: f"at most {c['max_length']} of them",
    "greater_than_equal": lambda c: f"must be at least {c['ge']}",
    "less_than_equal": lambda c: f"must be at most {c['le']}",
}


def _unknown_field(path: Path, model: type[Model]) -> str:
    if near := meant(path, model):
        return f"unknown field; did you mean {near[-1]}?"
    if elsewhere := next(places(model, str(path[-1])), None):
        return f"unknown field here; it belongs at {field_path(elsewhere)}"
    known = _known(path[:-1], model)
    return f"unknown field; {'known here are ' + listed(known) if known else 'nothing may stand here'}"


def meant(path: Path, model: type[Model]) -> Path | None:
    """The known field for which an unknown one was most likely written; None when none is near."""
    near = nearest(str(path[-1]), _known(path[:-1], model))
    return None if near is None else (*path[:-1], near)


def _known(parent: Path, model: type[Model]) -> set[str]:
    if parent == ("metadata",):
        return set(KUBERNETES_METADATA)
    owner = model_of(at(model, parent))
    return set(fields(owner)) if owner else set()


def _missing(path: Path, model: type[Model]) -> str:
    inner = model_of(below(at(model, path[:-1]), path[-1]))
    if inner:
        needed = [info.alias or n for n, info in inner.model_fields.items() if info.is_required()]
        if needed:
            return f"missing; it needs at least {listed(needed)}"
        return f"missing; it takes {listed(info.alias or n for n, info in inner.model_fields.items())}"
    return "missing; it must be given"


def _not_matching(pattern: str, path: Path, model: type[Model]) -> str:
    owner = model_of(at(model, path[:-1]))
    told = [i.description for n, i in owner.model_fields.items() if (i.alias or n) == path[-1]] if owner else []
    if told and told[0]:
        form = f"; it must match {pattern}" if len(pattern) <= _LONGEST_PATTERN else ""
        return f"does not fit: {told[0].rstrip('.')}{form}"
    return f"must match {pattern}"


def _wrong_type(kind: str, node: Node | None, value: str | None) -> str:
    expected = _EXPECTED[kind]
    if not isinstance(node, Scalar):
        return f"must be {expected}, not {_described(node)}"
    typed = resolve(node.text) if node.plain else node.text
    if expected == "a string" and not isinstance(typed, str):
        written = node.text.replace("\\", "\\\\").replace('"', '\\"')[:80]
        return f'must be a string, but unquoted it is {describe(typed)} in YAML; quote it: "{written}"'
    if isinstance(typed, str) and isinstance(resolve(node.text), int | float) and not node.plain:
        return f"must be {expected}, not a string; remove the quotes"
    if expected == "a list":
        return f"must be a list, not {describe(typed)}; write it as [{node.text[:60]}]"
    return f"must be {expected}, not {describe(typed)}" if not kind.startswith("date") else f"must be {expected}"


def _not_one_of(error: dict[str, Any], annotation: Any, value: str | None, node: Node | None) -> str:
    expected = str(error["ctx"]["expected"]).replace("'", "").replace(" or ", ", ")
    choices = [choice.strip() for choice in expected.split(",")]
    near = nearest(node.text, choices) if isinstance(node, Scalar) else None
    return f"must be one of {', '.join(choices)}" + (f"; did you mean {near}?" if near else "")


def _find(node: Node | None, path: Path) -> Node | None:
    for step in path:
        if isinstance(node, Mapping) and isinstance(step, str):
            node = node.entries.get(step)
        elif isinstance(node, Sequence) and isinstance(step, int) and step < len(node.items):
            node = node.items[step]
        else:
            return None
    return node


def _described(node: Node | None) -> str:
    return "a list" if isinstance(node, Sequence) else "a mapping"


def _shown(node: Node) -> str:
    return bounded(node.text) if isinstance(node, Scalar) else _described(node)
