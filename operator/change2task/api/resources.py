"""The three kinds by name, and where one of them was written."""

from __future__ import annotations

from typing import Final, NamedTuple

from change2task.api.modernbase import ModernBase
from change2task.api.taskcandidate import TaskCandidate
from change2task.api.taskvariant import TaskVariant

Resource = ModernBase | TaskCandidate | TaskVariant

KINDS: Final[dict[str, type[Resource]]] = {
    "ModernBase": ModernBase,
    "TaskCandidate": TaskCandidate,
    "TaskVariant": TaskVariant,
}


class Origin(NamedTuple):
    """Where a resource was written; document and line count from 1."""

    source: str
    document: int
    line: int
