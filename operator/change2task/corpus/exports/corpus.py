"""A whole export out of tasks: each in its format, and beside them manifest, card and splits. Pure.

It exists so that what is common to all formats is said once. A task that a format cannot hold is left out by name, with
the reason in manifest and card.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from change2task.corpus.exports import swebench
from change2task.corpus.exports.card import card
from change2task.corpus.exports.environment import as_json
from change2task.corpus.exports.harbor import harbor_task
from change2task.corpus.exports.manifest import manifest, versions_after
from change2task.corpus.exports.oci import layout
from change2task.corpus.exports.rows import TaskRow, rows_file, task_row
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
    """All files, the tasks they hold, and why others are not held."""

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
) -> Export:
    """The export; ``earlier`` is the predicate of the one it replaces.

    ``left_out`` says what was not read and why, ``unasked`` the same of what nobody asked for.
    """
    why = dict(left_out or {})
    kept, duplicates = without_duplicates(tasks)
    flagged = {task.id: overlaps(task, wishes.known) for task in kept}
    rendered = _Rendered(wishes)
    for task in kept:
        try:
            rendered.add(task, flagged[task.id])
        except NotExportable as refusal:
            why[task.id] = str(refusal)
    held = [task for task in kept if task.id not in why]
    told = {one.task: f"it is nearly the same as {one.like}" for one in duplicates}
    versions = versions_after(earlier, held, {**(unasked or {}), **told, **why})
    split = splits(held, wishes.boundary)
    flagged = {task.id: flagged[task.id] for task in held}
    files = rendered.files()
    files[SPLITS] = File(as_json(split))
    files[README] = File(
        card(
            held,
            export_format=wishes.format,
            tool=wishes.tool,
            left_out=why,
            duplicates=duplicates,
            overlapping=flagged,
            split=split,
            version=versions[-1]["version"],
        )
    )
    files[MANIFEST] = File(
        manifest(
            files,
            held,
            export_format=wishes.format,
            tool=wishes.tool,
            left_out=why,
            duplicates=duplicates,
            overlapping=flagged,
            versions=versions,
        )
    )
    names = tuple(task.id for task in held)
    return Export(files, names, why, tuple(duplicates), flagged, versions[-1])


class _Rendered:
    """Tasks in one format, as they are added."""

    def __init__(self, wishes: Wishes) -> None:
        self._wishes = wishes
        self._files: Files = {}
        self._rows: list[TaskRow] = []
        self._lines: list[bytes] = []
        self._artefacts: dict[str, tuple[bytes, Files]] = {}

    def add(self, task: ExportTask, flagged: tuple[str, ...]) -> None:
        """Raises NotExportable, and then holds nothing of the task."""
        kind = self._wishes.format
        if kind == "harbor":
            self._files |= {f"{task.id}/{n}": f for n, f in harbor_task(task, self._wishes.images).items()}
        elif kind == "swe-bench":
            row = swebench.swebench_row(task, flagged)
            self._lines.append(json.dumps(row, sort_keys=True, ensure_ascii=False).encode() + b"\n")
        elif kind == "jsonl":
            self._rows.append(task_row(task, flagged))
        else:
            folder = harbor_task(task, self._wishes.images)
            self._artefacts[task.id] = (task_row(task, flagged).canonical(), folder)

    def files(self) -> Files:
        """What the format's own files are."""
        kind = self._wishes.format
        if kind == "swe-bench":
            return {swebench.FILE: File(b"".join(self._lines))}
        if kind == "jsonl":
            return rows_file(self._rows)
        return layout(self._artefacts) if kind == "oci" else dict(self._files)
