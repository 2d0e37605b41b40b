"""A run that tells nobody."""

from __future__ import annotations

from change2task.pipeline.progress import Kind


class Silent:
    """A reporter without a listener."""

    def planned(self, candidates: int) -> None:
        """Nothing."""

    def stage(self, kind: Kind, name: str, stage: str, detail: str = "") -> None:
        """Nothing."""

    def ended(self, kind: Kind, name: str, outcome: str, detail: str = "") -> None:
        """Nothing."""
