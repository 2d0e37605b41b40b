"""The commits under a base, read once: who their parents are, what they say, which lie on the first-parent line.

Twenty candidates on one base ask the same history the same questions, and "first-parent first" needs the whole
line at hand. It judges nothing; ``references`` does.
"""

from __future__ import annotations

from functools import cached_property, lru_cache

from change2task.api.reasons import Reason
from change2task.history.models import ChangeUnusable
from change2task.history.subjects import named_request, reverted_commits, reverted_requests, reverted_title
from change2task.vcs.commits import CommitInfo
from change2task.vcs.repository import Repository


class Ancestry:
    """All ancestors of one commit, itself included."""

    def __init__(self, repo: Repository, head: str) -> None:
        """Reads the graph; raises MissingObject where the history is damaged."""
        self.repo = repo
        self.head = head
        output = repo.run("rev-list", "--topo-order", "--parents", "--end-of-options", head)
        rows = [line.split() for line in output.decode("ascii").splitlines()]
        self.parents: dict[str, tuple[str, ...]] = {row[0]: tuple(row[1:]) for row in rows}

    def __contains__(self, oid: str) -> bool:
        return oid in self.parents

    @cached_property
    def first_line(self) -> dict[str, int]:
        """The first-parent line: each commit and its distance from the head."""
        line: dict[str, int] = {}
        oid: str | None = self.head
        while oid is not None and oid in self.parents:
            line[oid] = len(line)
            oid = next(iter(self.parents[oid]), None)
        return line

    @cached_property
    def infos(self) -> dict[str, CommitInfo]:
        """Every commit's message and times, children before parents."""
        return {info.oid: info for info in self.repo.commits(self.parents)}

    @cached_property
    def named(self) -> dict[int, tuple[str, ...]]:
        """Request numbers and the commits that name them, newest first."""
        found: dict[int, list[str]] = {}
        for oid, info in self.infos.items():
            number = named_request(info.subject, info.body)
            if number is not None:
                found.setdefault(number, []).append(oid)
        return {number: tuple(oids) for number, oids in found.items()}

    @cached_property
    def merges_of(self) -> dict[str, tuple[str, ...]]:
        """Commits that were merged as a side, and the merges that brought them in, newest first."""
        found: dict[str, list[str]] = {}
        for oid, parents in self.parents.items():
            for side in parents[1:]:
                found.setdefault(side, []).append(oid)
        return {side: tuple(merges) for side, merges in found.items()}

    @cached_property
    def reverting(self) -> tuple[str, ...]:
        """Commits that say of anything that they take it back, children before parents."""
        return tuple(oid for oid, info in self.infos.items() if _reverts_something(info))

    def under(self, oid: str) -> frozenset[str]:
        """The commit and all its ancestors."""
        return _under(self, oid)

    def between(self, start: str | None, end: str) -> tuple[str, ...]:
        """Commits under ``end`` and not under ``start``, parents before children."""
        if start is not None and self.parents.get(end) == (start,):
            return (end,)
        known = self.under(start) if start is not None else frozenset()
        wanted: set[str] = set()
        waiting = [end]
        while waiting:
            oid = waiting.pop()
            if oid in wanted or oid in known or oid not in self.parents:
                continue
            wanted.add(oid)
            waiting.extend(self.parents[oid])
        return tuple(reversed(self._order(wanted)))

    def after(self, oid: str) -> tuple[str, ...]:
        """Commits that are not under ``oid``, children before parents."""
        known = self.under(oid)
        return tuple(o for o in self.parents if o not in known)

    def _order(self, wanted: set[str]) -> list[str]:
        if len(wanted) == 1:
            return list(wanted)
        return sorted(wanted, key=self._place.__getitem__)

    @cached_property
    def _place(self) -> dict[str, int]:
        return {oid: number for number, oid in enumerate(self.parents)}


def _reverts_something(info: CommitInfo) -> bool:
    message = info.message
    return bool(reverted_commits(message) or reverted_requests(message) or reverted_title(info.subject) is not None)


@lru_cache(maxsize=8)
def _under(ancestry: Ancestry, oid: str) -> frozenset[str]:
    seen: set[str] = set()
    waiting = [oid]
    while waiting:
        current = waiting.pop()
        if current not in seen and current in ancestry.parents:
            seen.add(current)
            waiting.extend(ancestry.parents[current])
    return frozenset(seen)


@lru_cache(maxsize=4)
def ancestry_of(repo: Repository, head: str) -> Ancestry:
    """The ancestry of a base, kept for the next candidate on it."""
    return Ancestry(repo, head)


def refuse_cut(ancestry: Ancestry, oid: str) -> None:
    """Raise HistoryIncomplete when the commit's parents are named but cut off by a shallow clone."""
    if not ancestry.parents[oid] and ancestry.infos[oid].parents:
        raise ChangeUnusable(
            Reason.HISTORY_INCOMPLETE,
            f"commit {oid[:12]} is where this shallow history ends, so what it changed is unknown; fetch more of it",
        )
