"""Runners for tests: what they share beside running."""

from __future__ import annotations

from collections.abc import Sequence

from change2task.api.modernbase import Scope
from change2task.checks.passes import PassOrder, PassRecord
from change2task.pipeline.ports import BaseOnHand
from change2task.vcs.repository import Repository


class OneByOne:
    """Runs each pass when it is asked for."""

    def foresee(self, orders: Sequence[PassOrder]) -> None:
        """Nothing is prepared."""


class NoRuns(OneByOne):
    """For what is decided by reading: running anything is a mistake."""

    def run(self, order: PassOrder) -> PassRecord:
        """Never asked for."""
        raise AssertionError(order)


def base_to_read(
    repository: Repository, commit: str, tree: str, healthy: frozenset[str], scope: Scope | None = None
) -> BaseOnHand:
    """A base of pytest checks on which nothing is run."""
    return BaseOnHand(
        name="b", url="u", key="k", commit=commit, tree=tree, environment_key="e", inventory_digest="i",
        healthy=healthy, other={}, check_format="pytest", scope=scope or Scope(), repository=repository,
        runner=NoRuns(),
    )  # fmt: skip
