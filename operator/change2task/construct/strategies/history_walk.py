"""Level 2: the change undone where it was made, and the undone file carried forward through everything that came after.

Each later commit that touched the file is merged into the undone text on its own, renames followed, so that each clash
is small and near to what caused it. The first commit whose clash nobody can settle ends the walk and is named: it is
where the change and later work parted, and the best that can be told to whoever tries next.
"""

from __future__ import annotations

from collections.abc import Iterator

from change2task.construct.models import Assignment, NotApplicable, Proposal
from change2task.construct.resolve.menus import ALL
from change2task.construct.resolve.stack import Merged, Note, Unmergeable, merge
from change2task.construct.strategies.merging import Merging
from change2task.construct.undo import MergeFile, NotUndone, Versions, refuse_broken
from change2task.patch.paths import unquote
from change2task.syntax.languages import language_of
from change2task.vcs.repository import Repository

MOST_STEPS = 400
MOST_BYTES = 40_000_000
_REVERSED = "reversed"


class HistoryWalk:
    """File by file, commit by commit."""

    name = "history-walk"
    level = 2

    def propose(self, repository: Repository, assignment: Assignment) -> Iterator[Proposal | NotApplicable]:
        """One proposal when every file can be carried to the healthy base."""
        merge_file = walking(repository, assignment)
        if merge_file is None:
            why = "no history is known between the change and the base"
            yield NotApplicable(strategy=self.name, level=self.level, why=why)
            return
        yield from Merging(self.name, self.level, merge_file).propose(repository, assignment)


def walking(repository: Repository, assignment: Assignment) -> MergeFile | None:
    """The merger that walks, for one assignment; None when it names no commits."""
    start, end = assignment.change_commit, assignment.healthy_commit
    if start is None or end is None:
        return None

    return _Walk(repository, start, end).carry


class _Walk:
    def __init__(self, repository: Repository, start: str, end: str) -> None:
        self._repository, self._start, self._end = repository, start, end
        self._left = MOST_BYTES

    def carry(self, versions: Versions) -> Merged:
        """The undone file, as far along as the modern one. Raises Unmergeable."""
        path = unquote(versions.source.after or "")
        trail = self._repository.trail(path, self._start, self._end)[1:]
        if len(trail) > MOST_STEPS:
            raise Unmergeable(f"{len(trail)} later commits touch it, more than {MOST_STEPS}")
        texts = list(self._repository.blobs(version.entry.oid for version in trail))
        self._left -= sum(map(len, texts))
        if self._left < 0:
            raise Unmergeable(f"the later versions are larger than {MOST_BYTES} bytes together")
        if not texts or texts[-1] != versions.modern:
            raise Unmergeable("its history does not lead to the file of the base")
        now, undone = versions.after, versions.before
        notes: list[Note] = []
        for number, (version, text) in enumerate(zip(trail, texts, strict=True), start=1):
            if text == now:
                continue
            where = f"commit {version.commit[:12]}, {number} of {len(trail)}"
            language = language_of(version.path, text[:256])
            try:
                step = merge(now, text, undone, ALL, language=language)
                settled = [note for note in step.notes if note.how != _REVERSED]
                if settled:
                    at_step = Versions(versions.source, version.path, language, undone, now, text)
                    refuse_broken(at_step, step.content)
            except (Unmergeable, NotUndone) as refusal:
                raise Unmergeable(f"{where}: {refusal}") from refusal
            if step.content == text and undone != now:
                notes.append(Note(1, f"nothing of the change is left from here on ({where})"))
            notes += [Note(note.line, f"{note.how} ({where})") for note in settled]
            now, undone = text, step.content
        return Merged(undone, tuple(notes) or (Note(1, f"carried through {len(trail)} commits"),), 0)
