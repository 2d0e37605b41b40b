"""Runners for tests: what they share beside running."""

from __future__ import annotations

from collections.abc import Sequence

from change2task.checks.passes import PassOrder, PassRecord


class OneByOne:
    """Runs each pass when it is asked for."""

    def foresee(self, orders: Sequence[PassOrder]) -> None:
        """Nothing is prepared."""


class NoRuns(OneByOne):
    """For what is decided by reading: running anything is a mistake."""

    def run(self, order: PassOrder) -> PassRecord:
        """Never asked for."""
        raise AssertionError(order)
