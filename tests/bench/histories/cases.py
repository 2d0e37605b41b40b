"""Rows of merged changes as the manifests a user would write for them: a base a repository, a candidate a row.

Only the commit is taken from a row. Family, checks and everything else are left to be found, and what the row says of
them is kept for the report alone.
"""

from __future__ import annotations

import json
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from change2task.api.metadata import ObjectMeta, Reference
from change2task.api.modernbase import ModernBase, ModernBaseSpec
from change2task.api.taskcandidate import Change, TaskCandidate, TaskCandidateSpec

_BASES = Path(__file__).with_name("bases.toml")


@dataclass(frozen=True)
class Case:
    """One row: the candidate made of it and what the list says."""

    candidate: TaskCandidate
    title: str
    listed_family: str


@dataclass(frozen=True)
class History:
    """One repository with its base and its cases."""

    repo: str
    base: ModernBase
    cases: tuple[Case, ...]

    @property
    def url(self) -> str:
        return self.base.spec.repository.url


def read_histories(file: Path, chosen: tuple[str, ...], limit: int | None = None) -> list[History]:
    """The repositories of a list that have a known base, in the list's order, each with its first ``limit`` cases."""
    bases = tomllib.loads(_BASES.read_text())
    rows: dict[str, list[dict[str, Any]]] = {}
    for line in file.read_text().splitlines():
        row = json.loads(line)
        rows.setdefault(row["repo"], []).append(row)
    wanted = [repo for repo in rows if repo in bases and (not chosen or repo in chosen)]
    return [_history(repo, bases[repo], rows[repo][:limit]) for repo in wanted]


def base_alone(repo: str, healthy: str | None = None) -> History:
    """A repository's base without cases, as bases.toml has it, else at ``healthy``."""
    known = tomllib.loads(_BASES.read_text()).get(repo, {"healthy": healthy})
    return _history(repo, known, [])


def _history(repo: str, base: dict[str, Any], rows: list[dict[str, Any]]) -> History:
    name = repo.partition("/")[2].lower()
    spec = {
        "repository": {"url": f"https://github.com/{repo}"},
        "revision": {"healthy": base["healthy"], "strict": True},
        **({"checks": base["checks"]} if "checks" in base else {}),
    }
    return History(
        repo=repo,
        base=ModernBase(metadata=ObjectMeta(name=name), spec=ModernBaseSpec.model_validate(spec)),
        cases=tuple(_case(name, row) for row in rows),
    )


def _case(base: str, row: dict[str, Any]) -> Case:
    candidate = TaskCandidate(
        metadata=ObjectMeta(name=f"{base}-{row['sha'][:8]}"),
        spec=TaskCandidateSpec(base_ref=Reference(name=base), change=Change(commit=row["sha"])),
    )
    return Case(candidate=candidate, title=row["title"], listed_family=row["family"])
