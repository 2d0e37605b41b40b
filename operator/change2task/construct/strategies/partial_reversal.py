"""Level 2: as much of the change as can be undone surely; the rest stays as it is today.

Whole-patch strategies come before it. Whether enough is undone is for the footprint gate, whether what is left works
for the checks.
"""

from __future__ import annotations

from collections.abc import Iterator

from change2task.construct.models import Assignment, NotApplicable, Proposal, Region
from change2task.construct.resolve.menus import ALL
from change2task.construct.strategies.merging import by_lines, proposal
from change2task.construct.undo import NotUndone, Workplace
from change2task.vcs.repository import Repository
from change2task.vcs.trees import Entry


class PartialReversal:
    """All resolvers; what they leave, and files that cannot be undone, stay as they are."""

    name = "partial-reversal"
    level = 2

    def propose(self, repository: Repository, assignment: Assignment) -> Iterator[Proposal | NotApplicable]:
        """One proposal when some part of the change could be undone."""
        place = Workplace(repository, assignment)
        merge = by_lines(ALL, otherwise="ours")
        changes: dict[bytes, Entry | None] = {}
        regions: list[Region] = []
        refused: list[str] = []
        for file in assignment.files:
            try:
                undone = place.undo(file, merge)
            except NotUndone as refusal:
                refused.append(str(refusal))
                regions.append(Region(path=file.modern or file.after or file.before or "", how=f"left: {refusal}"))
                continue
            changes.update(undone.changes)
            regions += undone.regions
        if all(place.healthy.get(path) == entry for path, entry in changes.items()):
            why = "; ".join(refused[:3]) or "every part of it clashes with later work"
            yield NotApplicable(strategy=self.name, level=self.level, why=f"nothing can be undone: {why}")
            return
        try:
            yield proposal(self.name, self.level, place, changes, regions)
        except NotUndone as refusal:
            yield NotApplicable(strategy=self.name, level=self.level, why=str(refusal))
