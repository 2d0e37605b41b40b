"""Which later commits rewrote a change's lines: what stands in the way of undoing it, for whoever asks why it failed.

It decides nothing. Of each file of the change the first commit is found that took away a line that the change had
written; where the change wrote nothing, or all of it still stands, there is none.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from change2task.construct.models import Assignment, SourceFile
from change2task.history.contents import is_binary
from change2task.patch.paths import unquote
from change2task.vcs.commits import CommitInfo
from change2task.vcs.repository import Repository
from change2task.vcs.trees import EXECUTABLE, FILE

MOST_FILES = 50
MOST_STEPS = 400
MOST_BYTES = 40 << 20


@dataclass(frozen=True)
class Obstacle:
    """A later commit, and the quoted path, after the change, of the file in which it rewrote the change's lines."""

    path: str
    commit: CommitInfo


def obstacles(repository: Repository, assignment: Assignment) -> tuple[Obstacle, ...]:
    """One a file at most, in the order of the files. Raises NotAnAncestor, MissingObject."""
    start, end = assignment.change_commit, assignment.healthy_commit
    if start is None or end is None:
        return ()
    files = [file for file in assignment.files[:MOST_FILES] if not file.binary and file.modern is not None]
    return tuple(found for file in files for found in _of(repository, assignment, file, start, end))


def _of(repository: Repository, assignment: Assignment, file: SourceFile, start: str, end: str) -> Iterator[Obstacle]:
    written = _written(repository, assignment, file)
    if file.after is None or not written:
        return
    left = MOST_BYTES
    for version in repository.trail(unquote(file.after), start, end)[:MOST_STEPS]:
        if version.entry.mode not in {FILE, EXECUTABLE}:
            return
        content = repository.blob(version.entry.oid)
        left -= len(content)
        if left < 0:
            return
        if written - _lines(content):
            yield Obstacle(file.after, repository.commit(version.commit))
            return


def _written(repository: Repository, assignment: Assignment, file: SourceFile) -> frozenset[bytes]:
    """The lines that the change wrote into a file, without the blanks around them."""

    def lines(tree: str, path: str | None) -> frozenset[bytes]:
        entry = None if path is None else repository.entry(tree, unquote(path))
        if entry is None or entry.mode not in {FILE, EXECUTABLE}:
            return frozenset()
        content = repository.blob(entry.oid)
        return frozenset() if is_binary(content) else _lines(content)

    return lines(assignment.after_tree, file.after) - lines(assignment.before_tree, file.before)


def _lines(content: bytes) -> frozenset[bytes]:
    return frozenset(line.strip() for line in content.splitlines()) - {b""}
