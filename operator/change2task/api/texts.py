r"""Bounded kinds of text that the resources share.

Every text of a spec has a bound, because the API server estimates the cost of a rule from it and because a
manifest is read from strangers. Patterns mean the same to Go's RE2, which the API server uses, and to Rust's regex,
which pydantic uses: no look-around, and no classes like ``\s`` that are Unicode's in one and ASCII's in the other.
"""

from __future__ import annotations

import re
from typing import Annotated, Final

from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema

BLANKS: Final = r"\x00-\x20\x7f-\xa0"
"""Blanks and control characters, as the inside of a regular expression's class."""

Glob = Annotated[str, Field(min_length=1, max_length=1024)]
"""A path glob: ``**`` crosses folders, ``*`` does not."""

ShellCommand = Annotated[str, Field(min_length=1, max_length=32_768)]
"""One command line for ``sh -c``."""

Word = Annotated[str, Field(min_length=1, max_length=32_768)]
"""One word of an argument vector."""

Value = Annotated[str, Field(max_length=32_768)]
"""The value of an environment variable; may be empty."""

Revspec = Annotated[str, Field(min_length=1, max_length=255, pattern=rf"^[^-{BLANKS}][^{BLANKS}]*$")]
"""A commit, tag or branch; never an option."""

LabelValue = Annotated[str, Field(max_length=63, pattern=r"^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$")]
"""The value of a Kubernetes label."""

_KEY: Final = re.compile(
    r"([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?", re.ASCII
)


def _as_key(value: str) -> str:
    if _KEY.fullmatch(value) is None:
        raise ValueError(
            f"{value[:80]!r} is no key of Kubernetes: at most 63 of letters, digits, '-', '_' and '.', beginning and"
            " ending with a letter or digit, and before it, if at all, a domain and a slash"
        )
    return value


# No rule of the API server says this: a schema knows no patterns for the keys of a map.
Key = Annotated[str, Field(min_length=1, max_length=317), AfterValidator(_as_key)]
"""A Kubernetes label key: optional prefix of 253 characters, a slash, 63 characters."""


def _as_text(value: object) -> object:
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


Quantity = Annotated[
    str,
    BeforeValidator(_as_text),
    Field(max_length=64, pattern=r"^\+?([0-9]+|[0-9]+\.[0-9]*|\.[0-9]+)([numkMGTPE]|[KMGTPE]i|[eE][+-]?[0-9]+)?$"),
    WithJsonSchema(
        {
            "anyOf": [{"type": "integer"}, {"type": "string"}],
            "x-kubernetes-int-or-string": True,
            "maxLength": 64,
            "pattern": r"^\+?([0-9]+|[0-9]+\.[0-9]*|\.[0-9]+)([numkMGTPE]|[KMGTPE]i|[eE][+-]?[0-9]+)?$",
        }
    ),
]
"""A Kubernetes quantity like ``500m``, ``2`` or ``1Gi``; a bare number is one too."""
