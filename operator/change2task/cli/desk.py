"""Where a command that runs code sits: what it says and shows, whom it shares the store with, how it is stopped."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import structlog

from change2task.cli import consoles, logs
from change2task.cli.progress import LiveWatch, watching
from change2task.cli.stopping import stopping
from change2task.corpus import housekeeping
from change2task.corpus.store import Store

log = structlog.get_logger(__name__)


class Desk:
    """One command's console and watch; ``verbose`` counts -v."""

    def __init__(self, verbose: int) -> None:
        self.console = consoles.errors()
        self.watch = watching(self.console, verbose)
        logs.configure(verbose, self.console, live=isinstance(self.watch, LiveWatch))

    def say(self, text: str) -> None:
        """A line to the user, whatever is displayed."""
        self.console.print(text, soft_wrap=True, markup=False)

    @contextmanager
    def at_work(self, store: Store, *, alone: bool) -> Iterator[threading.Event]:
        """Work on a store until the event is set; ``alone`` keeps others from writing it.

        Raises StoreBusy and StoreUnwritable.
        """
        with ExitStack() as stack:
            if alone:
                stack.enter_context(store.exclusive())
                housekeeping.tidy(store.cache)
            stack.enter_context(logs.kept(store.cache / "logs" / "runs"))
            log.debug("begins", command=sys.argv[1:2], store=str(store.path))
            cancel = stack.enter_context(stopping(last=lambda: self.console.show_cursor(True)))
            stack.enter_context(self.watch)
            yield cancel
