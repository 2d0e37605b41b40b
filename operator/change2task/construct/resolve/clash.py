"""What a resolver is given and what it answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from change2task.syntax.languages import Language


@dataclass(frozen=True, slots=True)
class Clash:
    """Lines that the change and later work both touched.

    `renamed` are names that later work gave others; `coined` those that the change brought into the file.
    """

    base: tuple[bytes, ...]
    ours: tuple[bytes, ...]
    theirs: tuple[bytes, ...]
    language: Language | None = None
    renamed: tuple[tuple[bytes, bytes], ...] = ()
    coined: frozenset[bytes] = frozenset()


@dataclass(frozen=True, slots=True)
class Settled:
    """The lines a clash is resolved to, and how, for the record."""

    lines: tuple[bytes, ...]
    how: str


Resolver = Callable[[Clash], Settled | None]
"""Gives None where it does not know; never raises."""
