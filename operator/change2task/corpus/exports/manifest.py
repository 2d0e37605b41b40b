"""``MANIFEST.json``: what an export holds, with checksums, where it comes from, and what changed since the last one.

It is an in-toto statement: its subjects are the files, its predicate says of each task which change, base and gates it
rests on. Nothing in it is of the day it was written, so equal exports have equal manifests. Signing it is left to
whoever publishes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from change2task.corpus.exports.environment import as_json
from change2task.corpus.exports.rows import moment
from change2task.corpus.exports.selection import ALIKE, Duplicate
from change2task.corpus.exports.task import MANIFEST, ExportTask

STATEMENT: Final = "https://in-toto.io/Statement/v1"
PREDICATE: Final = "https://change2task.dev/export/v1"


class EarlierUnreadable(Exception):
    """What lies there as a manifest is none of ours; str() says how."""


def manifest(
    digests: Mapping[str, str],
    tasks: Sequence[ExportTask],
    *,
    export_format: str,
    tool: str,
    left_out: Mapping[str, str],
    duplicates: Sequence[Duplicate],
    overlapping: Mapping[str, Sequence[str]],
    versions: Sequence[Mapping[str, Any]],
) -> bytes:
    """The statement over all other files, path to SHA-256; ``left_out`` is task to sentence."""
    predicate = {
        "format": export_format,
        "tool": {"name": "change2task", "version": tool},
        "tasks": [_provenance(task) for task in tasks],
        "leftOut": dict(sorted(left_out.items())),
        "nearDuplicates": {
            "measure": "Jaccard index of changed lines of the answers, within a repository and kind of answer",
            "threshold": ALIKE,
            "removed": [{"task": one.task, "like": one.like, "likeness": one.likeness} for one in duplicates],
        },
        "overlaps": {task: list(ids) for task, ids in sorted(overlapping.items()) if ids},
        "versions": list(versions),
    }
    return as_json(
        {
            "_type": STATEMENT,
            "subject": [{"name": name, "digest": {"sha256": digests[name]}} for name in sorted(digests)],
            "predicateType": PREDICATE,
            "predicate": predicate,
        }
    )


def _provenance(task: ExportTask) -> dict[str, Any]:
    spec = task.variant.spec
    return {
        "task": task.id,
        "candidate": task.name,
        "repository": spec.base.repository,
        "sourceChange": {**spec.source_change.document(), "committed": moment(task.changed)},
        "base": spec.base.document(),
        "trees": spec.trees.document(),
        "level": spec.level,
        "strategy": spec.strategy,
        "fidelity": spec.fidelity.document(),
        "checks": {
            "targets": len(spec.checks.targets),
            "observers": len(spec.checks.observers),
            "regression": spec.checks.regression_count,
        },
        "toolVersion": spec.tool_version,
        "gates": dict(sorted(task.gates.items())),
        "licences": dict(task.licences),
        "images": {name: image for name, image in task.images._asdict().items() if image is not None},
    }


def read_earlier(content: bytes, export_format: str) -> dict[str, Any]:
    """The predicate of an earlier manifest. Raises EarlierUnreadable."""
    try:
        document = json.loads(content)
        predicate = document["predicate"]
        tasks = [(one["task"], one["candidate"]) for one in predicate["tasks"]]
        versions = [int(one["version"]) for one in predicate["versions"]]
    except (ValueError, TypeError, KeyError) as error:
        raise EarlierUnreadable(f"its {MANIFEST} cannot be read ({error!r})") from error
    if document.get("predicateType") != PREDICATE or not (versions and len(tasks) == len(predicate["tasks"])):
        raise EarlierUnreadable(f"its {MANIFEST} is no export's")
    if predicate.get("format") != export_format:
        raise EarlierUnreadable(f"it holds an export in the format {predicate.get('format')}, not {export_format}")
    found: dict[str, Any] = predicate
    return found


def read_subjects(content: bytes) -> dict[str, str | None]:
    """The other files of the export, path to SHA-256 where it is given. Raises EarlierUnreadable."""
    try:
        return {str(one["name"]): one.get("digest", {}).get("sha256") for one in json.loads(content)["subject"]}
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise EarlierUnreadable(f"its {MANIFEST} does not say which files are the export's ({error!r})") from error


def versions_after(
    earlier: Mapping[str, Any] | None, tasks: Sequence[ExportTask], reasons: Mapping[str, str]
) -> list[dict[str, Any]]:
    """The versions up to this one; no new one where the same tasks are held. ``reasons`` say why a task is not."""
    now = {task.id: task.name for task in tasks}
    if earlier is None:
        return [{"version": 1, "came": sorted(now), "retired": []}]
    before = {one["task"]: one["candidate"] for one in earlier["tasks"]}
    told = [dict(one) for one in earlier["versions"]]
    if before.keys() == now.keys():
        return told
    by_candidate = {name: task for task, name in now.items()}
    retired = []
    for task in sorted(before.keys() - now.keys()):
        name = before[task]
        successor = by_candidate.get(name)
        why = reasons.get(task) or reasons.get(name) or "neither the task nor its candidate is in the store any more"
        retired.append(
            {"task": task, "candidate": name, "why": f"its candidate has the task {successor} now"}
            if successor is not None
            else {"task": task, "candidate": name, "why": why}
        )
    return [*told, {"version": told[-1]["version"] + 1, "came": sorted(now.keys() - before.keys()), "retired": retired}]
