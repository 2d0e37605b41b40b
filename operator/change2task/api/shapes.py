"""What the models allow at a place: which fields there are, what type is expected, which known name is nearest.

It reads pydantic's own field tables, so that a message can never name a field that the model does not have.
"""

from __future__ import annotations

import difflib
import types
import typing
from collections.abc import Iterable, Iterator
from typing import Any

from pydantic.alias_generators import to_camel

from change2task.api.model import Model
from change2task.api.yamltree import Path


def bare(annotation: Any) -> Any:
    """The annotation without ``| None``."""
    if typing.get_origin(annotation) in (typing.Union, types.UnionType):
        members = [a for a in typing.get_args(annotation) if a is not type(None)]
        if len(members) == 1:
            return members[0]
    return annotation


def model_of(annotation: Any) -> type[Model] | None:
    """The model that stands at this annotation, or None when it is a scalar or a collection."""
    inner = bare(annotation)
    return inner if isinstance(inner, type) and issubclass(inner, Model) else None


def fields(model: type[Model]) -> dict[str, Any]:
    """Annotation by name on the wire."""
    return {info.alias or name: info.annotation for name, info in model.model_fields.items()}


def below(annotation: Any, step: str | int) -> Any:
    """The annotation one step further down; Any where the models say nothing."""
    inner = bare(annotation)
    if model := model_of(inner):
        return fields(model).get(str(step), Any)
    arguments = typing.get_args(inner)
    if typing.get_origin(inner) is dict:
        return arguments[1]
    if typing.get_origin(inner) is tuple:
        return arguments[0]
    return Any


def at(annotation: Any, path: Path) -> Any:
    """The annotation at the end of a path."""
    for step in path:
        annotation = below(annotation, step)
    return annotation


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that this one was most likely meant to be, or None when none is near."""
    by_folded = {k.lower(): k for k in known}
    folded = to_camel(name).lower() if "_" in name else name.lower().replace("-", "")
    if folded in by_folded:
        return by_folded[folded]
    found = difflib.get_close_matches(folded[:128], by_folded, n=1, cutoff=0.6)
    return by_folded[found[0]] if found else None


def places(model: type[Model], name: str, path: Path = ()) -> Iterator[Path]:
    """Paths below a model at which there is a field of this name (collections are not entered)."""
    for alias, annotation in fields(model).items():
        if alias == name:
            yield (*path, alias)
        if inner := model_of(annotation):
            yield from places(inner, name, (*path, alias))
