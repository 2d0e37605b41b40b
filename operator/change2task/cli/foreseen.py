"""Which candidates will be refused whatever runs, as far as a repository on this machine tells it.

A run makes a verdict of such a fault and goes on with the others, so it is none of the manifest's; whoever only
validates wants to hear it all the same. Nothing is fetched or copied, and what is read over a network is left alone.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from change2task.api.modernbase import ModernBase
from change2task.api.taskcandidate import TaskCandidate
from change2task.cli.inputs import Inputs
from change2task.history.forge import ForgeRecord
from change2task.history.globs import matches
from change2task.history.models import ChangeUnusable
from change2task.history.references import resolve_change
from change2task.vcs.errors import VcsError
from change2task.vcs.mirror import local_path
from change2task.vcs.repository import Repository


def foreseen(inputs: Inputs) -> Iterator[str]:
    """A sentence for each base that cannot be read and each candidate whose change is not in its base's history."""
    of: defaultdict[str, list[TaskCandidate]] = defaultdict(list)
    for candidate in inputs.candidates:
        of[candidate.spec.base_ref.name].append(candidate)
    for name, base in inputs.bases.items():
        url = base.spec.repository.url
        path = local_path(inputs.mirrors.get(url, url))
        if path is None:
            continue
        try:
            with Repository.open(path) as repository:
                yield from _of_base(repository, base, of[name], inputs.forge.get(name, {}))
        except VcsError as error:
            yield f"ModernBase {name}: {error}"


def _of_base(
    repository: Repository, base: ModernBase, candidates: list[TaskCandidate], records: dict[int, ForgeRecord]
) -> Iterator[str]:
    yield from _no_revision(repository, base)
    heads = list(_heads(repository, base))
    yield from _idle_globs(repository, base, heads)
    for candidate in candidates if heads else ():
        refusals = [_refusal(repository, candidate, head, records) for head in heads]
        if all(refusals):
            yield f"TaskCandidate {candidate.metadata.name}: {refusals[0]}"


def _no_revision(repository: Repository, base: ModernBase) -> Iterator[str]:
    """Declared revisions that are none, which a run passes over unless it is told to be strict."""
    revision = base.spec.revision
    for field, name in (("healthy", revision.healthy), ("target", revision.target)):
        if name is not None and repository.resolve(name) is None:
            then = "so the base is refused" if revision.strict else "so another is taken; strict: true refuses that"
            why = f"{name} {repository.unresolved(name)}"
            yield f"ModernBase {base.metadata.name}: spec.revision.{field}: {why}, {then}"


def _idle_globs(repository: Repository, base: ModernBase, heads: Sequence[str]) -> Iterator[str]:
    """Globs of the scope that cover no file of any commit that the base may come to stand on."""
    paths = {path for head in heads for path in repository.tree(head)}
    for field, globs in base.spec.scope.document().items():
        for pattern in globs:
            if paths and not any(matches(path, (pattern,)) for path in paths):
                yield f"ModernBase {base.metadata.name}: spec.scope.{field}: {pattern!r} covers no file of it"


def _heads(repository: Repository, base: ModernBase) -> Iterator[str]:
    """The commits that the base may come to stand on, the likeliest first; which one is eligible only a run knows."""
    revision, branch = base.spec.revision, repository.default_branch()
    names = [name for name in (revision.healthy, revision.target) if name is not None]
    default = [f"refs/heads/{branch}"] if branch is not None else []
    wanted = (names or default)[:1] if revision.strict else [*names, *default]
    for name in wanted:
        if (commit := repository.resolve(name)) is not None:
            yield commit


def _refusal(
    repository: Repository, candidate: TaskCandidate, head: str, records: dict[int, ForgeRecord]
) -> str | None:
    change = candidate.spec.change
    try:
        resolve_change(repository, change, head, records.get(change.pull_request or 0))
    except ChangeUnusable as unusable:
        return f"{unusable.reason.value}: {unusable.message}"
    return None
