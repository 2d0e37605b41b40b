"""Many candidates of one repository, taken from its history: merged changes that touch source and tests before H."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

from change2task.api.metadata import ObjectMeta, Reference
from change2task.api.modernbase import ModernBase, Revision
from change2task.api.taskcandidate import Change, TaskCandidate, TaskCandidateSpec
from change2task.history.files import roles_of
from change2task.history.models import Role
from change2task.vcs.repository import Repository
from change2task.vcs.walk import Walk
from tests.bench.histories.cases import History

_LOOKED_AT = 1500


def candidates(history: History, mirror: Path, count: int) -> tuple[TaskCandidate, ...]:
    """The newest ``count`` first-parent commits below H that change source and tests."""
    base = history.base
    with Repository.open(mirror) as repository:
        head = repository.resolve(base.spec.revision.healthy or "HEAD")
        assert head is not None
        roles = roles_of(repository, repository.tree(head), base.spec.scope)
        line = islice(repository.walk(Walk((head,), first_parent=True)), _LOOKED_AT)
        found = []
        for info, changes in repository.walk_changes(line):
            touched = {roles.role(change.path) for change in changes}
            if info.parents and {Role.SOURCE, Role.TESTS} <= touched:
                found.append(info.oid)
            if len(found) == count:
                break
    name = base.metadata.name
    return tuple(
        TaskCandidate(
            metadata=ObjectMeta(name=f"{name}-{oid[:8]}"),
            spec=TaskCandidateSpec(base_ref=Reference(name=name), change=Change(commit=oid)),
        )
        for oid in found
    )


def own_base(history: History, candidate: TaskCandidate) -> ModernBase:
    """A base of the candidate's own: the commit of its change, everything else as the shared base says."""
    spec = history.base.spec
    revision = Revision(healthy=candidate.spec.change.commit, strict=True)
    return ModernBase(metadata=ObjectMeta(name=candidate.metadata.name), spec=spec.replacing(revision=revision))
