"""Passes of an unfinished candidate, kept so that a killed run goes on where it was.

Only while the candidate has no verdict: a finished one's journal is dropped, and a replay never reads it. An
entry that is not whole counts as absent.
"""

from __future__ import annotations

import contextlib

import structlog
from pydantic import ValidationError

from change2task.checks.passes import PassOrder, PassRecord, PassRunner
from change2task.corpus.store import Store
from change2task.runtime import trees
from change2task.validate.rounds import fault_of

log = structlog.get_logger(__name__)


class JournalRunner:
    """Answers a pass from the journal when it has been run before, else runs and notes it."""

    def __init__(self, inner: PassRunner, store: Store, name: str, key: str) -> None:
        self._inner = inner
        self._name = name
        self._store = store
        self._folder = store.cache / "journal" / key[:32]

    def run(self, order: PassOrder) -> PassRecord:
        """As the inner runner; a pass that gave no verdict is not noted, so that it is run again."""
        path = self._folder / f"{order.key()[:32]}.json"
        with contextlib.suppress(FileNotFoundError, ValidationError):
            record = PassRecord.model_validate_json(path.read_bytes())
            log.debug("pass.from_journal", label=order.label)
            return record
        record = self._inner.run(order.replacing(label=f"{self._name}/{order.label}"))
        if fault_of(record) is None:
            self._folder.mkdir(parents=True, exist_ok=True)
            self._store.write(path, record.model_dump_json().encode())
        return record

    def drop(self) -> None:
        """Forget this candidate's passes."""
        trees.remove(self._folder)
