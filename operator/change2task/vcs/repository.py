"""A repository as the rest of the program sees it: names, history and what it holds. The facade of this room.

It is safe for threads: what it keeps is guarded or immutable, and processes are handed to one thread at a time. The
larger operations (applying, merging, following a path) each have a module of their own.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

from change2task.vcs.changes import Change, parse_raw
from change2task.vcs.commits import CommitInfo
from change2task.vcs.contents import DIFF_OPTIONS, Contents, naming_object
from change2task.vcs.counted import RENAME_LIMIT, WORDS, CountedChange, parse_counted
from change2task.vcs.errors import GitFailed, MissingObject
from change2task.vcs.follow import SIMILARITY, Follower, Version
from change2task.vcs.merge import MergeResult, merge_commits
from change2task.vcs.place import Place, locate
from change2task.vcs.process import OUTPUT_BYTES
from change2task.vcs.walk import Walk

_BATCH = 500
_DIGITS = re.compile(r"[0-9a-fA-F]{4,64}")
_MORE_DIGITS = 8
_NAMED = 5
_RENAMES = ("diff-tree", "-r", "--raw", "-z", "--no-abbrev", "--diff-filter=R", "-l4000")


class Repository(Contents):
    """One git directory. Use as a context manager, or call `close`, to end its processes."""

    def __init__(self, place: Place, objects: Path | None = None) -> None:
        super().__init__(place, objects)
        self.path = place.git_dir
        self._follower = Follower(self.git, self.entry, self.blobs)

    @classmethod
    def open(cls, path: Path) -> Repository:
        """The repository at `path`, with or without a work tree. Raises PathNotFound, NotARepository."""
        return Repository(locate(path))

    @property
    def is_shallow(self) -> bool:
        """Whether its history was cut at a depth."""
        return self.place.shallow is not None

    def resolve(self, rev: str) -> str | None:
        """The whole id of the commit that `rev` names in git's syntax; None when there is none, or several."""
        return self.names.resolve(f"{rev}^{{commit}}")

    def unresolved(self, rev: str) -> str:
        """Why `resolve` gave None, as what is said of the revision: that nothing has that name, or too much has."""
        several = self._beginning(rev) if _DIGITS.fullmatch(rev) else ()
        if len(several) < 2:
            return "names no commit of the repository"
        shown = ", ".join(oid[: len(rev) + _MORE_DIGITS] for oid in several[:_NAMED])
        more = f" and {len(several) - _NAMED} more" if len(several) > _NAMED else ""
        return f"begins the ids of {len(several)} commits, {shown}{more}; give more digits"

    def _beginning(self, digits: str) -> list[str]:
        """Ids of commits, and of tags of them, that begin so; blobs and trees are never meant."""
        oids = self.run("rev-parse", f"--disambiguate={digits}").decode("ascii").split()
        return [oid for oid in sorted(oids) if (found := self.find(oid)) and found.kind in {"commit", "tag"}]

    def refs(self) -> dict[str, str]:
        """Every reference by its full name, with the id it names; annotated tags stand for what they tag."""
        return self.names.refs()

    def default_branch(self) -> str | None:
        """The branch HEAD stands on, without refs/heads/; None when HEAD is detached or the branch has no commit."""
        name = self.names.head()
        return name if name is not None and self.resolve(f"refs/heads/{name}") else None

    def walk(self, walk: Walk) -> Iterator[CommitInfo]:
        """The commits of a walk, newest first, while git finds them. Raises MissingObject, GitFailed."""
        oids = self.walk_oids(walk)
        while batch := list(islice(oids, _BATCH)):
            yield from self.commits(batch)

    def walk_oids(self, walk: Walk) -> Iterator[str]:
        """The ids of the commits of a walk, newest first. Raises MissingObject, GitFailed."""
        for record in self.records(*walk.words(), separator=b"\n"):
            yield record.decode("ascii")

    def walk_changes(
        self, infos: Iterable[CommitInfo], *, similarity: int | None = None
    ) -> Iterator[tuple[CommitInfo, tuple[Change, ...]]]:
        """Each commit with the paths it changed against its first parent (all of its paths when it has none).

        With `similarity` (in percent) renames are found too. One process; the order is kept. Raises MissingObject.
        """
        held = list(infos)
        renames = "--no-renames" if similarity is None else f"-M{similarity}%"
        words = ("diff-tree", "--stdin", "--root", "-r", "--raw", "-z", "--no-abbrev", renames)
        found = parse_raw(self.records(*words, stdin=_against_first_parents(held))) if held else iter(())
        waiting = next(found, None)
        for info in held:
            # Commits that change nothing are not mentioned.
            if waiting is not None and waiting[0] == info.oid:
                yield info, tuple(waiting[1])
                waiting = next(found, None)
            else:
                yield info, ()

    def walk_counted(
        self, infos: Iterable[CommitInfo], *, similarity: int = SIMILARITY
    ) -> Iterator[tuple[CommitInfo, tuple[CountedChange, ...] | None]]:
        """As `walk_changes` with renames and line counts; None for a commit that changes a blob which is missing here.

        One process; two more, and a second look at every commit, where blobs are missing. Raises MissingObject.
        """
        held = list(infos)
        given = 0
        try:
            for info, changes in self._counted(held, similarity):
                given += 1
                yield info, changes
        except MissingObject:
            rest = held[given:]
            changed = dict(self.walk_changes(rest))
            absent = self.objects.absent(oid for changes in changed.values() for one in changes for oid in one.blobs)
            whole = {info.oid for info, changes in changed.items() if not any(absent & one.blobs for one in changes)}
            counted = dict(self._counted([info for info in rest if info.oid in whole], similarity))
            yield from ((info, counted.get(info)) for info in rest)

    def _counted(
        self, held: list[CommitInfo], similarity: int
    ) -> Iterator[tuple[CommitInfo, tuple[CountedChange, ...]]]:
        words = (*WORDS, f"-M{similarity}%", f"-l{RENAME_LIMIT}")
        found = parse_counted(self.records(*words, stdin=_against_first_parents(held))) if held else iter(())
        waiting = next(found, None)
        for info in held:
            if waiting is not None and waiting[0] == info.oid:
                yield info, waiting[1]
                waiting = next(found, None)
            else:
                yield info, ()

    def records(self, *words: str | bytes | Path, stdin: bytes = b"", separator: bytes = b"\0") -> Iterator[bytes]:
        """The output of a git command cut at `separator`, while it runs. Raises MissingObject, GitFailed."""
        try:
            yield from self.git.records(*words, stdin=stdin, separator=separator)
        except GitFailed as error:
            raise naming_object(error) from error

    def merge_base(self, one: str, other: str) -> str | None:
        """The best common ancestor of two commits (whole ids), None when their histories never met."""
        output = self._answered("merge-base", one, other)
        return output.decode("ascii").split()[0] if output else None

    def _answered(self, *words: str) -> bytes | None:
        """The output, or None where git answers no by its exit code."""
        try:
            ended = self.git.run(*words, codes=(0, 1))
        except GitFailed as error:
            raise naming_object(error) from error
        return ended.stdout if ended.code == 0 else None

    def renames(self, old_tree: str, new_tree: str, *, similarity: int = SIMILARITY) -> dict[bytes, bytes]:
        """Files that have another name in the new tree, by the old one; `similarity` in percent."""
        old, new = self.tree_of(old_tree), self.tree_of(new_tree)
        output = self.run(*_RENAMES, f"-M{similarity}%", "--end-of-options", old, new)
        found = parse_raw([new.encode("ascii"), *output.split(b"\0")[:-1]])
        return {change.old_path: change.path for _, changes in found for change in changes}

    def follow(self, path: bytes, start_commit: str, end_commit: str) -> bytes | None:
        """The path that `path` of one commit has at a descendant, followed step by step; None when it was deleted.

        Raises NotAnAncestor, MissingObject.
        """
        try:
            return self._follower.follow(path, start_commit, end_commit)
        except GitFailed as error:
            raise naming_object(error) from error

    def trail(self, path: bytes, start_commit: str, end_commit: str) -> tuple[Version, ...]:
        """A file at one commit and as each commit up to a descendant left it, oldest first, renames followed.

        Raises NotAnAncestor, MissingObject.
        """
        try:
            return self._follower.trail(path, start_commit, end_commit)
        except GitFailed as error:
            raise naming_object(error) from error

    def line(self, start_commit: str, end_commit: str) -> tuple[str, ...]:
        """The commits from one to a descendant, both included, first parents preferred. Raises NotAnAncestor."""
        return self._follower.line(start_commit, end_commit)

    def merge_tree(self, base_tree: str, our_tree: str, their_tree: str) -> MergeResult:
        """Git's three-way merge of three trees, renames followed. Raises MissingObject."""
        base = self.write_commit(self.tree_of(base_tree), (), "base")
        ours = self.write_commit(self.tree_of(our_tree), (base,), "ours")
        theirs = self.write_commit(self.tree_of(their_tree), (base,), "theirs")
        try:
            return merge_commits(self.git, ours, theirs)
        except GitFailed as error:
            raise naming_object(error) from error

    def patch_id(self, old: str, new: str) -> str | None:
        """Git's stable patch-id of the difference between two trees or commits; None when they are equal."""
        patch = self.diff(old, new)
        if not patch:
            return None
        output = self.git.run("patch-id", "--stable", stdin=patch).stdout.decode("ascii")
        return output.split()[0] if output else None

    def patch_ids(self, infos: Iterable[CommitInfo]) -> dict[str, str]:
        """The stable patch-id of each commit against its first parent, by its id, with two processes for all of them.

        Commits that change nothing have none, nor have those that changed a blob which is missing here.
        """
        held = list(infos)
        try:
            return self._patch_ids(held)
        except MissingObject:
            changed = list(self.walk_changes(held))
            absent = self.objects.absent(oid for _, changes in changed for change in changes for oid in change.blobs)
            whole = [info for info, changes in changed if not any(absent & change.blobs for change in changes)]
            return self._patch_ids(whole)

    def _patch_ids(self, held: list[CommitInfo]) -> dict[str, str]:
        if not held:
            return {}
        with self.git.start("diff-tree", "--stdin", "--root", *DIFF_OPTIONS, stdin=subprocess.PIPE) as patches:
            feeder = patches.feed(_against_first_parents(held))
            with self.git.start("patch-id", "--stable", stdin=patches.stdout.fileno()) as ids:
                output = ids.read(OUTPUT_BYTES)
                ids.finish()
            feeder.join()
            try:
                patches.finish()
            except GitFailed as error:
                raise naming_object(error) from error
        lines = (line.split() for line in output.decode("ascii").splitlines())
        return {commit: patch_id for patch_id, commit in lines}


def _against_first_parents(infos: Iterable[CommitInfo]) -> bytes:
    lines = (f"{info.oid} {info.parents[0]}\n" if info.parents else f"{info.oid}\n" for info in infos)
    return "".join(lines).encode("ascii")
