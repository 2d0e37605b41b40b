"""What the pipeline needs from the outside, as it needs it."""

from __future__ import annotations

from dataclasses import dataclass

from change2task.api.modernbase import Scope
from change2task.checks.passes import PassRunner
from change2task.vcs.repository import Repository


@dataclass(frozen=True)
class BaseOnHand:
    """A healthy base ready for candidates: trees and commits as git ids, checks by id."""

    name: str
    url: str
    key: str
    commit: str
    tree: str
    environment_key: str
    inventory_digest: str
    healthy: frozenset[str]
    other: dict[str, str]
    check_format: str
    scope: Scope
    repository: Repository
    runner: PassRunner
