"""A change undone file by file: what every strategy that merges files shares.

Whole files (added, deleted, moved, other modes, links, binary content) are settled here, the same way for all; how two
versions of a text become one is the strategy's. Blobs that git cannot read are refusals like any other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from change2task.construct.models import Assignment, Region, SourceFile
from change2task.construct.resolve.stack import Merged, Unmergeable
from change2task.patch.paths import quote, unquote
from change2task.syntax.faults import new_syntax_errors
from change2task.syntax.languages import Language, language_of
from change2task.vcs.errors import InvalidTree, MissingObject, NotAnAncestor, ObjectTooLarge
from change2task.vcs.repository import Repository
from change2task.vcs.trees import EXECUTABLE, FILE, Entry, Tree

SHOWN_REGIONS = 200
MOST_PARSED = 2_000_000
_TEXTS = frozenset({FILE, EXECUTABLE})


class NotUndone(Exception):
    """A file's part of the change cannot be undone this way; the message names the file and why."""


@dataclass(frozen=True, slots=True)
class Versions:
    """One text file at the change's two ends and on the healthy base; `source` says which file it is."""

    source: SourceFile
    path: bytes
    language: Language | None
    before: bytes
    after: bytes
    modern: bytes


MergeFile = Callable[[Versions], Merged]
"""How one file is undone. Raises Unmergeable."""

Change = Mapping[bytes, Entry | None]


@dataclass(frozen=True, slots=True)
class Undone:
    """What undoing one file does to the healthy tree, how, and how many clashes were left."""

    changes: Change
    regions: tuple[Region, ...]
    unsettled: int = 0


class Workplace:
    """The trees of one assignment, read once."""

    def __init__(self, repository: Repository, assignment: Assignment) -> None:
        self.repository = repository
        self.assignment = assignment
        self.healthy: Tree = repository.tree(assignment.healthy_tree)

    def undo(self, file: SourceFile, merge: MergeFile) -> Undone:
        """One file's part of the change undone. Raises NotUndone."""
        try:
            return self._undo(file, merge)
        except (MissingObject, NotAnAncestor, ObjectTooLarge) as error:
            raise NotUndone(f"{_name(file)}: {error}") from error

    def write(self, changes: Change) -> str:
        """The healthy tree with these changes. Raises NotUndone where a file would stand in a folder's place."""
        try:
            return self.repository.write_tree(self.healthy.replacing(changes))
        except InvalidTree as error:
            raise NotUndone(str(error)) from error

    def _undo(self, file: SourceFile, merge: MergeFile) -> Undone:
        before = self._entry(self.assignment.before_tree, file.before)
        after = self._entry(self.assignment.after_tree, file.after)
        modern = None if file.modern is None else self.healthy.get(unquote(file.modern))
        if before is None:
            return self._take_away(file, after, modern)
        if after is None:
            return self._bring_back(file, before)
        if modern is None or file.modern is None or file.before is None or file.after is None:
            raise NotUndone(f"{_name(file)} is not on the base")
        place = unquote(file.modern)
        if modern.oid == after.oid:
            return self._whole(file, before, after, modern)
        if not {before.mode, after.mode, modern.mode} <= _TEXTS:
            raise NotUndone(f"{file.modern} is a link or a submodule and was changed since")
        versions = self.versions(file, before, after, modern)
        if file.binary or any(b"\0" in side for side in (versions.before, versions.after, versions.modern)):
            raise NotUndone(f"{file.modern} is binary and was changed since")
        try:
            merged = merge(versions)
        except Unmergeable as refusal:
            raise NotUndone(f"{file.modern}: {refusal}") from refusal
        refuse_broken(versions, merged.content)
        mode = before.mode if before.mode != after.mode and modern.mode == after.mode else modern.mode
        entry = Entry(mode, self.repository.write_blob(merged.content))
        regions = tuple(Region(path=file.modern, how=f"line {n.line}: {n.how}") for n in merged.notes)
        return Undone({place: entry}, regions, merged.unsettled)

    def versions(self, file: SourceFile, before: Entry, after: Entry, modern: Entry) -> Versions:
        """The three versions of a file. Raises MissingObject, ObjectTooLarge."""
        path = unquote(file.modern or file.after or file.before or "")
        older, newer, now = (self.repository.blob(entry.oid) for entry in (before, after, modern))
        return Versions(file, path, language_of(path, now[:256]), older, newer, now)

    def _take_away(self, file: SourceFile, after: Entry | None, modern: Entry | None) -> Undone:
        if modern is None or file.modern is None:
            region = Region(path=_name(file), how="already gone; nothing to take away")
            return Undone({}, (region,))
        changed = after is None or modern.oid != after.oid
        how = "added by the change and grown since; taken away" if changed else "added by the change; taken away"
        return Undone({unquote(file.modern): None}, (Region(path=file.modern, how=how),))

    def _bring_back(self, file: SourceFile, before: Entry) -> Undone:
        path = unquote(file.before or "")
        if path in self.healthy:
            raise NotUndone(f"{file.before} was deleted by the change and stands there again")
        return Undone({path: before}, (Region(path=file.before or "", how="deleted by the change; brought back"),))

    def _whole(self, file: SourceFile, before: Entry, after: Entry, modern: Entry) -> Undone:
        """The file is as the change left it: it becomes as it was, under its old name if that is free."""
        place, was = unquote(file.modern or ""), unquote(file.before or "")
        moved = file.before != file.after and file.modern == file.after and was not in self.healthy
        mode = before.mode if modern.mode == after.mode else modern.mode
        changes: dict[bytes, Entry | None] = {place: None} if moved else {}
        changes[was if moved else place] = Entry(mode, before.oid)
        return Undone(changes, (Region(path=file.modern or "", how="untouched since the change; put back whole"),))

    def _entry(self, tree: str, path: str | None) -> Entry | None:
        return None if path is None else self.repository.entry(tree, unquote(path))


def refuse_broken(versions: Versions, content: bytes) -> None:
    """Raise NotUndone where a merged text no longer parses though the healthy one does."""
    if versions.language is None or max(len(content), len(versions.modern)) > MOST_PARSED:
        return
    faults = new_syntax_errors(versions.language, versions.modern, content)
    if faults:
        where = f"{quote(versions.path)}, line {faults[0].line}"
        raise NotUndone(f"{where}: {faults[0].text[:40]!r} does not parse once the change is undone")


def _name(file: SourceFile) -> str:
    return file.modern or file.after or file.before or ""
