"""What a command says while it works: to a person on standard error, and in full to a file of the store.

A person gets lines or a live display, never both: while a display owns the terminal, warnings are printed through
it and everything else goes to the file only. Every run has its file, of a bounded size; how many are kept is decided
in ``corpus.housekeeping``.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from logging.handlers import RotatingFileHandler
from pathlib import Path

import structlog
from rich.console import Console
from rich.text import Text

from change2task.corpus.errors import StoreUnwritable

log = structlog.get_logger(__name__)

RUN_LOG_BYTES = 8 << 20
"""Of a run's file; beyond it the older half is dropped."""
DETAIL_SIGNS = 300
"""Of a verdict's message on the console; ``explain`` tells it whole."""
_ROOT = "change2task"
_BEFORE: list[structlog.typing.Processor] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_log_level,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
]


class _Lines(logging.Handler):
    """Lines on a console, above whatever it displays live."""

    def __init__(self, console: Console) -> None:
        super().__init__()
        self._console = console

    def emit(self, record: logging.LogRecord) -> None:
        line = Text.from_ansi(self.format(record))
        try:
            self._console.print(line, soft_wrap=True)
        except OSError:
            # Nobody can be told any more; work goes on.
            self._console.quiet = True


def configure(verbose: int, console: Console, *, live: bool) -> None:
    """Lines from ``info`` on (``debug`` with -v) on the console; warnings alone while it displays live."""
    lines = _Lines(console)
    lines.setLevel(logging.DEBUG if verbose else logging.WARNING if live else logging.INFO)
    lines.setFormatter(_formatter(_cut, colors=console.is_terminal and not console.no_color))
    root = logging.getLogger(_ROOT)
    root.handlers = [lines]
    root.setLevel(logging.DEBUG)
    root.propagate = False
    structlog.configure(
        processors=[*_BEFORE, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        wrapper_class=structlog.stdlib.BoundLogger,
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=False,
    )


class _File(RotatingFileHandler):
    """A file that, once it cannot be written, is said so and left alone: a log is no reason to stop a run."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - the library's name
        logging.getLogger(_ROOT).removeHandler(self)
        log.warning("the log of this run goes on no further", path=self.baseFilename, error=str(sys.exception()))


@contextmanager
def kept(folder: Path) -> Iterator[None]:
    """Everything that is said, debugging included, goes to a new file in ``folder`` too; raises StoreUnwritable."""
    path = folder / f"{datetime.now(UTC):%Y-%m-%dT%H-%M-%S}-{os.getpid()}.log"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file = _File(path, maxBytes=RUN_LOG_BYTES // 2, backupCount=1, encoding="utf-8")
    except OSError as error:
        raise StoreUnwritable(path, error) from error
    file.setFormatter(_formatter(colors=False))
    root = logging.getLogger(_ROOT)
    root.addHandler(file)
    try:
        yield
    finally:
        root.removeHandler(file)
        file.close()


def _cut(_logger: object, _name: str, said: structlog.typing.EventDict) -> structlog.typing.EventDict:
    """What is told of a verdict, so that one verdict does not fill the screen; the file has it whole."""
    detail = said.get("detail")
    if isinstance(detail, str) and len(detail) > DETAIL_SIGNS:
        said["detail"] = f"{detail[: DETAIL_SIGNS - 1]}…"
    return said


def _formatter(*first: structlog.typing.Processor, colors: bool) -> logging.Formatter:
    return structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=_BEFORE,
        processors=[
            *first,
            structlog.stdlib.ProcessorFormatter.remove_processors_meta,
            structlog.processors.format_exc_info,
            structlog.dev.ConsoleRenderer(colors=colors, sort_keys=False),
        ],
    )
