"""Benchmark files as rows with the line each stands on: JSON lines, one JSON list, or YAML documents.

A faulty row costs itself alone: it is told with its line, its field and what is wrong with it. What the fields of a
format mean is left to ``formats``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import yaml

MOST_BYTES: Final = 512 * 1024 * 1024
MOST_ROWS: Final = 1_000_000
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class RowsUnreadable(ValueError):
    """A file of which no row can be read; the message says why."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row's fields, and the line of the file that it begins on (of a JSON list: its position, from 1)."""

    line: int
    fields: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class RowFault:
    """A row that cannot be used: where, which field (empty: the row itself), and why."""

    line: int
    field: str
    reason: str

    def __str__(self) -> str:
        return f"row {self.line}: {self.field + ': ' if self.field else ''}{self.reason}"


def read_rows(content: bytes, name: str) -> Iterator[Row | RowFault]:
    """The rows of a file, in order. ``name`` decides: .yaml and .yml are YAML. Raises RowsUnreadable."""
    if len(content) > MOST_BYTES:
        raise RowsUnreadable(f"{name}: {len(content)} bytes, more than the {MOST_BYTES} that are read; split it")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        kind = "Parquet; export it as JSON lines" if content[:4] == b"PAR1" else "not UTF-8"
        raise RowsUnreadable(f"{name}: {kind}") from error
    if name.lower().endswith((".yaml", ".yml")):
        return _yaml(text, name)
    if text.lstrip()[:1] == "[":
        return _list(text, name)
    return _lines(text)


def _lines(text: str) -> Iterator[Row | RowFault]:
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            yield _row(number, json.loads(line))
        except (ValueError, RecursionError) as error:
            yield RowFault(number, "", f"no JSON object on one line ({str(error)[:200]})")


def _list(text: str, name: str) -> Iterator[Row | RowFault]:
    try:
        rows = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise RowsUnreadable(f"{name}: begins like a JSON list and is none ({str(error)[:200]})") from error
    return (_row(number, row) for number, row in enumerate(rows, 1))


def _yaml(text: str, name: str) -> Iterator[Row | RowFault]:
    # Aliases can make a small file unfold to anything; benchmarks have none.
    try:
        events = yaml.parse(text, Loader=_LOADER)
        if any(isinstance(event, yaml.events.AliasEvent) for event in events):
            raise RowsUnreadable(f"{name}: holds YAML aliases, which are not read")
        nodes = [node for node in yaml.compose_all(text, Loader=_LOADER) if node is not None]
    except (yaml.YAMLError, RecursionError) as error:
        raise RowsUnreadable(f"{name}: no YAML ({' '.join(str(error).split())[:300]})") from error
    items = [n for node in nodes for n in (node.value if isinstance(node, yaml.SequenceNode) else [node])]
    return (_row(node.start_mark.line + 1, _plain(node)) for node in items)


def _plain(node: yaml.Node) -> Any:
    """The node as text all through: a commit id of digits alone must not become a number."""
    if isinstance(node, yaml.MappingNode):
        return {str(_plain(key)): _plain(value) for key, value in node.value}
    if isinstance(node, yaml.SequenceNode):
        return [_plain(item) for item in node.value]
    return node.value


def _row(line: int, value: Any) -> Row | RowFault:
    if isinstance(value, Mapping):
        return Row(line, value)
    return RowFault(line, "", f"an object with fields is expected, this is {type(value).__name__}")
