"""From rows of a benchmark to manifests: a base a repository, a candidate a row, and what became of each row.

Rows are told apart by what they refer to, so that a change which a benchmark names twice is one candidate.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from pydantic import ValidationError

from change2task.api import mining as names
from change2task.api.metadata import ObjectMeta, Reference
from change2task.api.modernbase import ModernBase, ModernBaseSpec, Revision
from change2task.api.modernbase import Repository as RepositorySpec
from change2task.api.taskcandidate import Change, TaskCandidate, TaskCandidateSpec
from change2task.history.benchmarks.formats import Imported
from change2task.history.benchmarks.rows import RowFault
from change2task.history.models import ChangeUnusable

GITHUB: Final = "https://github.com/"
_NAME = re.compile(r"[^a-z0-9]+")
_TEXT: Final = 1000

Locate = Callable[[str, Imported], Change | None]


@dataclass(frozen=True)
class Rows:
    """Bases by the order of their first row, candidates in the order of theirs, and the rows that cannot be used."""

    bases: tuple[ModernBase, ...]
    candidates: tuple[TaskCandidate, ...]
    faults: tuple[RowFault, ...]
    rows: int


def manifests(
    rows: Iterable[Imported | RowFault],
    *,
    form: str,
    urls: Mapping[str, str],
    default: str | None,
    healthy: Mapping[str, str],
    locate: Locate,
) -> Rows:
    """The manifests of a benchmark's rows.

    ``urls``: where a repository of rows is, by its name there; otherwise OWNER/NAME is at GitHub. ``default``: the URL
    of rows that name none. ``healthy``: the base's revision by name or URL, by "" for all; otherwise HEAD. ``locate``
    finds a row's change in the repository of a URL: None where the history is needed and not at hand; it may raise
    ChangeUnusable.
    """
    making = _Making(form, urls, default, healthy, locate)
    count = 0
    for row in rows:
        count += 1
        making.take(row)
    return Rows(tuple(making.bases.values()), tuple(making.candidates.values()), tuple(making.faults), count)


class _Making:
    def __init__(
        self, form: str, urls: Mapping[str, str], default: str | None, healthy: Mapping[str, str], locate: Locate
    ) -> None:
        self._form, self._urls, self._default = form, urls, default
        self._healthy, self._locate = healthy, locate
        self.bases: dict[str, ModernBase] = {}
        self.candidates: dict[str, TaskCandidate] = {}
        self.faults: list[RowFault] = []
        self._lines: dict[str, int] = {}

    def take(self, row: Imported | RowFault) -> None:
        if isinstance(row, RowFault):
            self.faults.append(row)
            return
        try:
            self._take(row)
        except ChangeUnusable as unusable:
            self.faults.append(RowFault(row.line, "", f"{unusable.reason.value}: {unusable.message}"))
        except ValidationError as error:
            first = error.errors()[0]
            field = ".".join(str(part) for part in first["loc"])
            self.faults.append(RowFault(row.line, field, first["msg"]))

    def _take(self, row: Imported) -> None:
        url = self._url(row)
        if url is None:
            self.faults.append(RowFault(row.line, "repository", "missing; --repository URL says whose such rows are"))
            return
        change = self._locate(url, row)
        if change is None:
            way = f"the history tells which commit stands on it: give --mirror {url}=PATH"
            self.faults.append(RowFault(row.line, "base_commit", way))
            return
        base = self._base(url, row.repository or url)
        candidate = self._candidate(base, change, row)
        name = candidate.metadata.name
        if name in self.candidates:
            self.faults.append(RowFault(row.line, "", f"the same change as row {self._lines[name]} ({name})"))
            return
        self.candidates[name], self._lines[name] = candidate, row.line

    def _url(self, row: Imported) -> str | None:
        if row.repository is None:
            return self._default
        if row.repository in self._urls:
            return self._urls[row.repository]
        return row.repository if ":" in row.repository else GITHUB + row.repository

    def _base(self, url: str, named: str) -> ModernBase:
        if url not in self.bases:
            stem = url.rstrip("/").removesuffix(".git")
            short, long = (_plain("/".join(re.split(r"[/:]", stem)[-count:])) for count in (1, 2))
            taken = {base.metadata.name for base in self.bases.values()}
            free = (name for name in (short, long, *(f"{long}-{n}" for n in range(2, 10_000))) if name not in taken)
            healthy = self._healthy.get(named) or self._healthy.get(url) or self._healthy.get("") or "HEAD"
            self.bases[url] = ModernBase(
                metadata=ObjectMeta(name=next(free)),
                spec=ModernBaseSpec(repository=RepositorySpec(url=url), revision=Revision(healthy=healthy)),
            )
        return self.bases[url]

    def _candidate(self, base: ModernBase, change: Change, row: Imported) -> TaskCandidate:
        name = base.metadata.name
        return TaskCandidate(
            metadata=ObjectMeta(
                name=names.candidate_name(name, change.pull_request, change.commit or ""),
                labels={names.IMPORTED_FROM: self._form},
                annotations={names.ROW: " ".join(f"{row.line} {row.name}".split())[:_TEXT]},
            ),
            spec=TaskCandidateSpec(base_ref=Reference(name=name), change=change, family=row.family, intent=row.intent),
        )


def _plain(text: str) -> str:
    return _NAME.sub("-", text.lower()).strip("-")[:63].rstrip("-") or "repository"
