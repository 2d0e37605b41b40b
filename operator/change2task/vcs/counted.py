"""Changes of many commits with their line counts, from one stream of git: what a whole history is surveyed by.

A survey asks the same of ten thousand commits, and a process for each would take longer than all the rest. Which
commits are asked about, and what a count means, is left to the caller.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from change2task.vcs.changes import Change, LineCounts, parse_raw

WORDS = ("diff-tree", "--stdin", "--root", "-r", "--raw", "--numstat", "-z", "--no-abbrev", "--no-ext-diff")
RENAME_LIMIT = 1000


@dataclass(frozen=True, slots=True)
class CountedChange:
    """One path that differs, and how many lines of it."""

    change: Change
    lines: LineCounts


def parse_counted(records: Iterable[bytes]) -> Iterator[tuple[str, tuple[CountedChange, ...]]]:
    """Read `diff-tree --stdin --raw --numstat -z`: for each commit that changes something its id and its changes.

    Git prints a commit's raw records first and its counts after them, in the same order.
    """
    remaining = iter(records)
    raw: list[bytes] = []
    counts: list[LineCounts] = []
    for record in remaining:
        if record.startswith(b":"):
            raw.append(record)
            raw.extend(next(remaining) for _ in range(2 if _two_names(record) else 1))
        elif b"\t" in record:
            added, removed, path = record.split(b"\t", 2)
            if not path:
                next(remaining), next(remaining)
            counts.append(LineCounts(None, None) if added == b"-" else LineCounts(int(added), int(removed)))
        else:
            yield from _counted(raw, counts)
            raw, counts = [record], []
    yield from _counted(raw, counts)


def _two_names(record: bytes) -> bool:
    return record.rpartition(b" ")[2][:1] in (b"R", b"C")


def _counted(raw: list[bytes], counts: list[LineCounts]) -> Iterator[tuple[str, tuple[CountedChange, ...]]]:
    for oid, changes in parse_raw(raw):
        yield oid, tuple(CountedChange(change, lines) for change, lines in zip(changes, counts, strict=True))
