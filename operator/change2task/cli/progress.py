"""How work is watched: a live display on a terminal, a log line for every stage otherwise, never both.

A display shows what is being worked on now and how far the whole has come; what has ended scrolls by above it.
"""

from __future__ import annotations

import threading
import time
from types import TracebackType
from typing import NamedTuple, Self

import structlog
from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from change2task.pipeline.progress import Kind, Reporter

log = structlog.get_logger(__name__)

_STYLES = {"no verdict": "red", "accepted": "green", "ready": "green"}


class Watch(Reporter):
    """A reporter that is opened while work goes on."""

    def __enter__(self) -> Self:
        """Begin to show."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Leave the console as it was."""


def watching(console: Console, verbose: int) -> Watch:
    """A live display where the console is a terminal that can redraw and no lines were asked for, else lines."""
    live = console.is_terminal and not console.is_dumb_terminal and not verbose
    return LiveWatch(console) if live else LogWatch()


class LogWatch(Watch):
    """Every stage as a log line."""

    def planned(self, candidates: int) -> None:
        """One line."""
        log.info("planned", candidates=candidates)

    def stage(self, kind: Kind, name: str, stage: str, detail: str = "") -> None:
        """One line."""
        log.info("stage", kind=kind, name=name, stage=stage, **({"detail": detail} if detail else {}))

    def ended(self, kind: Kind, name: str, outcome: str, detail: str = "") -> None:
        """One line."""
        log.info("ended", kind=kind, name=name, outcome=outcome, **({"detail": detail} if detail else {}))


class _Working(NamedTuple):
    stage: str
    detail: str
    since: float


class LiveWatch(Watch):
    """What is being worked on now, redrawn in place; the file of the run gets the lines that are not shown."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._lines = LogWatch()
        self._lock = threading.Lock()
        self._working: dict[tuple[Kind, str], _Working] = {}
        self._planned = self._done = self._accepted = 0
        self._live = Live(get_renderable=self._picture, console=console, refresh_per_second=4, transient=True)

    def __enter__(self) -> Self:
        """Start drawing."""
        self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop drawing; nothing of the display is left."""
        self._live.stop()

    def planned(self, candidates: int) -> None:
        """What the whole is."""
        self._lines.planned(candidates)
        with self._lock:
            self._planned = candidates
        self._live.refresh()

    def stage(self, kind: Kind, name: str, stage: str, detail: str = "") -> None:
        """Show what this resource is at."""
        self._lines.stage(kind, name, stage, detail)
        with self._lock:
            known = self._working.get((kind, name))
            self._working[(kind, name)] = _Working(stage, detail, known.since if known else time.monotonic())

    def ended(self, kind: Kind, name: str, outcome: str, detail: str = "") -> None:
        """Let it scroll by."""
        self._lines.ended(kind, name, outcome, detail)
        with self._lock:
            known = self._working.pop((kind, name), None)
            if kind == "candidate":
                self._done += 1
                self._accepted += outcome == "accepted"
        words: list[str | tuple[str, str]] = [
            (f"{outcome:>22} ", _STYLES.get(outcome, "yellow")),
            (f"{kind} ", "dim"),
            name,
        ]
        if known is not None:
            words.append((f"  {time.monotonic() - known.since:.1f} s", "dim"))
        self._console.print(Text.assemble(*words), soft_wrap=True)

    def _picture(self) -> Group:
        table = Table.grid(padding=(0, 1))
        for _ in range(5):
            table.add_column(no_wrap=True, overflow="ellipsis")
        with self._lock:
            for (kind, name), (stage, detail, since) in self._working.items():
                seconds = f"{time.monotonic() - since:5.1f} s"
                table.add_row(
                    Text(seconds, "dim"), Text(kind, "dim"), Text(name), Text(stage, "cyan"), Text(detail, "dim")
                )
            whole = f"{self._done} of {self._planned} candidates, {self._accepted} accepted" if self._planned else ""
        return Group(table, Text(whole, "dim", no_wrap=True, overflow="ellipsis"))
