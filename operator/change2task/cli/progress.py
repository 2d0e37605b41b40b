"""How a run is watched: one live line a resource on a terminal, structured log lines otherwise, never both."""

from __future__ import annotations

import threading
import time
from types import TracebackType
from typing import Self

import structlog
from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

log = structlog.get_logger(__name__)


class LogReporter:
    """Every stage as a log line."""

    def __enter__(self) -> Self:
        """Nothing to open."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Nothing to close."""

    def stage(self, kind: str, name: str, stage: str, detail: str = "") -> None:
        """One line."""
        log.info("stage", kind=kind, name=name, stage=stage, **({"detail": detail} if detail else {}))

    def ended(self, kind: str, name: str, verdict: str, detail: str = "") -> None:
        """One line."""
        log.info("ended", kind=kind, name=name, verdict=verdict, **({"detail": detail} if detail else {}))


class LiveReporter:
    """What is being worked on now, redrawn in place; ended resources scroll by above it."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._lock = threading.Lock()
        self._working: dict[tuple[str, str], tuple[str, str, float]] = {}
        self._done = 0
        self._live = Live(get_renderable=self._table, console=console, refresh_per_second=4, transient=True)

    def __enter__(self) -> Self:
        """Start drawing."""
        self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop drawing."""
        self._live.stop()

    def stage(self, kind: str, name: str, stage: str, detail: str = "") -> None:
        """Remember what this resource is at."""
        with self._lock:
            started = self._working.get((kind, name), ("", "", time.monotonic()))[2]
            self._working[(kind, name)] = (stage, detail, started)

    def ended(self, kind: str, name: str, verdict: str, detail: str = "") -> None:
        """Let it scroll by."""
        with self._lock:
            started = self._working.pop((kind, name), ("", "", time.monotonic()))[2]
            self._done += 1
        seconds = time.monotonic() - started
        style = "green" if verdict in {"accepted", "ready"} else "yellow"
        self._console.print(
            Text.assemble((f"{verdict:>22} ", style), (f"{kind} ", "dim"), name, (f"  {seconds:.1f} s", "dim"))
        )

    def _table(self) -> Table:
        table = Table.grid(padding=(0, 1))
        with self._lock:
            for (kind, name), (stage, detail, started) in self._working.items():
                table.add_row(
                    Text(f"{time.monotonic() - started:5.1f} s", "dim"),
                    Text(kind, "dim"),
                    Text(name),
                    Text(stage, "cyan"),
                    Text(detail, "dim"),
                )
        return table
