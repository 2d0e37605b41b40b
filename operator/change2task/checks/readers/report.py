"""What a report says, in the words of no format, and why one cannot be used.

It exists so that each format is a function from hostile bytes to this, and ids are made in one place.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from change2task.checks.results import Phase, TestOutcome


class NotReadable(Exception):
    """A report is not what its format says; str() is a sentence without its end: `is not well-formed: …`."""


@dataclass(frozen=True, slots=True)
class Told:
    """One test as a report tells it: names as they stand there (empty where absent), outcome, seconds."""

    name: str
    outcome: TestOutcome
    file: str = ""
    owner: str = ""
    signature: str | None = None
    phase: Phase | None = None
    seconds: float = 0.0


@dataclass(slots=True)
class Report:
    """A whole report. `wanting` says what of it is not there though it should be, `notes` are oddities."""

    tests: list[Told] = field(default_factory=list)
    wanting: str | None = None
    notes: list[str] = field(default_factory=list)


def first_line(*texts: str | None) -> str:
    """The first line that says something."""
    lines: Iterable[str] = (line for text in texts if text for line in text.splitlines())
    return next((line.strip() for line in lines if line.strip()), "")
