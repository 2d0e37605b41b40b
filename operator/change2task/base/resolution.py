"""In which order revisions are tried as a base, and why each was taken or not (the paper's appendix A.2).

It exists as pure order: how a revision is looked up, built and checked comes in as callables, so that every path
through the order is a row of a table. The paper's last resort, the historical base, is not part of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

from change2task.api.modernbase import Revision, TriedRevision

Source = Literal["healthy", "target", "default", "main", "master", "devel", "develop", "trunk"]
_DECLARED = frozenset({"healthy", "target"})
BRANCHES: tuple[Source, ...] = ("main", "master", "devel", "develop", "trunk")

Prepared = TypeVar("Prepared")
Fault = TypeVar("Fault")


@dataclass(frozen=True)
class Ineligible(Generic[Fault]):
    """A commit that cannot serve, with a sentence for the list of tried revisions and the fault itself."""

    detail: str
    fault: Fault


@dataclass(frozen=True)
class Resolution(Generic[Prepared, Fault]):
    """What was frozen, or the faults of every commit that was assessed, and all that was tried on the way."""

    prepared: Prepared | None
    tried: tuple[TriedRevision, ...]
    faults: tuple[Fault, ...]


def resolve(
    revision: Revision,
    *,
    default: Callable[[], str | None],
    lookup: Callable[[str], str | None],
    unresolved: Callable[[str], str],
    assess: Callable[[str], Prepared | Ineligible[Fault]],
) -> Resolution[Prepared, Fault]:
    """Try revisions in order and freeze the first eligible one.

    ``default`` names the remote's default branch, ``lookup`` gives a revision's full commit or None (branches are
    asked for as ``refs/heads/NAME``, lest a tag of that name answers), ``unresolved`` says why a revision has none,
    ``assess`` does the expensive rest for a commit. Branch names are tried only where the default branch cannot be
    resolved, as the paper says. No commit is assessed twice. Faults of the machine are exceptions and end it all.
    """
    tried: list[TriedRevision] = []
    faults: list[Fault] = []
    first_seen: dict[str, Source] = {}
    for source, name in _order(revision, default, lookup):
        commit = None if name is None else lookup(name if source in _DECLARED else f"refs/heads/{name}")
        if commit is None:
            tried.append(_tried(source, name, None, detail=_unresolved(source, name, unresolved)))
        elif commit in first_seen:
            same = first_seen[commit]
            tried.append(_tried(source, name, commit, detail=f"the same commit as {same}, which was not eligible"))
        else:
            first_seen[commit] = source
            result = assess(commit)
            if not isinstance(result, Ineligible):
                tried.append(_tried(source, name, commit, eligible=True, detail="eligible; frozen"))
                return Resolution(result, tuple(tried), tuple(faults))
            tried.append(_tried(source, name, commit, detail=result.detail))
            faults.append(result.fault)
        if revision.strict:
            break
    return Resolution(None, tuple(tried), tuple(faults))


def _order(
    revision: Revision, default: Callable[[], str | None], lookup: Callable[[str], str | None]
) -> Iterator[tuple[Source, str | None]]:
    if revision.healthy is not None:
        yield "healthy", revision.healthy
    if revision.target is not None:
        yield "target", revision.target
    branch = default()
    yield "default", branch
    if branch is not None and lookup(f"refs/heads/{branch}") is not None:
        return
    for name in BRANCHES:
        yield name, name


def _tried(
    source: Source, name: str | None, commit: str | None, *, detail: str, eligible: bool = False
) -> TriedRevision:
    return TriedRevision(source=source, revision=name or "HEAD", commit=commit, eligible=eligible, detail=detail)


def _unresolved(source: Source, name: str | None, why: Callable[[str], str]) -> str:
    if name is None:
        return "the repository names no default branch"
    return why(name) if source in _DECLARED else "no such branch"
