"""Passes remembered across configurations and starts: the same tree, tests and perturbation are run once.

It makes a comparison of ladders a comparison of ladders, since equal proposals meet equal results, and it makes the
benchmark resumable. Passes that gave no verdict are not kept.
"""

from __future__ import annotations

from pathlib import Path

from change2task.checks.passes import PassOrder, PassRecord, PassRunner
from change2task.validate.rounds import fault_of
from tests.support.runners import OneByOne


class RememberedRunner(OneByOne):
    """Answers from its folder, else runs."""

    def __init__(self, inner: PassRunner, folder: Path) -> None:
        self._inner = inner
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def run(self, order: PassOrder) -> PassRecord:
        path = self._folder / f"{order.key()}.json"
        if path.is_file():
            return PassRecord.model_validate_json(path.read_bytes())
        record = self._inner.run(order)
        if fault_of(record) is None:
            part = path.with_suffix(f".{id(record)}.part")
            part.write_text(record.model_dump_json())
            part.replace(path)
        return record
