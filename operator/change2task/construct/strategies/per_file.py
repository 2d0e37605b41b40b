"""Level 2: for each file the first way that undoes it, where no one way undoes them all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from change2task.construct.models import Assignment, NotApplicable, Proposal, Region, SourceFile
from change2task.construct.resolve.menus import ALL, LINES, WORDS
from change2task.construct.strategies.history_walk import walking
from change2task.construct.strategies.merging import by_lines, proposal
from change2task.construct.strategies.unit_merge import by_units
from change2task.construct.undo import MergeFile, NotUndone, Undone, Workplace
from change2task.vcs.repository import Repository
from change2task.vcs.trees import Entry


class PerFile:
    """Words, lines, functions, history, then everything: each file by the first that does."""

    name = "per-file"
    level = 2

    def propose(self, repository: Repository, assignment: Assignment) -> Iterator[Proposal | NotApplicable]:
        """One proposal when each file can be undone in some way."""
        ways: list[tuple[str, MergeFile]] = [("words", by_lines(WORDS)), ("lines", by_lines(LINES))]
        ways.append(("functions", by_units))
        if (walk := walking(repository, assignment)) is not None:
            ways.append(("history", walk))
        ways.append(("all resolvers", by_lines(ALL)))
        place = Workplace(repository, assignment)
        changes: dict[bytes, Entry | None] = {}
        regions: list[Region] = []
        try:
            for file in assignment.files:
                way, undone = _first(place, file, ways)
                changes.update(undone.changes)
                regions += [region.replacing(how=f"by {way}: {region.how}") for region in undone.regions]
            yield proposal(self.name, self.level, place, changes, regions)
        except NotUndone as refusal:
            yield NotApplicable(strategy=self.name, level=self.level, why=str(refusal))


def _first(place: Workplace, file: SourceFile, ways: Sequence[tuple[str, MergeFile]]) -> tuple[str, Undone]:
    refusals: list[str] = []
    for name, merge in ways:
        try:
            return name, place.undo(file, merge)
        except NotUndone as refusal:
            refusals.append(str(refusal))
    raise NotUndone("; ".join(dict.fromkeys(refusals)))
