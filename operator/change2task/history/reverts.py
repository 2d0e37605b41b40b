"""Whether a later commit took a change back, and no yet later one brought it in again.

A message alone is not believed: "This reverts commit …" also stands on partial reverts and in discussions. The
inverse must be there too, at least over the files that are product.
"""

from __future__ import annotations

from change2task.history.ancestry import Ancestry
from change2task.history.fingerprints import changed_paths, difference
from change2task.history.models import MergedChange, Role
from change2task.history.roles import Roles
from change2task.history.subjects import named_request, reverted_commits, reverted_requests, reverted_title
from change2task.vcs.commits import CommitInfo


def reverting_commit(ancestry: Ancestry, change: MergedChange, roles: Roles) -> str | None:
    """The commit that undid the change for good in the base's history, or None. Raises MissingObject."""
    claims = _claims(ancestry, change)
    if not claims:
        return None
    inverse = _Inverse(ancestry, change.parent, change.commit, roles)
    for info in claims:
        if inverse.is_made_by(info) and not _back_again(ancestry, change, info):
            return info.oid
    return None


class _Inverse:
    """The change read backwards, over all files and over those that are neither tests nor documents."""

    def __init__(self, ancestry: Ancestry, before: str | None, after: str, roles: Roles) -> None:
        self._repo = ancestry.repo
        changed = changed_paths(self._repo, before, after)
        self._product = {path for path in changed if roles.role(path) is Role.SOURCE}
        self._whole = difference(self._repo, after, before)
        self._part = difference(self._repo, after, before, self._product) if self._product else ""

    def is_made_by(self, info: CommitInfo) -> bool:
        parent = next(iter(info.parents), None)
        if difference(self._repo, parent, info.oid) == self._whole:
            return True
        return bool(self._part) and difference(self._repo, parent, info.oid, self._product) == self._part


def _claims(ancestry: Ancestry, change: MergedChange) -> list[CommitInfo]:
    infos = ancestry.infos
    title = infos[change.commit].subject
    claims = [
        infos[oid]
        for oid in ancestry.reverting
        if _claims_to_revert(infos[oid], change.commits, change.pull_request, title)
    ]
    earlier = ancestry.under(change.commit) if claims else frozenset()
    return [info for info in claims if info.oid not in earlier]


def _claims_to_revert(info: CommitInfo, oids: tuple[str, ...], number: int | None, title: str) -> bool:
    message = info.message
    if any(oid.startswith(said) for said in reverted_commits(message) for oid in oids):
        return True
    if number is not None and number in reverted_requests(message):
        return True
    return reverted_title(info.subject) == title


def _back_again(ancestry: Ancestry, change: MergedChange, revert: CommitInfo) -> bool:
    """Whether the revert was itself reverted, or the same change landed again after it."""
    infos = ancestry.infos
    original = infos[change.commit]
    own = difference(ancestry.repo, change.parent, change.commit)
    for oid in ancestry.after(revert.oid):
        info = infos[oid]
        parent = next(iter(info.parents), None)
        if _claims_to_revert(info, (revert.oid,), named_request(revert.subject, revert.body), revert.subject):
            return True
        lands_again = original.subject in info.subject or info.author_time == original.author_time
        if lands_again and reverted_title(info.subject) is None and difference(ancestry.repo, parent, oid) == own:
            return True
    return False
