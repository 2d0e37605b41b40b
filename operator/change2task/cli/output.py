"""Results on standard output, as a table for people or one document for programs."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any

import yaml
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from change2task.api.modernbase import ModernBase
from change2task.api.taskcandidate import TaskCandidate
from change2task.corpus.rows import base_row, candidate_row, document


class Format(StrEnum):
    """Output formats."""

    TABLE = "table"
    JSON = "json"
    YAML = "yaml"


def print_outcome(
    form: Format, console: Console, bases: Sequence[ModernBase], candidates: Sequence[TaskCandidate]
) -> None:
    """Bases and candidates in the form asked for."""
    if form is Format.TABLE:
        _tables(console, bases, candidates)
    else:
        print_document(form, document(bases, candidates))


def print_document(form: Format, value: Any) -> None:
    """One JSON or YAML document."""
    if form is Format.YAML:
        print(yaml.safe_dump(value, sort_keys=False, allow_unicode=True), end="")  # noqa: T201 - the command's output
    else:
        print(json.dumps(value, indent=2, ensure_ascii=False))  # noqa: T201 - the command's output


_COLUMNS = ("CANDIDATE", "CHANGE", "FAMILY", "LEVEL", "STRATEGY", "VERDICT", "REASON", "SECONDS")
_LEAST_NEEDED_FIRST = ("STRATEGY", "LEVEL", "CHANGE", "SECONDS", "FAMILY")
_GAP = 2
_COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


def columns_that_fit(rows: Sequence[Mapping[str, str]], width: int) -> tuple[str, ...]:
    """The columns of a table that is at most so many cells wide; what decided is never left out."""
    kept = list(_COLUMNS)
    for leave in _LEAST_NEEDED_FIRST:
        if (
            sum(_GAP + max(cell_len(text) for text in (title, *(row[title] for row in rows))) for title in kept)
            <= width
        ):
            break
        kept.remove(leave)
    return tuple(kept)


def _tables(console: Console, bases: Sequence[ModernBase], candidates: Sequence[TaskCandidate]) -> None:
    for base in bases:
        console.print(_base(base), soft_wrap=True)
    if not candidates:
        return
    rows = [_cells(candidate) for candidate in candidates]
    titles = columns_that_fit(rows, console.width)
    table = Table(box=None, pad_edge=False, padding=(0, _GAP, 0, 0))
    for title in titles:
        table.add_column(title, justify="right" if title in {"LEVEL", "SECONDS"} else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text(row[title], _STYLES.get(row[title], "")) for title in titles))
    console.print(table)
    accepted = sum(c.status.accepted is True for c in candidates)
    undecided = sum(c.status.accepted is None for c in candidates)
    tail = f", {undecided} without a verdict" if undecided else ""
    tasks = len({c.status.variant_ref.name for c in candidates if c.status.accepted and c.status.variant_ref})
    several = f" ({tasks} {'task' if tasks == 1 else 'tasks'})" if tasks != accepted else ""
    console.print(f"{accepted} accepted{several}, {len(candidates) - accepted - undecided} rejected{tail}")


_VERDICTS = {True: "accepted", False: "rejected", None: "none"}
_STYLES = {"accepted": "green", "rejected": "yellow", "none": "red"}


def _cells(candidate: TaskCandidate) -> dict[str, str]:
    row = candidate_row(candidate)
    return {
        "CANDIDATE": row["name"],
        "CHANGE": _COMMIT.sub(lambda found: found[0][:12], row["change"]),
        "FAMILY": row["family"],
        "LEVEL": str(row["level"] or ""),
        "STRATEGY": row["strategy"] or "",
        "VERDICT": _VERDICTS[row["accepted"]],
        "REASON": row["reason"] or "",
        "SECONDS": f"{sum(row['seconds'].values()):.1f}",
    }


def _base(base: ModernBase) -> Text:
    row = base_row(base)
    counts = row["checks"]
    health = f"  {', '.join(f'{counts[kind]} {kind}' for kind in ('healthy', 'failing', 'unstable'))}" if counts else ""
    state = Text("ready", "green") if row["ready"] else Text(f"{row['reason']}: {row['message']}", "yellow")
    commit = f" {row['commit'][:12]}" if row["commit"] else ""
    passed_over = [one for one in base.status.resolution if one.source in {"healthy", "target"} and not one.eligible]
    instead = "; ".join(f"not {one.source} {one.revision}: {one.detail}" for one in passed_over if row["ready"])
    told = (f"  ({instead})", "yellow") if instead else ""
    return Text.assemble("base ", (base.metadata.name, "bold"), f"{commit} ", state, health, told)
