"""What the strategies that merge file by file have in common: every file by one merger, all or none.

A strategy proper is then a name, a level and a merger; partial reversal is the one that lets files go.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from change2task.construct.models import Assignment, NotApplicable, Proposal, Region
from change2task.construct.resolve.clash import Resolver
from change2task.construct.resolve.stack import Merged, Otherwise, merge
from change2task.construct.undo import SHOWN_REGIONS, MergeFile, NotUndone, Versions, Workplace
from change2task.vcs.repository import Repository
from change2task.vcs.trees import Entry


class Merging:
    """Every source file undone by ``merge``; one that cannot be is the strategy's refusal."""

    def __init__(self, name: str, level: int, merge: MergeFile) -> None:
        self.name = name
        self.level = level
        self._merge = merge

    def propose(self, repository: Repository, assignment: Assignment) -> Iterator[Proposal | NotApplicable]:
        """One proposal when every file can be undone."""
        place = Workplace(repository, assignment)
        changes: dict[bytes, Entry | None] = {}
        regions: list[Region] = []
        try:
            for file in assignment.files:
                undone = place.undo(file, self._merge)
                changes.update(undone.changes)
                regions += undone.regions
            yield proposal(self.name, self.level, place, changes, regions)
        except NotUndone as refusal:
            yield NotApplicable(strategy=self.name, level=self.level, why=str(refusal))


def proposal(
    name: str, level: int, place: Workplace, changes: Mapping[bytes, Entry | None], regions: Sequence[Region]
) -> Proposal:
    """The proposal made of all files' changes, its record bounded."""
    shown = list(regions[:SHOWN_REGIONS])
    if len(regions) > len(shown):
        shown.append(Region(path="", how=f"and {len(regions) - len(shown)} more"))
    return Proposal(strategy=name, level=level, tree=place.write(changes), regions=tuple(shown))


def by_lines(resolvers: Sequence[Resolver], otherwise: Otherwise = "fail") -> MergeFile:
    """The merger that settles the clashes of a file's lines by these resolvers."""

    def merge_file(versions: Versions) -> Merged:
        return merge(
            versions.after,
            versions.modern,
            versions.before,
            resolvers,
            language=versions.language,
            otherwise=otherwise,
        )

    return merge_file
