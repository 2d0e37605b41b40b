"""Structured logs on standard error, for people who watch a run without a terminal or want to see commands."""

from __future__ import annotations

import logging
import sys

import structlog


def configure(verbose: int, *, live: bool) -> None:
    """Log lines from ``info`` (``debug`` with -v); only warnings while a live display owns the terminal."""
    level = logging.DEBUG if verbose else logging.WARNING if live else logging.INFO
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty()),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=False,
    )
