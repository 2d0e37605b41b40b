"""What a run tells while it works: events, without a word on how they are shown."""

from __future__ import annotations

from typing import Literal, Protocol

Kind = Literal["base", "candidate"]


class Reporter(Protocol):
    """Told of every stage; called from several threads."""

    def planned(self, candidates: int) -> None:
        """So many candidates will be worked on."""
        ...

    def stage(self, kind: Kind, name: str, stage: str, detail: str = "") -> None:
        """A base or candidate named ``name`` enters ``stage``."""
        ...

    def ended(self, kind: Kind, name: str, outcome: str, detail: str = "") -> None:
        """It has come to an end: ``ready``, ``accepted``, ``no verdict``, or the reason of its rejection."""
        ...


class Silent:
    """Tells nobody: where nobody watches."""

    def planned(self, candidates: int) -> None:
        """See Reporter."""

    def stage(self, kind: Kind, name: str, stage: str, detail: str = "") -> None:
        """See Reporter."""

    def ended(self, kind: Kind, name: str, outcome: str, detail: str = "") -> None:
        """See Reporter."""
