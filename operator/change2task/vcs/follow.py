"""A path followed through renames, commit by commit, from where a change was made to a descendant.

Comparing the two ends alone loses every file that was renamed and then edited; small steps do not. Steps are computed
once and kept, as all changes of a base end at the same commit. What a lost path means is left to the caller.
"""

from __future__ import annotations

import posixpath
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from change2task.vcs.changes import Change, parse_raw
from change2task.vcs.errors import GitFailed, MissingObject, NotAnAncestor
from change2task.vcs.process import Git
from change2task.vcs.trees import Entry

SIMILARITY = 50
_RENAME_LIMIT = 1000


@dataclass(frozen=True, slots=True)
class Step:
    """What one step of history did to names."""

    renamed: dict[bytes, bytes]
    deleted: frozenset[bytes]
    added: frozenset[bytes]

    def after(self, path: bytes) -> bytes | None:
        """The path behind the step; None when it was deleted."""
        if path in self.renamed:
            return self.renamed[path]
        return self._with_its_folder(path) if path in self.deleted else path

    def _with_its_folder(self, path: bytes) -> bytes | None:
        """Where a file went that was rewritten too much to be recognised, when the files beside it moved together."""
        folder, name = posixpath.split(path)
        moved = Counter(
            posixpath.dirname(new)
            for old, new in self.renamed.items()
            if posixpath.dirname(old) == folder and posixpath.basename(old) == posixpath.basename(new)
        )
        if len(moved) != 1:
            return None
        candidate = posixpath.join(next(iter(moved)), name)
        return candidate if candidate in self.added else None


_NOTHING = Step({}, frozenset(), frozenset())


@dataclass(frozen=True, slots=True)
class Version:
    """A file as one commit left it."""

    commit: str
    path: bytes
    entry: Entry


