"""``README.md`` of an export: what it holds, under which licences, and what is known not to hold of it.

It exists because a dataset travels further than its makers' documents. The head is the YAML that dataset hubs read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import yaml

from change2task.corpus.exports.selection import Duplicate
from change2task.corpus.exports.task import ExportTask

_LIMITS = (
    "A task is verified by the project's own tests: an answer that is right in a way they refuse counts as wrong, and"
    " one that is wrong in a way they miss counts as solved.",
    "The healthy code is a published revision of a public repository: whoever has a network can download the answer."
    " Formats that can say so ask for none.",
    "Tests run the answer's code in their own process; docs/exports.md of change2task says for each format what could"
    " be forged.",
    "The environment's packages are those of the base's lock; the interpreter's patch release and the distribution's"
    " packages are those of the image that the Dockerfile names, and differ from the ones the task was verified with.",
    "Near duplicates are found by their answers' lines, so one change told twice in other words stays twice.",
    "Models may have seen the repositories; overlap with benchmarks is flagged for the ids that were given, no others.",
)
_FORMATS = {
    "harbor": "A folder a task, as `harbor run -p FOLDER` takes it. `tests/` and `solution/` hold the answer.",
    "swe-bench": "`swe-bench.jsonl`, a row a task. `patch`, `test_patch` and `eval_script` hold the answer.",
    "jsonl": "`tasks.jsonl`, a row a task; `change2task schema TaskRow` prints its schema. Rows hold the answer.",
    "oci": "An OCI image layout with an artefact a task: its row and its Harbor folder. Both hold the answer.",
}


def card(
    tasks: Sequence[ExportTask],
    *,
    export_format: str,
    tool: str,
    left_out: Mapping[str, str],
    duplicates: Sequence[Duplicate],
    overlapping: Mapping[str, Sequence[str]],
    split: Mapping[str, Any],
    version: int,
) -> bytes:
    """The card as Markdown."""
    found = sorted({name or "other" for task in tasks for name in (*task.licences.values(),)})
    head = {
        "license": "other",
        "license_name": ", ".join(found) or "see the repositories",
        "task_categories": ["text-generation"],
        "tags": ["code", "change2task", export_format],
    }
    flagged = {task: ids for task, ids in overlapping.items() if ids}
    parts = [
        f"---\n{yaml.safe_dump(head, sort_keys=True)}---\n",
        f"# {len(tasks)} coding tasks made of merged changes\n",
        f"Version {version}, made by change2task {tool}. {_FORMATS[export_format]}\n\n`MANIFEST.json` is an in-toto"
        " statement with the checksum of every file and, for each task, its change, its base and its gates' evidence."
        " `splits.json` has the tasks by repository and by date.\n",
        "## What is in it\n",
        _table(("repository", "tasks"), _counted(task.variant.spec.base.repository for task in tasks)),
        _table(("family", "tasks"), _counted(task.variant.spec.family.value for task in tasks)),
        _table(("level", "tasks"), _counted(str(task.variant.spec.level) for task in tasks)),
        _table(("split by repository", "tasks"), [(n, str(len(ids))) for n, ids in split["byRepository"].items()]),
        f"By date, {len(split['byDate']['earlier'])} tasks are of changes before {split['byDate']['boundary']} and"
        f" {len(split['byDate']['later'])} of changes on that day or later.\n",
        "## Licences\n\nThe code is its authors'. What the repositories state at their roots:\n",
        _table(("repository", "file", "licence"), sorted(_licences(tasks))),
        "## Known limits\n",
        "".join(f"- {limit}\n" for limit in _LIMITS),
        "## Left out\n",
        _table(("task", "why"), sorted(left_out.items())) if left_out else "Nothing.\n",
        _table(
            ("near duplicate", "of", "likeness"),
            [(one.task, one.like, f"{one.likeness:.2f}") for one in duplicates],
        )
        if duplicates
        else "No near duplicates were found.\n",
        "## Overlap with public benchmarks\n",
        _table(("task", "ids"), [(task, ", ".join(ids)) for task, ids in sorted(flagged.items())])
        if flagged
        else "None with the ids that were given.\n",
    ]
    return "\n".join(parts).encode()


def _counted(names: Iterable[str]) -> list[tuple[str, str]]:
    return [(name, str(count)) for name, count in sorted(Counter(names).items())]


def _licences(tasks: Sequence[ExportTask]) -> set[tuple[str, str, str]]:
    told: set[tuple[str, str, str]] = set()
    for task in tasks:
        repository = task.variant.spec.base.repository
        told |= {(repository, path, name or "not recognised") for path, name in task.licences.items()}
        if not task.licences:
            told.add((repository, "none at the root", "not stated"))
    return told


def _table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    def line(cells: Sequence[str]) -> str:
        return f"| {' | '.join(cell.replace('|', chr(92) + '|').replace(chr(10), ' ') for cell in cells)} |\n"

    return line(titles) + line(["---"] * len(titles)) + "".join(line(row) for row in rows)
