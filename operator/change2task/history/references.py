"""From what a user wrote (a request's number, a commit, a range) to the one change in the base's history it means.

Forges renumber, people edit subjects and branches are merged into each other, so a number is looked for in several
places and proved where the repository allows it. What cannot be told apart is refused with the candidates named;
guessing would poison every later stage.
"""

from __future__ import annotations

from change2task.api.modernbase import Scope
from change2task.api.reasons import Reason
from change2task.api.taskcandidate import Change
from change2task.history.ancestry import Ancestry, ancestry_of, refuse_cut
from change2task.history.bundles import refuse_bundle
from change2task.history.files import roles_of
from change2task.history.forge import ForgeRecord
from change2task.history.incomplete import damage_is_a_verdict
from change2task.history.models import ChangeUnusable, MergedChange
from change2task.history.requests import resolve_request
from change2task.history.reverts import reverting_commit
from change2task.history.subjects import named_request, reverted_commits
from change2task.vcs.repository import Repository


def resolve_change(repo: Repository, change: Change, head: str, record: ForgeRecord | None = None) -> MergedChange:
    """The merged change that a reference means in the history of ``head`` (a whole commit id).

    ``record`` is the forge's own word on the request, if there is an export. Raises ChangeUnusable.
    """
    with damage_is_a_verdict(change.label()):
        ancestry = ancestry_of(repo, head)
        found = _resolve(ancestry, change, record)
        revert = reverting_commit(ancestry, found, roles_of(repo, repo.tree(found.commit), Scope()))
    if revert is not None:
        raise ChangeUnusable(
            Reason.CHANGE_REVERTED,
            f"{change.label()} ({found.commit[:12]}) was taken back by {revert[:12]}"
            f" “{ancestry.infos[revert].subject[:72]}” and is not in the base",
        )
    return found


def _resolve(ancestry: Ancestry, change: Change, record: ForgeRecord | None) -> MergedChange:
    if change.pull_request is not None:
        return resolve_request(ancestry, change.pull_request, record)
    if change.range is not None:
        return _range(ancestry, change.range)
    return _commit(ancestry, change.commit or "")


def commit_change(ancestry: Ancestry, oid: str) -> MergedChange:
    """One commit of the history as a change against its first parent; raises ChangeUnusable for bundles."""
    info = ancestry.infos[oid]
    refuse_cut(ancestry, oid)
    parent = next(iter(info.parents), None)
    number = named_request(info.subject, info.body)
    if len(info.parents) > 1:
        refuse_bundle(ancestry, oid, number)
    kind = "merge" if len(info.parents) > 1 else "squash" if number is not None else "commit"
    return MergedChange(
        commit=oid,
        parent=parent,
        kind=kind,
        pull_request=number,
        proof="given",
        title=info.subject,
        body=info.body,
        commits=ancestry.between(parent, oid),
        reverts=next(iter(reverted_commits(info.message)), None),
    )


def _commit(ancestry: Ancestry, revision: str) -> MergedChange:
    return commit_change(ancestry, _lands(ancestry, revision))


def _range(ancestry: Ancestry, text: str) -> MergedChange:
    first, _, last = text.partition("..")
    start, end = _found(ancestry, first), _lands(ancestry, last)
    if start == end:
        raise ChangeUnusable(Reason.EMPTY_CHANGE, f"range {text}: both ends are commit {end[:12]}")
    if start not in ancestry.under(end):
        turned = start in ancestry and end in ancestry.under(start)
        hint = f"; the other way round, {last}..{first}, it would be a range" if turned else ""
        raise ChangeUnusable(
            Reason.CHANGE_NOT_FOUND,
            f"range {text}: {first} ({start[:12]}) is not an ancestor of {last} ({end[:12]}), so there is no line"
            f" of history between them{hint}",
        )
    commits = ancestry.between(start, end)
    for oid in commits:
        refuse_cut(ancestry, oid)
    speaker = ancestry.infos[next((c for c in commits if len(ancestry.parents[c]) < 2), end)]
    return MergedChange(
        commit=end, parent=start, kind="range", proof="given", title=speaker.subject, body=speaker.body, commits=commits
    )


def _lands(ancestry: Ancestry, revision: str) -> str:
    oid = _found(ancestry, revision)
    if oid not in ancestry:
        raise ChangeUnusable(
            Reason.CHANGE_NOT_IN_ANCESTRY,
            f"{revision} ({oid[:12]}) is not an ancestor of the base {ancestry.head[:12]}; take a base that holds it,"
            " or name the commit by which it was merged",
        )
    return oid


def _found(ancestry: Ancestry, revision: str) -> str:
    oid = ancestry.repo.resolve(revision)
    if oid is not None:
        return oid
    if ancestry.repo.is_shallow:
        raise ChangeUnusable(
            Reason.HISTORY_INCOMPLETE,
            f"{revision} is not in the repository, whose history is shallow; remove spec.history.depth or raise it",
        )
    raise ChangeUnusable(Reason.CHANGE_NOT_FOUND, f"{revision} {ancestry.repo.unresolved(revision)}")
