"""Strategies that make valid resources of every shape the models allow, odd texts included."""

from __future__ import annotations

import enum
import types
import typing
from datetime import UTC, date, datetime
from typing import Any

import annotated_types
from hypothesis import assume
from hypothesis import strategies as st
from pydantic import ValidationError
from pydantic.fields import FieldInfo

from change2task.api.metadata import ObjectMeta
from change2task.api.model import Model
from change2task.api.modernbase import Checks, ModernBase
from change2task.api.patches import Patch
from change2task.api.taskcandidate import Change, CheckSpec, Script, StaticOracle, TaskCandidate
from change2task.api.taskvariant import TaskVariant

ODD_LINES = st.sampled_from(
    ["", " ", "\t", "  x", "x ", "x\t", "# no comment", "key: value", "- item", "---", "...", "|", "'", '"', "\\", "é",
     "\u2028", "\x85", "\r", "\ufeff", "\x7f", "\u0000", "😀", "null", "no", "1e5", "012", "2024-10-09", "~",
     "%TAG", "@@"]
)  # fmt: skip
TEXTS = st.one_of(
    st.text(max_size=40),
    st.lists(ODD_LINES, max_size=6).map("\n".join),
    ODD_LINES,
    st.from_regex(r"[0-9a-f]{7,12}", fullmatch=True),
)
NAMES = st.from_regex(r"[a-z0-9]([-a-z0-9]{0,9}[a-z0-9])?(\.[a-z0-9]{1,4})?", fullmatch=True)


def _constraint(metadata: list[Any], kind: type, name: str) -> Any:
    found = [getattr(m, name) for m in metadata if isinstance(m, kind)]
    return found[0] if found else None


def _texts(metadata: list[Any]) -> st.SearchStrategy[str]:
    pattern = next((m.pattern for m in metadata if getattr(m, "pattern", None)), None)
    shortest = _constraint(metadata, annotated_types.MinLen, "min_length") or 0
    texts = st.from_regex(pattern, fullmatch=True) if pattern else TEXTS
    longest = _constraint(metadata, annotated_types.MaxLen, "max_length") or 200
    return texts.filter(lambda text: shortest <= len(text) <= longest)


def values(annotation: Any, metadata: list[Any]) -> st.SearchStrategy[Any]:
    """Values that an annotation with pydantic's metadata allows."""
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Annotated:
        inner = [part for m in arguments[1:] for part in (m.metadata if isinstance(m, FieldInfo) else [m])]
        return values(arguments[0], [*metadata, *inner])
    if origin in (typing.Union, types.UnionType):
        return st.one_of(values(a, metadata) if a is not type(None) else st.none() for a in arguments)
    if origin is typing.Literal:
        return st.sampled_from(arguments)
    if origin is tuple:
        least = _constraint(metadata, annotated_types.MinLen, "min_length") or 0
        return st.lists(values(arguments[0], []), min_size=least, max_size=least + 2).map(tuple)
    if origin is dict:
        return st.dictionaries(values(arguments[0], []), values(arguments[1], []), max_size=2)
    if issubclass(annotation, Model):
        return models(annotation)
    if issubclass(annotation, enum.Enum):
        return st.sampled_from(list(annotation))
    if annotation is bool:
        return st.booleans()
    if annotation is int:
        low, high = _constraint(metadata, annotated_types.Ge, "ge"), _constraint(metadata, annotated_types.Le, "le")
        return st.integers(low if low is not None else -(2**40), high if high is not None else 2**40)
    if annotation is float:
        return st.floats(allow_nan=False, allow_infinity=False)
    if annotation is datetime:
        return st.datetimes(timezones=st.just(UTC))
    if annotation is date:
        return st.dates()
    assert annotation is str, annotation
    return _texts(metadata)


def _special(model: type[Model]) -> st.SearchStrategy[Any] | None:
    if model is Patch:
        return st.one_of(st.binary(max_size=60), TEXTS.map(str.encode)).map(Patch.of)
    if model is Change:
        return st.sampled_from(
            [Change(pull_request=603), Change(commit="12e5"), Change(commit="v1.0"), Change(range="a..b")]
        )
    if model is StaticOracle:
        return st.builds(StaticOracle, gone=st.lists(TEXTS.filter(bool), min_size=1, max_size=2), paths=st.just(()))
    if model is CheckSpec:
        return st.one_of(
            st.builds(CheckSpec, id=TEXTS.filter(bool)),
            st.builds(CheckSpec, id=TEXTS.filter(bool), kind=st.just("static"), static=models(StaticOracle)),
            st.builds(CheckSpec, id=TEXTS.filter(bool), kind=st.just("script"), script=models(Script)),
        )
    if model is Checks:
        return st.builds(Checks, timeout_seconds=st.integers(600, 900), test_timeout_seconds=st.integers(1, 600))
    if model is ObjectMeta:
        labels = st.dictionaries(TEXTS.filter(bool), TEXTS, max_size=2)
        return st.builds(ObjectMeta, name=NAMES, namespace=st.none() | st.just("team"), labels=labels)
    return None


@st.composite
def models(draw: st.DrawFn, model: type[Model]) -> Any:
    """A valid value of a model; fields with a default are left out half of the time."""
    if (special := _special(model)) is not None:
        return draw(special)
    given = {
        name: draw(values(info.annotation, list(info.metadata)))
        for name, info in model.model_fields.items()
        if info.is_required() or draw(st.booleans())
    }
    try:
        return model(**given)
    except ValidationError:
        assume(False)
        raise


RESOURCES = st.one_of(models(ModernBase), models(TaskCandidate), models(TaskVariant))
