"""Which documents and images of the registry nothing needs any more. Pure.

Only what the operator itself pushes on the way to a verdict is ever garbage: what pods were asked, steps' images and
their results. Verdicts' outcomes, bases, histories and environments are not: they are evidence, and few. A manifest
goes only if it bears this installation's marks and nobody else's, the newest of them is old, and no object of the
cluster names its digest anywhere.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable
from datetime import date, datetime, timedelta
from typing import Final, NamedTuple

from change2task.api.model import Model

REPOSITORIES: Final = ("asked", "mined", "results", "steps")
_DIGEST_TAG = re.compile(r"sha256-([0-9a-f]{64})")
_MARK = re.compile(r"made-([a-z0-9]{1,20})-([0-9]{8})-([0-9a-f]{64})")
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")


class Mark(NamedTuple):
    """That an installation had use for a manifest on a day."""

    installation: str
    day: date


class Kept(Model):
    """A manifest of a repository, and its marks."""

    digest: str
    marks: tuple[Mark, ...] = ()


def mark(installation: str, day: date, digest: str) -> str:
    """The tag by which a use is marked."""
    return f"made-{installation}-{day:%Y%m%d}-{digest.removeprefix('sha256:')}"


def kept_of(tags: Iterable[str]) -> tuple[Kept, ...]:
    """The manifests of a repository by its tags; one that has no tag of its digest is not known here."""
    marks: defaultdict[str, list[Mark]] = defaultdict(list)
    digests: set[str] = set()
    for tag in tags:
        if (found := _DIGEST_TAG.fullmatch(tag)) is not None:
            digests.add(found[1])
        elif (found := _MARK.fullmatch(tag)) is not None:
            marks[found[3]].append(Mark(found[1], _day(found[2])))
    return tuple(Kept(digest=f"sha256:{hexed}", marks=tuple(sorted(marks[hexed]))) for hexed in sorted(digests))


def named(text: str) -> set[str]:
    """All digests that an object names, wherever in it: better one too many."""
    return set(_DIGEST.findall(text))


def garbage(kept: Iterable[Kept], live: Collection[str], me: str, today: date, days: int) -> tuple[str, ...]:
    """Digests of what may go."""
    before = today - timedelta(days=days)
    return tuple(
        one.digest
        for one in kept
        if one.digest not in live
        and one.marks
        and all(mark.installation == me and mark.day < before for mark in one.marks)
    )


def _day(text: str) -> date:
    """A mark's day; what is none is far off, so that it keeps what it marks."""
    try:
        return datetime.strptime(text, "%Y%m%d").date()
    except ValueError:
        return date.max
