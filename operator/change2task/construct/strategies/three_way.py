"""Git's own three-way merge: base the change's after-state, ours the healthy base, theirs the before-state.

It follows renamed files and tolerates drifted context where no line was touched twice. Reported under the
paper's level 1, since it is still the developer's patch reversed by git, but not part of the paper's profile.
Conflicts are left to the strategies after it.
"""

from __future__ import annotations

from collections.abc import Iterator

from change2task.construct.models import Assignment, NotApplicable, Proposal, Region
from change2task.patch.paths import quote, unquote
from change2task.vcs.repository import Repository
from change2task.vcs.trees import Entry, Tree


class ThreeWay:
    """Merge-ort of a synthetic commit that undoes the source files at the change itself."""

    name = "three-way"
    level = 1

    def propose(self, repository: Repository, assignment: Assignment) -> Iterator[Proposal | NotApplicable]:
        """One proposal when the merge is clean."""
        undone = repository.write_tree(undone_at_change(repository, assignment))
        result = repository.merge_tree(assignment.after_tree, assignment.healthy_tree, undone)
        if result.tree is None:
            conflicts = ", ".join(quote(path) for path in result.conflicts[:5])
            yield NotApplicable(strategy=self.name, level=self.level, why=f"conflicts in {conflicts}")
            return
        regions = tuple(
            Region(path=f.modern or f.before or "", how="merged, renames followed") for f in assignment.files
        )
        yield Proposal(strategy=self.name, level=self.level, tree=result.tree, regions=regions)


def undone_at_change(repository: Repository, assignment: Assignment) -> Tree:
    """The change's after-state with its source files, and only them, as they were before."""
    before = repository.tree(assignment.before_tree)
    entries: dict[bytes, Entry] = dict(repository.tree(assignment.after_tree))
    for file in assignment.files:
        if file.after is not None:
            entries.pop(unquote(file.after), None)
    for file in assignment.files:
        if file.before is not None:
            entries[unquote(file.before)] = before[unquote(file.before)]
    return Tree(entries)
