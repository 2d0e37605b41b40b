"""What a run tells while it works: events, without a word on how they are shown."""

from __future__ import annotations

from typing import Protocol


class Reporter(Protocol):
    """Told of every stage; called from several threads."""

    def stage(self, kind: str, name: str, stage: str, detail: str = "") -> None:
        """A base or candidate (``kind``) named ``name`` enters ``stage``."""
        ...

    def ended(self, kind: str, name: str, verdict: str, detail: str = "") -> None:
        """It has come to an end."""
        ...


class Silent:
    """Tells nobody."""

    def stage(self, kind: str, name: str, stage: str, detail: str = "") -> None:
        """Nothing."""

    def ended(self, kind: str, name: str, verdict: str, detail: str = "") -> None:
        """Nothing."""
