"""Level 1, Patch Reversal: the source patch, reversed, as it is (paper, "Constructing the Task State").

The closest link to what the developer wrote. Git does the work and decides whether the context still fits;
moved files and drifted context are left to the strategies after it.
"""

from __future__ import annotations

from collections.abc import Iterator

from change2task.construct.models import Assignment, NotApplicable, Proposal, Region
from change2task.patch.paths import unquote
from change2task.vcs.errors import PatchDoesNotApply
from change2task.vcs.repository import Repository


class ExactReversal:
    """``git apply --reverse`` of the source patch onto the healthy base."""

    name = "exact-reversal"
    level = 1

    def propose(self, repository: Repository, assignment: Assignment) -> Iterator[Proposal | NotApplicable]:
        """One proposal when every hunk reverses with its full context."""
        patch = source_patch(repository, assignment)
        try:
            tree = repository.apply(assignment.healthy_tree, patch, reverse=True)
        except PatchDoesNotApply as refusal:
            yield NotApplicable(strategy=self.name, level=self.level, why=str(refusal))
            return
        regions = tuple(Region(path=f.after or f.before or "", how="reversed") for f in assignment.files)
        yield Proposal(strategy=self.name, level=self.level, tree=tree, regions=regions)


def source_patch(repository: Repository, assignment: Assignment) -> bytes:
    """The change's own patch over its source files, before to after."""
    paths = {unquote(p) for f in assignment.files for p in (f.before, f.after) if p is not None}
    return repository.diff(assignment.before_tree, assignment.after_tree, paths=sorted(paths))
