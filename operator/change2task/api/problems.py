"""A fault of a manifest as a person needs it: where it stands, what was written, and the way out.

Faults of a repository, a change or a machine are no problems of this kind; they are reasons on a condition.
"""

from __future__ import annotations

from collections.abc import Iterable

from change2task.api.model import Model
from change2task.api.yamltree import Path

LONGEST_VALUE = 80


class Problem(Model):
    """One fault. ``document_index`` and ``line`` count from 1; 0 means that the fault is the whole source's."""

    source: str
    document_index: int = 0
    line: int = 0
    kind: str | None = None
    name: str | None = None
    field: str = ""
    value: str | None = None
    message: str

    def __str__(self) -> str:
        """One line: ``base.yaml:12: ModernBase towncrier: spec.checks: … (got …)``."""
        parts = [f"{self.source}:{self.line}" if self.line else self.source]
        owner = " ".join(word for word in (self.kind, self.name) if word)
        if owner or self.document_index > 1:
            parts.append(owner or f"document {self.document_index}")
        if self.field:
            parts.append(self.field)
        shown = f" (got {self.value})" if self.value is not None else ""
        return ": ".join((*parts, self.message + shown))


def field_path(path: Path) -> str:
    """``spec.checks.command[0]``, as kubectl writes paths; keys that hold other signs stand in brackets."""
    written = ""
    for step in path:
        if isinstance(step, int):
            written += f"[{step}]"
        elif step.replace("-", "").replace("_", "").isalnum() and step.isascii():
            written += f".{step}" if written else step
        else:
            written += f"[{bounded(step)}]"
    return written


def bounded(value: object, longest: int = LONGEST_VALUE) -> str:
    """The value's repr, cut in the middle of nothing: at most ``longest`` signs and one that says it was cut."""
    text = repr(value[: longest + 1] if isinstance(value, str) else value)
    return text if len(text) <= longest + 2 else text[:longest] + "…"


def listed(names: Iterable[str], most: int = 12) -> str:
    """``a, b, c``, and how many more there are."""
    every = sorted(names)
    more = f" and {len(every) - most} more" if len(every) > most else ""
    return ", ".join(every[:most]) + more
