"""Results on standard output, as a table for people or one document for programs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from enum import StrEnum
from typing import Any

import yaml
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


def _tables(console: Console, bases: Sequence[ModernBase], candidates: Sequence[TaskCandidate]) -> None:
    for base in bases:
        row = base_row(base)
        checks = row["checks"]
        health = (
            f"{checks['healthy']} healthy, {checks['failing']} failing, {checks['unstable']} unstable" if checks else ""
        )
        state = Text("ready", "green") if row["ready"] else Text(f"{row['reason']}: {row['message']}", "yellow")
        console.print(
            Text.assemble(
                "base ", (base.metadata.name, "bold"), " ", (row["commit"] or "")[:12], " ", state, f"  {health}"
            )
        )
    if not candidates:
        return
    table = Table(box=None, pad_edge=False)
    for title in ("CANDIDATE", "CHANGE", "FAMILY", "LEVEL", "STRATEGY", "VERDICT", "REASON", "SECONDS"):
        table.add_column(title, justify="right" if title in {"LEVEL", "SECONDS"} else "left")
    for candidate in candidates:
        row = candidate_row(candidate)
        verdict = {True: Text("accepted", "green"), False: Text("rejected", "yellow"), None: Text("none", "red")}
        table.add_row(
            row["name"],
            row["change"],
            row["family"],
            str(row["level"] or ""),
            row["strategy"] or "",
            verdict[row["accepted"]],
            row["reason"] or "",
            f"{sum(row['seconds'].values()):.1f}",
        )
    console.print(table)
    accepted = sum(c.status.accepted is True for c in candidates)
    undecided = sum(c.status.accepted is None for c in candidates)
    tail = f", {undecided} without a verdict" if undecided else ""
    console.print(f"{accepted} accepted, {len(candidates) - accepted - undecided} rejected{tail}")
