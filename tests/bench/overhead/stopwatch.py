"""Where a pass's time goes: wall seconds by part, taken around the product's own functions while they run as they are.

Parts do not overlap, but for git, which is also spent within others. Sums over all threads.
"""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import wraps
from typing import Any

import pytest

from change2task.checks import running
from change2task.checks.passes import PassOrder, PassRecord
from change2task.checks.readers.go_test import GoTestReader
from change2task.checks.readers.pytest import PytestReader
from change2task.checks.running import SandboxRunner
from change2task.runtime.environment import Environment
from change2task.vcs.process import Git

_PARTS: tuple[tuple[str, Any, str], ...] = (
    ("materialise", running, "materialise"),
    ("leftovers", Environment, "lay_leftovers"),
    ("plan", running, "plan_pass"),
    ("plan", running, "_write_plan"),
    ("sandbox", SandboxRunner, "_run_to_completion"),
    ("reader", PytestReader, "read"),
    ("reader", GoTestReader, "read"),
    ("git", Git, "run"),
)


@dataclass
class Stopwatch:
    """Counts while it is attached; ``orders`` are the passes that were run, in the order they ended."""

    seconds: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    calls: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    orders: list[tuple[PassOrder, PassRecord]] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def attach(self, patch: pytest.MonkeyPatch) -> None:
        for part, owner, name in _PARTS:
            patch.setattr(owner, name, self._timed(part, getattr(owner, name)))
        run = SandboxRunner.run

        def recorded(runner: SandboxRunner, order: PassOrder) -> PassRecord:
            record = run(runner, order)
            with self._lock:
                self.orders.append((order, record))
            self._count("pass", record.seconds)
            return record

        patch.setattr(SandboxRunner, "run", recorded)

    def _timed(self, part: str, function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def timed(*args: Any, **kwargs: Any) -> Any:
            started = time.monotonic()
            try:
                return function(*args, **kwargs)
            finally:
                self._count(part, time.monotonic() - started)

        return timed

    def _count(self, part: str, seconds: float) -> None:
        with self._lock:
            self.seconds[part] += seconds
            self.calls[part] += 1
