"""Passes of unfinished work, kept so that a killed run goes on where it was.

Only while there is no verdict: a finished journal is dropped, and a replay never reads one. An entry that is not
whole counts as absent, and a pass that did not come to its end is never kept, since running it again may help.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from pathlib import Path

import structlog
from pydantic import ValidationError

from change2task.checks.passes import PassOrder, PassRecord, PassRunner
from change2task.corpus.errors import StoreUnwritable
from change2task.corpus.store import Store
from change2task.runtime import trees
from change2task.validate.rounds import fault_of

log = structlog.get_logger(__name__)


class JournalRunner:
    """Answers a pass from the journal of ``key`` when it has been run before, else runs and keeps it."""

    def __init__(self, inner: PassRunner, store: Store, key: str) -> None:
        self._inner = inner
        self._store = store
        self._folder = store.cache / "journal" / key[:32]

    def run(self, order: PassOrder) -> PassRecord:
        """As the inner runner; raises StoreUnwritable too."""
        path = self._path(order)
        with contextlib.suppress(FileNotFoundError, ValidationError):
            record = PassRecord.model_validate_json(path.read_bytes())
            log.debug("pass.from_journal", label=order.label, key=path.stem)
            return record
        record = self._inner.run(order)
        if fault_of(record) is None and record.suite.finished:
            try:
                self._folder.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise StoreUnwritable(self._folder, error) from error
            self._store.write(path, record.model_dump_json().encode())
            log.debug("pass.kept", label=order.label, key=path.stem)
        return record

    def foresee(self, orders: Sequence[PassOrder]) -> None:
        """As the inner runner, for those that are not kept yet."""
        self._inner.foresee([order for order in orders if not self._path(order).exists()])

    def _path(self, order: PassOrder) -> Path:
        return self._folder / f"{order.key()[:32]}.json"

    def drop(self) -> None:
        """Forget these passes."""
        trees.remove(self._folder)
