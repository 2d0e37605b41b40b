"""Git's own three-way merge of three trees, renames followed, without a work tree.

`merge-tree` takes commits and looks for their common ancestor itself, so the three trees become three commits that
nothing else will ever name. Resolving conflicts is left to the strategies above.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from change2task.vcs.process import Git
from change2task.vcs.trees import Entry, leaf_mode


@dataclass(frozen=True, slots=True)
class Conflict:
    """A path git could not merge: its three sides, None where one has no file there, and git's word for why."""

    path: bytes
    base: Entry | None
    ours: Entry | None
    theirs: Entry | None
    kind: str = ""


@dataclass(frozen=True, slots=True)
class MergeResult:
    """`tree` is the clean result or None; `marked_tree` always exists, with diff3 markers where texts conflict."""

    tree: str | None
    marked_tree: str
    details: tuple[Conflict, ...] = ()
    conflicts: tuple[bytes, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "conflicts", tuple(conflict.path for conflict in self.details))


def merge_commits(git: Git, ours: str, theirs: str) -> MergeResult:
    """Merge two commits that have one common ancestor. Raises GitFailed."""
    ended = git.run("merge-tree", "--write-tree", "-z", "--messages", ours, theirs, codes=(0, 1))
    records = iter(ended.stdout.split(b"\0"))
    tree = next(records).decode("ascii")
    if ended.code == 0:
        return MergeResult(tree, tree)
    stages: dict[bytes, dict[int, Entry]] = {}
    for record in records:
        if not record:
            break
        meta, _, path = record.partition(b"\t")
        mode, oid, stage = meta.decode("ascii").split(" ")
        stages.setdefault(path, {})[int(stage)] = Entry(leaf_mode(int(mode, 8)), oid)
    kinds = _kinds(records)
    for path in kinds:
        stages.setdefault(path, {})
    details = tuple(
        Conflict(path, sides.get(1), sides.get(2), sides.get(3), kinds.get(path, ""))
        for path, sides in sorted(stages.items())
    )
    return MergeResult(None, tree, details)


def _kinds(records: Iterator[bytes]) -> Mapping[bytes, str]:
    found: dict[bytes, str] = {}
    for count in records:
        if not count.strip().isdigit():
            break
        paths = [next(records) for _ in range(int(count))]
        kind = next(records).decode(errors="replace")
        next(records)  # the sentence for people
        if kind.startswith("CONFLICT") and paths:
            found.setdefault(paths[0], kind.removeprefix("CONFLICT").strip(" ()"))
    return found
