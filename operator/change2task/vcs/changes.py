"""Which paths differ between trees: of two trees without a process, of many pairs with one.

What a change of a path means, and its text, are left to others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from change2task.vcs.errors import InvalidTree
from change2task.vcs.trees import DEEPEST, FOLDER, SUBMODULE, Entry, Item, leaf_mode

MOST_CHANGES = 500_000
Status = Literal["added", "deleted", "modified", "retyped", "renamed"]
_NONE = Item(0, b"", "")


@dataclass(frozen=True, slots=True)
class Change:
    """One path that differs; `old_path` is another one only where renames were looked for."""

    path: bytes
    old_path: bytes
    old: Entry | None
    new: Entry | None

    @property
    def blobs(self) -> frozenset[str]:
        """The blobs of both sides; a submodule has none."""
        sides = (self.old, self.new)
        return frozenset(side.oid for side in sides if side is not None and side.mode != SUBMODULE)

    @property
    def status(self) -> Status:
        """What happened; `retyped` is a change between file, link and submodule."""
        if self.old is None:
            return "added"
        if self.new is None:
            return "deleted"
        if self.path != self.old_path:
            return "renamed"
        return "retyped" if self.old.mode & 0o170000 != self.new.mode & 0o170000 else "modified"


def compare(items: Callable[[str], tuple[Item, ...]], old: str | None, new: str | None) -> tuple[Change, ...]:
    """What differs between two trees, in the order of paths; equal folders are never read.

    `items` reads a folder by its tree's id; None stands for no tree at all. Raises InvalidTree.
    """
    changes: list[Change] = []
    waiting: list[tuple[bytes, str | None, str | None, int]] = [(b"", old, new, 0)]
    while waiting:
        prefix, before, after, depth = waiting.pop()
        if depth > DEEPEST:
            raise InvalidTree(prefix, f"it lies deeper than {DEEPEST} folders")
        left = {item.name: item for item in items(before)} if before else {}
        right = {item.name: item for item in items(after)} if after else {}
        for name in left.keys() | right.keys():
            a, b = left.get(name, _NONE), right.get(name, _NONE)
            if (a.mode, a.oid) == (b.mode, b.oid):
                continue
            path = prefix + name
            if FOLDER in (a.mode, b.mode):
                below = (a.oid if a.mode == FOLDER else None, b.oid if b.mode == FOLDER else None)
                waiting.append((path + b"/", *below, depth + 1))
            old_leaf, new_leaf = _leaf(a), _leaf(b)
            if old_leaf or new_leaf:
                changes.append(Change(path, path, old_leaf, new_leaf))
        if len(changes) + len(waiting) > MOST_CHANGES:
            raise InvalidTree(prefix, f"more than {MOST_CHANGES} paths differ")
    return tuple(sorted(changes, key=lambda change: change.path))


def _leaf(item: Item) -> Entry | None:
    return Entry(item.mode, item.oid) if item.mode not in (0, FOLDER) else None


def parse_raw(records: Iterable[bytes]) -> Iterator[tuple[str, list[Change]]]:
    """Read `diff-tree --stdin --raw -z`: for each pair that differs its first id and its changes."""
    remaining = iter(records)
    current = ""
    changes: list[Change] = []
    for record in remaining:
        if not record.startswith(b":"):
            if current:
                yield current, changes
            current, changes = record.decode("ascii").split()[0], []
            continue
        old_mode, new_mode, old_oid, new_oid, status = record[1:].decode("ascii").split(" ")
        old_path = next(remaining)
        path = next(remaining) if status[0] in "RC" else old_path
        changes.append(Change(path, old_path, _entry(old_mode, old_oid), _entry(new_mode, new_oid)))
    if current:
        yield current, changes


def _entry(mode: str, oid: str) -> Entry | None:
    number = int(mode, 8)
    return Entry(leaf_mode(number), oid) if number else None


@dataclass(frozen=True, slots=True)
class LineCounts:
    """Lines added and removed in one file; both None where git takes it for binary."""

    added: int | None
    removed: int | None


def parse_numstat(output: bytes) -> Mapping[bytes, LineCounts]:
    """Read `diff-tree --numstat -z` without renames."""
    found: dict[bytes, LineCounts] = {}
    for record in output.split(b"\0"):
        if record:
            added, removed, path = record.split(b"\t", 2)
            binary = added == b"-"
            found[path] = LineCounts(None, None) if binary else LineCounts(int(added), int(removed))
    return found
