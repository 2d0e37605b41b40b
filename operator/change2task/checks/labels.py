"""Whose pass it is: labels say it, so that logs of many candidates lie apart and a person can follow one."""

from __future__ import annotations

from collections.abc import Sequence

import structlog

from change2task.checks.passes import PassOrder, PassRecord, PassRunner

log = structlog.get_logger(__name__)


class LabelledRunner:
    """Runs passes under labels below ``place``, such as candidates/NAME."""

    def __init__(self, inner: PassRunner, place: str) -> None:
        self._inner = inner
        self._place = place

    def run(self, order: PassOrder) -> PassRecord:
        """As the inner runner."""
        told = self._labelled(order)
        log.debug("pass", label=told.label, tree=order.tree[:12], tests="all" if order.ids is None else len(order.ids))
        return self._inner.run(told)

    def foresee(self, orders: Sequence[PassOrder]) -> None:
        """As the inner runner."""
        self._inner.foresee([self._labelled(order) for order in orders])

    def _labelled(self, order: PassOrder) -> PassOrder:
        return order.replacing(label=f"{self._place}/{order.label}")
