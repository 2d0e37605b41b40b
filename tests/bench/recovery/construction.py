"""What each strategy makes of a sample, without running anything: trees, seconds, refusals."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from change2task.construct.models import Proposal
from change2task.construct.strategy import Strategy
from change2task.patch.paths import quote
from change2task.syntax.faults import new_syntax_errors
from change2task.syntax.languages import language_of
from change2task.vcs.repository import Repository
from tests.bench.recovery.sample import Sampled


@dataclass(frozen=True)
class Tried:
    """One strategy on one change: ``made`` is a tree other than the healthy one that parses wherever that one does.

    ``seconds`` are of this process's processor time, so that a busy machine does not change them; git's are not in it.
    """

    strategy: str
    made: bool
    broken: str
    why: str
    tree: str
    seconds: float


def construct(repository: Repository, sampled: Sampled, strategies: Sequence[Strategy]) -> dict[str, Any]:
    """Every strategy's answers to one change, as a row of the report."""
    tried = [_try(repository, sampled, strategy) for strategy in strategies]
    return {
        "commit": sampled.commit,
        "days": sampled.days,
        "lines": sampled.lines,
        "tried": [asdict(one) for one in tried],
    }


def _try(repository: Repository, sampled: Sampled, strategy: Strategy) -> Tried:
    started = time.process_time()
    answers = list(strategy.propose(repository, sampled.assignment))
    seconds = time.process_time() - started
    healthy = sampled.assignment.healthy_tree
    for answer in answers:
        if isinstance(answer, Proposal) and answer.tree != healthy:
            broken = _broken(repository, healthy, answer.tree)
            return Tried(strategy.name, not broken, broken, "", answer.tree, seconds)
    why = "; ".join("the healthy tree itself" if isinstance(a, Proposal) else a.why for a in answers)
    return Tried(strategy.name, False, "", why, "", seconds)


def _broken(repository: Repository, healthy: str, tree: str) -> str:
    for change in repository.changed_paths(healthy, tree):
        entry, was = repository.entry(tree, change.path), repository.entry(healthy, change.path)
        if entry is None:
            continue
        after = repository.blob(entry.oid)
        language = language_of(change.path, after[:256])
        before = repository.blob(was.oid) if was is not None else b""
        if language is not None and new_syntax_errors(language, before, after):
            return quote(change.path)
    return ""
