"""The merged change that a benchmark's row means, where its repository is at hand.

A row's commit before the change has, in a whole history, one child or several; which one is known by the files that
the row's patches touch. What cannot be told apart is refused with the candidates named.
"""

from __future__ import annotations

from collections import defaultdict
from functools import lru_cache

from change2task.api.reasons import Reason
from change2task.api.taskcandidate import Change
from change2task.history.ancestry import Ancestry, ancestry_of
from change2task.history.benchmarks.formats import Imported
from change2task.history.fingerprints import changed_paths
from change2task.history.models import ChangeUnusable
from change2task.history.references import resolve_change
from change2task.patch.paths import quote
from change2task.vcs.repository import Repository


def located(row: Imported, repository: Repository, head: str) -> Change:
    """The change of a row in the history of ``head``, proved to be there. Raises ChangeUnusable."""
    tried: list[ChangeUnusable] = []
    for change in _possible(row):
        try:
            resolve_change(repository, change, head)
        except ChangeUnusable as unusable:
            tried.append(unusable)
        else:
            return change
    if row.before is not None:
        return _child(row, row.before, repository, head)
    raise tried[0]


def unlocated(row: Imported) -> Change | None:
    """The change of a row by what it says itself; None where a history is needed."""
    return next(iter(_possible(row)), None)


def _possible(row: Imported) -> list[Change]:
    by_commit = [Change(commit=row.commit)] if row.commit is not None else []
    return by_commit + ([Change(pull_request=row.number)] if row.number is not None else [])


def _child(row: Imported, revision: str, repository: Repository, head: str) -> Change:
    before = repository.resolve(revision)
    if before is None:
        raise ChangeUnusable(Reason.CHANGE_NOT_FOUND, f"base_commit {revision} {repository.unresolved(revision)}")
    ancestry = ancestry_of(repository, head)
    children = _children(ancestry).get(before, ())
    if not children:
        raise ChangeUnusable(
            Reason.CHANGE_NOT_FOUND, f"no commit of the history of {head[:12]} stands on base_commit {revision[:12]}"
        )
    if len(children) > 1 and row.paths:
        # A patch's part for tests may be cut out of it, so that nothing more than these files is a match.
        children = tuple(oid for oid in children if _paths(ancestry, before, oid) >= row.paths) or children
    if len(children) > 1:
        shown = ", ".join(oid[:12] for oid in children[:5])
        raise ChangeUnusable(
            Reason.AMBIGUOUS_EVIDENCE, f"{len(children)} commits stand on base_commit {revision[:12]}: {shown}"
        )
    if row.paths and not _paths(ancestry, before, children[0]) & row.paths:
        raise ChangeUnusable(
            Reason.CHANGE_NOT_FOUND,
            f"the commit on base_commit {revision[:12]}, {children[0][:12]}, touches no file of the row's patch",
        )
    change = Change(commit=children[0])
    resolve_change(repository, change, head)
    return change


@lru_cache(maxsize=4)
def _children(ancestry: Ancestry) -> dict[str, tuple[str, ...]]:
    found: defaultdict[str, list[str]] = defaultdict(list)
    for oid, parents in ancestry.parents.items():
        if parents:
            found[parents[0]].append(oid)
    return {parent: tuple(children) for parent, children in found.items()}


def _paths(ancestry: Ancestry, before: str, after: str) -> frozenset[str]:
    return frozenset(quote(path) for path in changed_paths(ancestry.repo, before, after))
