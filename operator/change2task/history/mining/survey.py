"""A whole history looked at once: every change with its fate so far, and the facts that a closer look begins with.

It asks git for the graph, the messages and one stream of changes; the rules are those of the other modules here. What
is worth a closer look, and what that finds, is left to ``selection`` and to whoever calls it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from change2task.api.modernbase import Scope
from change2task.history.ancestry import Ancestry, ancestry_of
from change2task.history.files import attributes_of, fragments_in
from change2task.history.incomplete import damage_is_a_verdict
from change2task.history.mining.files import Survivors, Touched, role_of, touched
from change2task.history.mining.leaving import Left
from change2task.history.mining.messages import (
    RELEASE_LINES,
    Reverts,
    is_release_title,
    made_by_program,
    says_it_reverts,
)
from change2task.history.mining.score import Score, expected
from change2task.history.mining.units import Unit, brings_in_a_line, request_tips, units
from change2task.history.models import Role
from change2task.history.roles import Roles
from change2task.history.wording import unwrapped
from change2task.history.words import MIGRATION, found
from change2task.vcs.commits import CommitInfo
from change2task.vcs.counted import CountedChange
from change2task.vcs.repository import Repository

_DAY = 86_400


@dataclass(frozen=True, slots=True)
class Span:
    """Which times are wanted; committer times, both ends included."""

    since: datetime | None = None
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """One change that its messages and files say nothing against, and what it promises as far as they tell."""

    unit: Unit
    info: CommitInfo
    touched: Touched
    days: float
    score: Score


@dataclass(frozen=True)
class Survey:
    """All changes of a history, newest first: the fate of those left out, and the others."""

    head: str
    commits: int
    shallow: bool
    units: tuple[Unit, ...]
    fates: Mapping[str, Left]
    details: Mapping[str, str]
    found: tuple[Found, ...]

    @property
    def within(self) -> int:
        """Commits that belong to another one's change."""
        return sum(len(unit.inside) for unit in self.units)


def survey(repo: Repository, head: str, scope: Scope, span: Span) -> Survey:
    """The survey of all changes under ``head``, a whole commit id. Raises ChangeUnusable where history is damaged."""
    with damage_is_a_verdict(f"the history of {head[:12]}"):
        return _Surveying(repo, ancestry_of(repo, head), scope, span).survey()


class _Surveying:
    def __init__(self, repo: Repository, ancestry: Ancestry, scope: Scope, span: Span) -> None:
        self._repo = repo
        self._span = span
        self._ancestry = ancestry
        self._infos = ancestry.infos
        self._base_time = self._infos[ancestry.head].committer_time
        self._units = units(ancestry.head, ancestry.parents, self._infos, request_tips(repo.refs()))
        self._changes = self._read()
        tree = repo.tree(ancestry.head)
        # Files of the past give roles their surroundings too: a package that has moved was one before.
        paths = {*tree, *(one.change.path for changes in self._changes.values() for one in changes or ())}
        roles = Roles(scope, paths, attributes_of(repo, tree), fragments=fragments_in(repo, tree))
        self._role, self._protected = role_of(roles), roles.protected
        self._survivors = Survivors(tree)

    def _read(self) -> dict[str, Sequence[CountedChange] | None]:
        wanted = [self._infos[unit.commit] for unit in self._units if self._is_read(unit)]
        return {info.oid: changes for info, changes in self._repo.walk_counted(wanted)}

    def _is_read(self, unit: Unit) -> bool:
        """What is too old, or known to stand for others, is never compared; what is too new may have moved files."""
        since = self._span.since
        old = since is not None and self._infos[unit.commit].committer_time < since
        return not old and unit.kind != "bundle" and not self._is_cut(unit)

    def _is_cut(self, unit: Unit) -> bool:
        known = self._ancestry.parents
        return any(parent not in known for oid in (unit.commit, *unit.inside) for parent in self._infos[oid].parents)

    def survey(self) -> Survey:
        fates: dict[str, Left] = {}
        details: dict[str, str] = {}
        found: list[Found] = []
        reverts = Reverts(
            self._units,
            self._infos,
            lambda oid: self._changes.get(oid) or (),
            lambda path: self._role(path) is Role.SOURCE,
        )
        for unit, files in self._with_files():
            left, detail = self._left(unit, files, reverts)
            if left is None:
                found.append(self._found(unit, files))
                continue
            fates[unit.commit] = left
            if detail:
                details[unit.commit] = detail
        return Survey(
            head=self._ancestry.head,
            commits=len(self._infos),
            shallow=self._repo.is_shallow,
            units=self._units,
            fates=fates,
            details=details,
            found=tuple(found),
        )

    def _with_files(self) -> Iterator[tuple[Unit, Touched]]:
        for unit in self._units:
            changes = self._changes.get(unit.commit)
            yield unit, touched(changes, self._role, self._protected, self._survivors, self._needs_no_test(unit))
            self._survivors.before(changes or ())

    def _needs_no_test(self, unit: Unit) -> bool:
        """Whether the title speaks of a migration, which can be seen by reading."""
        info = self._infos[unit.commit]
        return bool(found(MIGRATION, unwrapped(info.subject[:2000], info.body[:2000])[0]))

    def _left(self, unit: Unit, files: Touched, reverts: Reverts) -> tuple[Left | None, str]:
        raw, detail = self._left_raw(unit, files, reverts)
        return (raw, detail) if raw is not None else (files.left, files.detail)

    def _left_raw(self, unit: Unit, files: Touched, reverts: Reverts) -> tuple[Left | None, str]:
        info, span = self._infos[unit.commit], self._span
        if span.since is not None and info.committer_time < span.since:
            return Left.BEFORE_SINCE, ""
        if span.until is not None and info.committer_time > span.until:
            return Left.AFTER_UNTIL, ""
        if unit.kind == "bundle" or brings_in_a_line(info):
            return Left.BRANCH_MERGE, ""
        if self._is_cut(unit):
            return Left.CUT_OFF, ""
        if unit.parent is None:
            return Left.BEGINNING, ""
        if made_by_program(unit, self._infos):
            return Left.BOT, info.author_name[:100]
        if is_release_title(info) and files.lines <= RELEASE_LINES:
            return Left.VERSION_BUMP, ""
        if says_it_reverts(info):
            return Left.REVERT, ""
        undone = reverts.undone_by(unit)
        return (Left.REVERTED, f"by {undone[:12]}") if undone is not None else (None, "")

    def _found(self, unit: Unit, files: Touched) -> Found:
        info = self._infos[unit.commit]
        days = (self._base_time - info.committer_time).total_seconds() / _DAY
        tests = (files.tests_alive, len(files.tests)) if files.tests else None
        score = expected(days, files.lines, (files.source_alive, len(files.source)), tests)
        return Found(unit, info, files, days, score)
