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
        label = f"{self._place}/{order.label}"
        log.debug("pass", label=label, tree=order.tree[:12], tests="all" if order.ids is None else len(order.ids))
        return self._inner.run(order.replacing(label=label))

    def foresee(self, orders: Sequence[PassOrder]) -> None:
        """As the inner runner."""
        self._inner.foresee([order.replacing(label=f"{self._place}/{order.label}") for order in orders])
