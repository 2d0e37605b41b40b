"""A candidate's time is bounded: after its deadline no pass is begun, and it is left undecided."""

from __future__ import annotations

import time

from change2task.checks.passes import PassOrder, PassRecord, PassRunner
from tests.support.runners import OneByOne


class Late(Exception):
    """The candidate had no time left for another pass."""


class Bounded(OneByOne):
    """Passes on until ``seconds`` of wall time after it was made; belongs to one candidate."""

    def __init__(self, inner: PassRunner, seconds: float) -> None:
        self._inner = inner
        self._until = time.monotonic() + seconds
        self._seconds = seconds
        self.passes = 0

    def run(self, order: PassOrder) -> PassRecord:
        if time.monotonic() > self._until:
            raise Late(f"not decided within {self._seconds:.0f} s")
        self.passes += 1
        return self._inner.run(order)
