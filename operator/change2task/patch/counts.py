"""How large a patch is, in the units the fidelity gate compares: files, hunks, changed lines, and where they lie.

Hunks are counted as the patch has them, so compare patches made with the same number of context lines. Which files
count is the caller's choice.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from change2task.patch.unified import FilePatch, UnifiedPatch, edit_groups


@dataclass(frozen=True, slots=True)
class FileCounts:
    """One file's share. Line numbers count from 1: removed ones on the old side, added ones on the new side."""

    path: bytes
    hunks: int
    removed_lines: tuple[int, ...]
    added_lines: tuple[int, ...]

    @property
    def lines(self) -> int:
        """Removed plus added lines."""
        return len(self.removed_lines) + len(self.added_lines)


@dataclass(frozen=True, slots=True)
class Counts:
    """Totals; `lines` are removed plus added.

    A binary file or a mode change is a file without hunks; one that turns into a link is two parts but one file.
    """

    files: int
    hunks: int
    removed: int
    added: int

    @property
    def lines(self) -> int:
        """Removed plus added lines."""
        return self.removed + self.added


def count_file(file: FilePatch) -> FileCounts:
    """The counts of one file."""
    removed: list[int] = []
    added: list[int] = []
    for hunk in file.hunks:
        for group in edit_groups(hunk):
            removed.extend(range(group.old_start, group.old_start + len(group.removed)))
            added.extend(range(group.new_start, group.new_start + len(group.added)))
    return FileCounts(file.path, len(file.hunks), tuple(removed), tuple(added))


def count_files(patch: UnifiedPatch) -> tuple[FileCounts, ...]:
    """The counts of every file, in the patch's order."""
    return tuple(count_file(file) for file in patch.files)


def count(patch: UnifiedPatch) -> Counts:
    """The totals of a patch."""
    return total(count_files(patch))


def total(files: Iterable[FileCounts]) -> Counts:
    """The totals of some files."""
    held = tuple(files)
    return Counts(
        files=len({file.path for file in held}),
        hunks=sum(file.hunks for file in held),
        removed=sum(len(file.removed_lines) for file in held),
        added=sum(len(file.added_lines) for file in held),
    )
