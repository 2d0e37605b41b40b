"""A whole export out of tasks: each in its format, and beside them manifest, card and splits. Pure.

It exists so that what is common to all formats is said once. A task that a format cannot hold is left out by name, with
the reason in manifest and card.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from change2task.corpus.exports import rows, swebench
from change2task.corpus.exports.card import card
from change2task.corpus.exports.environment import as_json
from change2task.corpus.exports.harbor import harbor_task
from change2task.corpus.exports.manifest import manifest, versions_after
from change2task.corpus.exports.oci import artefact, layout
from change2task.corpus.exports.rows import task_row
from change2task.corpus.exports.selection import Duplicate, overlaps, splits, without_duplicates
from change2task.corpus.exports.task import MANIFEST, README, ExportTask, File, Files, NotExportable

Format = Literal["harbor", "swe-bench", "jsonl", "oci"]
SPLITS = "splits.json"


@dataclass(frozen=True)
class Wishes:
    """What is asked of an export; ``images`` replace start images by name, ``boundary`` is a day."""

    format: Format
    tool: str
    images: Mapping[str, str] = field(default_factory=dict)
    known: frozenset[str] = frozenset()
    boundary: str | None = None


@dataclass(frozen=True)
class Export:
    """The tasks that are held, and why others are not; ``files`` are those that nobody took as they came."""

    files: Files
    held: tuple[str, ...]
    left_out: Mapping[str, str]
    duplicates: tuple[Duplicate, ...]
    overlapping: Mapping[str, tuple[str, ...]]
    version: Mapping[str, Any]


def export(
    tasks: Sequence[ExportTask],
    wishes: Wishes,
    *,
    earlier: Mapping[str, Any] | None = None,
    left_out: Mapping[str, str] | None = None,
    unasked: Mapping[str, str] | None = None,
    take: Callable[[Files], None] | None = None,
) -> Export:
    """The export; ``earlier`` is the predicate of the one it replaces, ``take`` is given files as they are made.

    ``left_out`` says what was not read and why, ``unasked`` the same of what nobody asked for.
    """
    why = dict(left_out or {})
    kept, duplicates = without_duplicates(tasks)
    flagged = {task.id: overlaps(task, wishes.known) for task in kept}
    out = _Taken(take)
    rendered = _Rendered(wishes, out)
    for task in kept:
        try:
            rendered.add(task, flagged[task.id])
        except NotExportable as refusal:
            why[task.id] = str(refusal)
    rendered.end()
    held = [task for task in kept if task.id not in why]
    told = {one.task: f"it is nearly the same as {one.like}" for one in duplicates}
    versions = versions_after(earlier, held, {**(unasked or {}), **told, **why})
    split = splits(held, wishes.boundary)
    flagged = {task.id: flagged[task.id] for task in held}
    common: dict[str, Any] = {
        "export_format": wishes.format,
        "tool": wishes.tool,
        "left_out": why,
        "duplicates": duplicates,
        "overlapping": flagged,
    }
    out(
        {SPLITS: File(as_json(split)), README: File(card(held, split=split, version=versions[-1]["version"], **common))}
    )
    out({MANIFEST: File(manifest(out.digests, held, versions=versions, **common))})
    names = tuple(task.id for task in held)
    return Export(out.files, names, why, tuple(duplicates), flagged, versions[-1])


class _Taken:
    """Files on their way out: their checksums are kept, and they themselves where nobody takes them."""

    def __init__(self, take: Callable[[Files], None] | None) -> None:
        self.files: Files = {}
        self.digests: dict[str, str] = {}
        self._take = take or self.files.update

    def __call__(self, files: Files) -> None:
        self.digests |= {name: hashlib.sha256(file.content).hexdigest() for name, file in files.items()}
        self._take(files)


class _Rendered:
    """Tasks in one format, one after another, so that only one at a time is held whole."""

    def __init__(self, wishes: Wishes, out: _Taken) -> None:
        self._wishes, self._out = wishes, out
        self._lines: list[bytes] = []
        self._artefacts: list[dict[str, Any]] = []

    def add(self, task: ExportTask, flagged: tuple[str, ...]) -> None:
        """Raises NotExportable, and then nothing of the task was taken."""
        kind = self._wishes.format
        if kind == "swe-bench":
            row = swebench.swebench_row(task, flagged)
            self._lines.append(json.dumps(row, sort_keys=True, ensure_ascii=False).encode())
        elif kind == "jsonl":
            self._lines.append(task_row(task, flagged).canonical())
        else:
            folder = harbor_task(task, self._wishes.images)
            if kind == "harbor":
                self._out({f"{task.id}/{name}": file for name, file in folder.items()})
                return
            blobs, line = artefact(task.id, task_row(task, flagged).canonical(), folder)
            self._artefacts.append(line)
            self._out(blobs)

    def end(self) -> None:
        """What stands for all tasks together."""
        kind = self._wishes.format
        if kind == "oci":
            self._out(layout(self._artefacts))
        elif kind != "harbor":
            name = swebench.FILE if kind == "swe-bench" else rows.FILE
            self._out({name: File(b"".join(line + b"\n" for line in self._lines))})
