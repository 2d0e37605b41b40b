"""A seeded sample of a mirror's merged changes, each as the assignment that construction is given.

Candidates are the first-parent commits of the last years that the product itself finds usable: source and tests
touched, tests added or altered, not reverted, some source file still there. Nothing else is asked of them here; whoever
has a base at hand goes on asking until enough of them have a test that still passes there.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta

from change2task.api.modernbase import Scope
from change2task.api.taskcandidate import Change
from change2task.construct.models import Assignment, SourceFile
from change2task.history.evidence import gather_evidence
from change2task.history.files import roles_of
from change2task.history.models import ChangeUnusable, Evidence, Role
from change2task.history.references import resolve_change
from change2task.patch.paths import quote
from change2task.vcs.repository import Repository
from change2task.vcs.walk import Walk


@dataclass(frozen=True)
class Sampled:
    """One change: how old it was at the healthy commit, how many source lines it has, and its assignment."""

    commit: str
    days: int
    lines: int
    assignment: Assignment
    evidence: Evidence


def sample(
    repository: Repository, head: str, count: int | None, *, years: float, seed: int, youngest: int = 0
) -> Iterator[Sampled]:
    """Up to ``count`` changes (None: all) older than ``youngest`` days, ordered by seed and history alone."""
    now = repository.commit(head).committer_time
    walk = Walk((head,), first_parent=True, since=now - timedelta(days=365.25 * years))
    limit = now - timedelta(days=youngest)
    commits = [info for info in repository.walk(walk) if info.parents and info.committer_time <= limit]
    random.Random(seed).shuffle(commits)
    sources = _sources(repository, head)
    found = 0
    for info in commits:
        if found == count:
            return
        try:
            change = resolve_change(repository, Change(commit=info.oid), head)
            evidence = gather_evidence(repository, change, head, Scope()).evidence
        except ChangeUnusable:
            continue
        if any(touched.added or touched.altered for touched in evidence.touched_tests):
            found += 1
            age = (now - info.committer_time).days
            made = _assignment(repository, evidence, head, sources)
            yield Sampled(info.oid, age, evidence.profile.lines, made, evidence)


def _sources(repository: Repository, head: str) -> tuple[str, ...]:
    tree = repository.tree(head)
    roles = roles_of(repository, tree, Scope())
    return tuple(quote(p) for p in tree if roles.role(p) is Role.SOURCE and not roles.protected(p))


def _assignment(repository: Repository, evidence: Evidence, head: str, sources: tuple[str, ...]) -> Assignment:
    change = evidence.change
    return Assignment(
        healthy_tree=repository.tree_of(head),
        before_tree=repository.empty_tree if change.parent is None else repository.tree_of(change.parent),
        after_tree=repository.tree_of(change.commit),
        files=tuple(
            SourceFile(
                before=None if file.status == "added" else file.old_path or file.path,
                after=None if file.status == "deleted" else file.path,
                modern=evidence.modern_paths.get(file.path),
                binary=file.binary,
            )
            for file in evidence.files
            if file.undone
        ),
        change_commit=change.commit,
        healthy_commit=head,
        sources=sources,
    )
