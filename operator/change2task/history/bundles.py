"""Merges that bring in a long-lived branch: they look like a change and mix several.

On real first-parent lines a fifth of the merges is of this kind ("Merge branch 'stable'"); a task made of one
would ask an agent for many unrelated things at once.
"""

from __future__ import annotations

from change2task.api.reasons import Reason
from change2task.history.ancestry import Ancestry
from change2task.history.fingerprints import difference
from change2task.history.models import ChangeUnusable
from change2task.history.subjects import is_long_lived, merged_branch, named_request
from change2task.vcs.commits import CommitInfo

_TIPS = ("refs/pull/{}/head", "refs/merge-requests/{}/head", "refs/pull-requests/{}/from")
_NAMED = 5


def request_tip(ancestry: Ancestry, number: int) -> str | None:
    """The commit that the forge keeps as the request's last state, where the mirror holds its references."""
    for pattern in _TIPS:
        oid = ancestry.repo.resolve(pattern.format(number))
        if oid is not None:
            return oid
    return None


def refuse_bundle(ancestry: Ancestry, merge: str, number: int | None) -> None:
    """Raise BranchMerge when the merge brings in two changes or more that stand for themselves."""
    first, *sides = ancestry.parents[merge]
    lines = [ancestry.between(first, side) for side in sides]
    units = {n: oid for line in lines for oid in line if (n := _unit(ancestry, oid, number)) is not None}
    branch = merged_branch(ancestry.infos[merge].subject) if number is None else None
    own = [oid for line in lines for oid in line]
    several_sides = len(sides) > 1 and sum(bool(line) for line in lines) > 1
    collected = branch is not None and is_long_lived(branch) and len(own) > 1
    if len(units) < 2 and not several_sides and not collected:
        return
    inside = [f"#{n} ({oid[:12]})" for n, oid in units.items()] or [oid[:12] for oid in own]
    more = f" and {len(inside) - _NAMED} more" if len(inside) > _NAMED else ""
    what = f"branch {branch}" if branch else f"{len(sides)} branches at once" if several_sides else "a branch"
    raise ChangeUnusable(
        Reason.BRANCH_MERGE,
        f"{merge[:12]} merges {what} and brings in {', '.join(inside[:_NAMED])}{more}; name one of these instead",
    )


def _unit(ancestry: Ancestry, oid: str, own: int | None) -> int | None:
    """The request that a commit inside the merge stands for; numbers of issues and of forks are not taken."""
    info = ancestry.infos[oid]
    number = named_request(info.subject, info.body)
    if number is None or number == own:
        return None
    tip = request_tip(ancestry, number)
    if tip is not None:
        return number if _is_landing(ancestry, info, tip) else None
    # Without the forge's references a merge is believed, and "(#12)" in a plain subject may be an issue.
    references = own is not None and request_tip(ancestry, own) is not None
    return number if len(info.parents) > 1 and not references else None


def _is_landing(ancestry: Ancestry, info: CommitInfo, tip: str) -> bool:
    if tip in info.parents[1:]:
        return True
    return len(info.parents) == 1 and is_squash_of(ancestry, info.oid, tip)


def is_squash_of(ancestry: Ancestry, oid: str, tip: str) -> bool:
    """Whether the commit alone makes the difference of the whole request. Raises MissingObject."""
    parent = next(iter(ancestry.parents[oid]), None)
    start = merge_base(ancestry, oid, tip)
    if parent is None or start is None:
        return False
    return difference(ancestry.repo, parent, oid) == difference(ancestry.repo, start, tip)


def merge_base(ancestry: Ancestry, landed: str, tip: str) -> str | None:
    """Where the request left the line it landed on: the base of the commit before it and the request's tip."""
    before = next(iter(ancestry.parents[landed]), None)
    return ancestry.repo.merge_base(before, tip) if before is not None else None