class Follower:
    """Follows paths through one repository's history; safe for threads."""

    def __init__(
        self,
        git: Git,
        entry: Callable[[str, bytes], Entry | None],
        blobs: Callable[[Sequence[str]], Iterator[bytes]],
    ) -> None:
        self._git = git
        self._entry = entry
        self._blobs = blobs
        self._lock = threading.Lock()
        self._steps: dict[tuple[str, str], Step] = {}
        self._first_parents = lru_cache(maxsize=8)(self._walk_first_parents)
        self._lines = lru_cache(maxsize=64)(self._line)

    def follow(self, path: bytes, start: str, end: str) -> bytes | None:
        """The path that `path` of commit `start` has at `end`; None when `start` has no such file or it was deleted.

        A file deleted and brought back under its name is the same file if half of its content is. Raises NotAnAncestor,
        MissingObject.
        """
        if self._entry(start, path) is None:
            return None
        line = self._lines(start, end)
        steps = self._known(line)
        current: bytes | None = path
        lost: tuple[bytes, Entry | None] | None = None
        for (before, after), step in zip(pairwise(line), steps, strict=True):
            if current is not None:
                following = step.after(current)
                if following is None:
                    lost = current, self._entry(before, current)
                current = following
            elif lost is not None and lost[0] in step.added:
                if not self._alike(lost[1], self._entry(after, lost[0])):
                    return None
                current = lost[0]
        return current

    def trail(self, path: bytes, start: str, end: str) -> tuple[Version, ...]:
        """The file at `start` and as every later commit that touched it left it, oldest first.

        It ends early where the file was deleted; it is empty where `start` has no such file. Raises NotAnAncestor,
        MissingObject.
        """
        first = self._entry(start, path)
        if first is None:
            return ()
        line = self._lines(start, end)
        named: dict[str, bytes] = {}
        current = path
        for newer, step in zip(line[1:], self._known(line), strict=True):
            following = step.after(current)
            if following is None:
                break
            named[newer] = current = following
        pairs = list(pairwise(line))[: len(named)]
        versions = [Version(start, path, first)]
        words = ("diff-tree", "--stdin", "-r", "--raw", "-z", "--no-abbrev", "--no-renames", "--")
        question = "".join(f"{after} {before}\n" for before, after in pairs).encode()
        if not pairs:
            return tuple(versions)
        for newer, changes in parse_raw(self._git.records(*words, *sorted({path, *named.values()}), stdin=question)):
            for change in changes:
                if change.path == named[newer] and change.new is not None:
                    versions.append(Version(newer, change.path, change.new))
        return tuple(versions)

    def line(self, start: str, end: str) -> tuple[str, ...]:
        """The commits from `start` to `end` along which paths are followed, first parents preferred."""
        return self._lines(start, end)

    def _walk_first_parents(self, end: str) -> dict[str, int]:
        """The first-parent commits of `end`, newest first, with their positions."""
        output = self._git.run("rev-list", "--first-parent", "--end-of-options", end).stdout
        return {oid: number for number, oid in enumerate(output.decode("ascii").split())}

    def _line(self, start: str, end: str) -> tuple[str, ...]:
        positions = self._first_parents(end)
        if start in positions:
            newest_first = list(positions)[: positions[start] + 1]
            return tuple(reversed(newest_first))
        output = self._git.run(
            "rev-list", "--ancestry-path", "--parents", "--end-of-options", end, f"^{start}"
        ).stdout.decode("ascii")
        parents = {oid: rest for oid, *rest in (line.split() for line in output.splitlines())}
        line = [end]
        while line[-1] != start:
            nearer = [oid for oid in parents.get(line[-1], ()) if oid in parents or oid == start]
            if not nearer:
                raise NotAnAncestor(start, end)
            line.append(nearer[0])
        return tuple(reversed(line))

    def _known(self, line: tuple[str, ...]) -> list[Step]:
        pairs = list(pairwise(line))
        with self._lock:
            missing = [pair for pair in pairs if pair not in self._steps]
            if missing:
                self._steps.update(self._computed(missing))
            return [self._steps[pair] for pair in pairs]

    def _computed(self, pairs: list[tuple[str, str]]) -> dict[tuple[str, str], Step]:
        found: dict[tuple[str, str], Step] = {}
        while len(found) < len(pairs):
            remaining = [pair for pair in pairs if pair not in found]
            try:
                self._record(found, remaining, f"-M{SIMILARITY}%")
            except GitFailed:
                self._past_the_unreadable(found, [pair for pair in remaining if pair not in found])
        return found

    def _past_the_unreadable(self, found: dict[tuple[str, str], Step], pairs: list[tuple[str, str]]) -> None:
        """Go on one by one up to the step that needs a blob that is missing; only identical content counts there."""
        for pair in pairs:
            try:
                self._record(found, [pair], f"-M{SIMILARITY}%")
            except GitFailed:
                self._record(found, [pair], "-M100%")
                return

    def _record(self, found: dict[tuple[str, str], Step], pairs: list[tuple[str, str]], renames: str) -> None:
        by_newer = {after: number for number, (_, after) in enumerate(pairs)}
        position = 0
        for newer, changes in self._compared(pairs, renames):
            # Pairs that differ in nothing asked for are not mentioned at all.
            number = by_newer[newer]
            found.update(dict.fromkeys(pairs[position:number], _NOTHING))
            found[pairs[number]] = _step(changes)
            position = number + 1
        found.update(dict.fromkeys(pairs[position:], _NOTHING))

    def _compared(self, pairs: list[tuple[str, str]], renames: str) -> Iterator[tuple[str, list[Change]]]:
        question = "".join(f"{after} {before}\n" for before, after in pairs).encode()
        words = ("diff-tree", "--stdin", "-r", "--raw", "-z", "--no-abbrev", renames, f"-l{_RENAME_LIMIT}")
        yield from parse_raw(self._git.records(*words, "--diff-filter=ADRT", stdin=question))

    def _alike(self, old: Entry | None, new: Entry | None) -> bool:
        if old is None or new is None or old.mode & 0o170000 != new.mode & 0o170000:
            return False
        if old.oid == new.oid:
            return True
        try:
            before, after = self._blobs([old.oid, new.oid])
        except MissingObject:
            return False
        shared = Counter(before.splitlines(keepends=True)) & Counter(after.splitlines(keepends=True))
        common = sum(len(text) * count for text, count in shared.items())
        return common * 100 >= SIMILARITY * max(len(before), len(after))


def _step(changes: list[Change]) -> Step:
    return Step(
        renamed={change.old_path: change.path for change in changes if change.status == "renamed"},
        deleted=frozenset(change.path for change in changes if change.status == "deleted"),
        added=frozenset(change.path for change in changes if change.status == "added"),
    )
