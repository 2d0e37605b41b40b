"""Which tasks an export holds, and in which part of it: duplicates, splits, overlap with others' benchmarks. Pure.

Near duplicates are tasks of one repository that ask for the same kind of answer and whose answers are nearly the same
lines: the Jaccard index of their changed lines, each with its path and sign and without its indentation, is at least
0.8. The one of the lower level stays, then the one of the earlier name. Splits keep a repository whole.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from change2task.corpus.exports.rows import moment
from change2task.corpus.exports.task import ExportTask
from change2task.patch.unified import MalformedPatch, parse_patch

ALIKE: Final = 0.8
"""Jaccard index of changed lines from which two tasks are taken for one."""
LATER: Final = 0.8
"""Share of the tasks, oldest changes first, after which the later ones begin where no date is given."""
_PARTS: Final = (("train", 80), ("validation", 90), ("test", 100))
_PULL: Final = re.compile(r"(?P<owner>[^_/\s]+)(?:__|/)(?P<name>[^\s]+?)[-#](?P<number>\d+)")
_COMMIT: Final = re.compile(r"[0-9a-f]{40}")


class Duplicate(NamedTuple):
    """A task that is left out, the one that stays for it, and how alike they are."""

    task: str
    like: str
    likeness: float


def without_duplicates(tasks: Sequence[ExportTask]) -> tuple[list[ExportTask], list[Duplicate]]:
    """The tasks that stay, in the order of their names, and those that do not."""
    kept: list[ExportTask] = []
    left: list[Duplicate] = []
    seen: dict[tuple[str, str], dict[str, frozenset[bytes]]] = defaultdict(dict)
    by_line: dict[bytes, set[str]] = defaultdict(set)
    for task in sorted(tasks, key=lambda one: (one.variant.spec.level, one.id)):
        spec = task.variant.spec
        others, lines = seen[spec.base.repository, spec.output.output], changed_lines(task.solution)
        near = {other for line in lines for other in by_line[line] if other in others}
        found = max(((_likeness(lines, others[other]), other) for other in near), default=(0.0, ""))
        if found[0] >= ALIKE:
            left.append(Duplicate(task.id, found[1], round(found[0], 4)))
            continue
        kept.append(task)
        others[task.id] = lines
        for line in lines:
            by_line[line].add(task.id)
    return sorted(kept, key=lambda one: one.id), sorted(left)


def changed_lines(patch: bytes) -> frozenset[bytes]:
    """Every changed line that says something, with its path and sign; the whole patch where it cannot be read."""
    try:
        parse_patch(patch)
    except MalformedPatch:
        return frozenset({patch})
    found: set[bytes] = set()
    path = b""
    for line in patch.split(b"\n"):
        if line.startswith((b"+++ ", b"--- ")):
            path = line[6:] if line[4:] != b"/dev/null" else path
        elif line[:1] in {b"+", b"-"} and line[1:].strip():
            found.add(path + b"\0" + line[:1] + line[1:].strip())
    return frozenset(found)


def _likeness(one: frozenset[bytes], other: frozenset[bytes]) -> float:
    return len(one & other) / len(one | other) if one or other else 1.0


def splits(tasks: Sequence[ExportTask], boundary: str | None = None) -> dict[str, Any]:
    """Names of the tasks by repository (80, 10 and 10 of a hundred repositories) and by the change's date.

    ``boundary`` is a day (YYYY-MM-DD) on which the later ones begin.
    """
    parts: dict[str, list[str]] = {name: [] for name, _ in _PARTS}
    for task in tasks:
        place = int(hashlib.sha256(task.variant.spec.base.repository.encode()).hexdigest(), 16) % 100
        parts[next(name for name, below in _PARTS if place < below)].append(task.id)
    if boundary is None:
        dates = sorted(moment(task.changed)[:10] for task in tasks)
        boundary = dates[min(int(len(dates) * LATER), len(dates) - 1)] if dates else ""
    dated = {"earlier": [], "later": []}  # type: dict[str, list[str]]
    for task in tasks:
        dated["later" if moment(task.changed)[:10] >= boundary else "earlier"].append(task.id)
    return {"byRepository": parts, "byDate": {"boundary": boundary, **dated}}


def known_ids(content: str) -> frozenset[str]:
    """Ids and commits of others' tasks: a line each, or JSON with ``instance_id`` and ``base_commit``."""
    found: set[str] = set()
    for line in content.splitlines():
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        try:
            value = json.loads(text) if text[0] in '{["' else text
        except ValueError:
            value = text
        found.update(_named(value))
    return frozenset(found)


def _named(value: object) -> Iterable[str]:
    if isinstance(value, str):
        return (value,)
    if isinstance(value, list):
        return [one for entry in value for one in _named(entry)]
    if isinstance(value, Mapping):
        names = ("instance_id", "instanceId", "id", "base_commit", "baseCommit", "commit", "commit_hash")
        return [value[name] for name in names if isinstance(value.get(name), str)]
    return ()


def overlaps(task: ExportTask, known: frozenset[str]) -> tuple[str, ...]:
    """Those known ids that mean this task's change: its request in this repository, its commit, or its parent."""
    change = task.variant.spec.source_change
    commits = {change.commit, change.parent}
    found: list[str] = []
    for one in known:
        if _COMMIT.fullmatch(one):
            if one in commits:
                found.append(one)
            continue
        named = _PULL.fullmatch(one)
        where = f"{named['owner']}/{named['name']}".lower() if named else ""
        if named and where == task.repository.lower() and int(named["number"]) == change.pull_request:
            found.append(one)
    return tuple(sorted(found))
