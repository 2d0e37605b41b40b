"""What a store keeps of its cache: the newest logs and the journals of unfinished work, within bounds.

Verdicts rest on evidence, never on what lies here, so anything may go; the oldest goes first. Each log is bounded
where it is written. Mirrors and environments are left alone: they are what makes the next run quick.

Layout of ``cache/logs``::

    runs/TIME-PID.log            everything a command said
    bases/NAME/*.log             output of the base's own passes
    candidates/NAME/*.log        output of a candidate's passes
    grades/NAME/*.log            output of grading and replaying a task
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from pathlib import Path

from change2task.runtime import trees

RUN_LOGS = 50
FOLDERS = 1000
"""Candidates, or graded tasks, whose logs are kept."""
FOLDER_BYTES = 256 << 20
"""All logs of candidates together, and all of graded tasks."""
JOURNALS = 1000


def tidy(cache: Path) -> None:
    """Bring logs and journals back within their bounds; call it with the store held, never while passes run."""
    logs = cache / "logs"
    _drop(_newest_first(logs / "runs")[RUN_LOGS:])
    for kind in ("bases", "candidates", "grades"):
        _bound(_newest_first(logs / kind), FOLDERS, FOLDER_BYTES)
    _drop(_newest_first(cache / "journal")[JOURNALS:])


def _newest_first(folder: Path) -> list[Path]:
    ages: list[tuple[float, str, Path]] = []
    with contextlib.suppress(FileNotFoundError):
        ages = [(entry.lstat().st_mtime, entry.name, entry) for entry in folder.iterdir()]
    return [entry for _, _, entry in sorted(ages, reverse=True)]


def _bound(newest_first: list[Path], count: int, limit: int) -> None:
    total = 0
    for place, folder in enumerate(newest_first):
        total += sum(file.lstat().st_size for file in folder.rglob("*"))
        if place >= count or total > limit:
            _drop(newest_first[place:])
            return


def _drop(entries: Iterable[Path]) -> None:
    for entry in entries:
        trees.remove(entry)
