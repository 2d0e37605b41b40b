"""Level 1, Patch Reversal: the source patch, reversed, as it is (paper, "Constructing the Task State").

The closest link to what the developer wrote. Git does the work and decides whether the context still fits;
moved files and drifted context are left to the strategies after it. Git places a hunk by its old number first, though
the same lines may stand there by chance: what it made of a text is held to where the change's lines are now.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from change2task.construct.models import Assignment, NotApplicable, Proposal, Region
from change2task.construct.resolve.descent import Descent, Way
from change2task.construct.resolve.worded import split_lines
from change2task.patch.model import FilePatch, Hunk
from change2task.patch.paths import quote, unquote
from change2task.patch.unified import parse_patch
from change2task.vcs.errors import ObjectTooLarge, PatchDoesNotApply
from change2task.vcs.repository import Repository
from change2task.vcs.trees import SUBMODULE


class ExactReversal:
    """``git apply --reverse`` of the source patch onto the healthy base, where no twin was taken for the change."""

    name = "exact-reversal"
    level = 1

    def propose(self, repository: Repository, assignment: Assignment) -> Iterator[Proposal | NotApplicable]:
        """One proposal when every hunk reverses with its full context, at the change's own place."""
        patch = source_patch(repository, assignment)
        try:
            tree = repository.apply(assignment.healthy_tree, patch, reverse=True)
            for file in parse_patch(patch).files:
                _refuse_twins(repository, assignment, file, tree)
        except (PatchDoesNotApply, ObjectTooLarge, _Twins) as refusal:
            yield NotApplicable(strategy=self.name, level=self.level, why=str(refusal))
            return
        regions = tuple(Region(path=f.after or f.before or "", how="reversed") for f in assignment.files)
        yield Proposal(strategy=self.name, level=self.level, tree=tree, regions=regions)


def source_patch(repository: Repository, assignment: Assignment) -> bytes:
    """The change's own patch over its source files, before to after."""
    paths = {unquote(p) for f in assignment.files for p in (f.before, f.after) if p is not None}
    return repository.diff(assignment.before_tree, assignment.after_tree, paths=sorted(paths))


class _Twins(Exception):
    """The change's lines stand in several places, and git's is not known to be theirs."""


def _refuse_twins(repository: Repository, assignment: Assignment, file: FilePatch, tree: str) -> None:
    """Raise _Twins where a text that git reversed is not what the change's own place makes of it.

    Contents are compared, not places: where either of two twins leaves the same text, either is right.
    """
    path = file.path
    trees = assignment.before_tree, assignment.after_tree, assignment.healthy_tree, tree
    before, after, healthy, reversed_ = (repository.entry(one, path) for one in trees)
    if not file.hunks or file.old_path is None or file.new_path is None:
        return
    if before is None or after is None or healthy is None or reversed_ is None or healthy.mode == SUBMODULE:
        return
    if healthy.oid == after.oid and reversed_.oid == before.oid:
        return
    older, newer, modern, made = (repository.blob(entry.oid) for entry in (before, after, healthy, reversed_))
    descent = Descent(newer, modern)
    alone = [descent.alone(*_span(hunk)) for hunk in file.hunks]
    ways: Sequence[Way] = ({},) if None not in alone else descent.ways
    for way in ways:
        places = [
            _followed(descent, hunk, way, quote(path)) if place is None else place
            for hunk, place in zip(file.hunks, alone, strict=True)
        ]
        if _reversed(split_lines(older), descent.later, file.hunks, places) != made:
            lines = ", ".join(str(hunk.new_start) for hunk in file.hunks[:5])
            raise _Twins(f"{quote(path)}: git takes other lines than those the change's became, of those at {lines}")


def _followed(descent: Descent, hunk: Hunk, way: Way, name: str) -> int:
    low, high = _span(hunk)
    place = descent.descends(way, low, high, _inner(hunk))
    if place is None:
        raise _Twins(
            f"{name}, line {hunk.new_start} after the change: the same lines stand more than once,"
            " and the base does not tell which are the change's"
        )
    return place


def _reversed(
    older: Sequence[bytes], modern: Sequence[bytes], hunks: Sequence[Hunk], places: Sequence[int]
) -> bytes | None:
    """The modern text with the hunks reversed at these lines; None where two of them overlap."""
    edits = sorted(zip(places, hunks, strict=True), key=lambda edit: edit[0])
    if any(start + hunk.new_count > following for (start, hunk), (following, _) in pairwise(edits)):
        return None
    result = list(modern)
    for start, hunk in reversed(edits):
        first = hunk.old_start - (hunk.old_count > 0)
        result[start : start + hunk.new_count] = older[first : first + hunk.old_count]
    return b"".join(result)


def _span(hunk: Hunk) -> tuple[int, int]:
    """The hunk's lines after the change, from 0, half open."""
    low = hunk.new_start - (hunk.new_count > 0)
    return low, low + hunk.new_count


def _inner(hunk: Hunk) -> tuple[int, int]:
    """The span of what the hunk changes and of the one line that touches it on either side."""
    low, high = _span(hunk)
    kinds = [line.kind for line in hunk.lines]
    leading = next(n for n, kind in enumerate(kinds) if kind != " ")
    trailing = next(n for n, kind in enumerate(reversed(kinds)) if kind != " ")
    return max(low, low + leading - 1), min(high, high - trailing + 1)
