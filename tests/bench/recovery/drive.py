"""One repository's sample through the pipeline: the whole ladder first, then each baseline, all under the same gates.

A row is written as soon as its candidate is decided, so that a stopped bench goes on where it was. Passes are
remembered by what decides them (tree, tests, perturbation), so that baselines and a second start meet equal results.
"""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from change2task.api.metadata import ObjectMeta, Reference
from change2task.api.reasons import Reason
from change2task.api.taskcandidate import Change, Profile, TaskCandidate, TaskCandidateSpec
from change2task.checks.passes import InfrastructureFault
from change2task.construct.strategy import Strategy
from change2task.corpus.rows import candidate_row
from change2task.corpus.store import Store
from change2task.families.choose import ADAPTERS, choose_family
from change2task.history.models import ChangeUnusable
from change2task.patch.paths import unquote
from change2task.pipeline.alignment import align
from change2task.pipeline.candidate import CandidateDriver
from change2task.pipeline.ports import BaseOnHand
from change2task.pipeline.status import message_of, reason_of
from change2task.syntax.languages import language_of
from change2task.vcs.errors import VcsError
from tests.bench.histories.cases import History
from tests.bench.histories.remembered import RememberedRunner
from tests.bench.recovery.bounded import Bounded, Late
from tests.bench.recovery.sample import Sampled, sample
from tests.bench.sessions import opened

_SHOWN = 600


@dataclass(frozen=True)
class Asked:
    """What the command line says: how many changes of how many years, by which seed, in how much time each."""

    count: int
    years: float
    seed: int
    jobs: int
    seconds: float
    commits: tuple[str, ...] = ()
    """Instead of a sample: these, by how their ids begin."""


@dataclass(frozen=True)
class Drive:
    """One repository; ``ladders`` by name, the one named ``ladder`` first; all it keeps lies in ``folder``."""

    history: History
    mirror: Path
    folder: Path
    asked: Asked
    ladders: Mapping[str, Sequence[Strategy]]
    run_name: str
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def rows(self, file: Path) -> list[dict[str, Any]]:
        """Every sampled change's row, new ones appended to ``file``; AssertionError when the base is not healthy."""
        known = {row["commit"]: row for row in read_rows(file) if _is_decided(row)}
        with opened(self.history, self.mirror, self.folder / "base") as session:
            outcome = session.bases.drive(self.history.base)
            if outcome.on_hand is None:
                base = outcome.base
                raise AssertionError(f"{self.history.repo}: {reason_of(base).value}: {message_of(base)}")
            base_on_hand = outcome.on_hand
            runner = RememberedRunner(base_on_hand.runner, self.folder / "passes" / base_on_hand.key[:16])
            base_on_hand = replace(base_on_hand, runner=runner)
            chosen = list(self._sample(base_on_hand))
            with ExitStack() as stack:
                stores = {name: Store.open(self._place(name), create=True) for name in self.ladders}
                for store in stores.values():
                    stack.enter_context(store.exclusive())

                def one(sampled: Sampled) -> dict[str, Any]:
                    if sampled.commit in known:
                        return known[sampled.commit]
                    row = self._row(sampled, session.candidates, base_on_hand, stores)
                    with self._lock, file.open("a") as out:
                        out.write(json.dumps(row) + "\n")
                    return row

                pool = stack.enter_context(ThreadPoolExecutor(max_workers=self.asked.jobs))
                return list(pool.map(one, chosen))

    def _place(self, ladder: str) -> Path:
        return self.folder / self.run_name / ladder

    def _sample(self, base: BaseOnHand) -> Iterator[Sampled]:
        """The first of the seeded order that have a test of theirs healthy on the base."""
        found = 0
        drawn = sample(base.repository, base.commit, None, years=self.asked.years, seed=self.asked.seed)
        for sampled in drawn:
            if found == (len(self.asked.commits) or self.asked.count):
                return
            if self.asked.commits and not sampled.commit.startswith(self.asked.commits):
                continue
            if _has_target(base, sampled):
                found += 1
                yield sampled

    def _row(
        self, sampled: Sampled, driver: CandidateDriver, base: BaseOnHand, stores: Mapping[str, Store]
    ) -> dict[str, Any]:
        name = f"{self.history.base.metadata.name}-{sampled.commit[:8]}"
        candidate = TaskCandidate(
            metadata=ObjectMeta(name=name),
            spec=TaskCandidateSpec(
                base_ref=Reference(name=self.history.base.metadata.name), change=Change(commit=sampled.commit)
            ),
        )
        return {
            "repo": self.history.repo,
            "commit": sampled.commit,
            "title": sampled.evidence.change.title[:120],
            "days": sampled.days,
            "lines": sampled.lines,
            "language": _language(sampled),
            "by": {
                ladder: self._verdict(candidate, driver, base, stores[ladder], strategies)
                for ladder, strategies in self.ladders.items()
            },
        }

    def _verdict(
        self,
        candidate: TaskCandidate,
        driver: CandidateDriver,
        base: BaseOnHand,
        store: Store,
        ladder: Sequence[Strategy],
    ) -> dict[str, Any]:
        bounded = Bounded(base.runner, self.asked.seconds)
        mine = replace(driver, store=store, profile=Profile.FULL, ladder=lambda _profile, _levels: ladder)
        try:
            row = candidate_row(mine.drive(candidate, replace(base, runner=bounded)))
        except Late as late:
            return {"accepted": None, "reason": "Late", "message": str(late), "strategy": None, "attempts": []}
        except (InfrastructureFault, VcsError, OSError) as fault:
            return {"accepted": None, "reason": "Machine", "message": str(fault), "strategy": None, "attempts": []}
        kept = ("accepted", "reason", "strategy", "level", "family", "seconds", "fidelity", "checks")
        return {
            **{key: row[key] for key in kept},
            "message": row["message"][:_SHOWN],
            "passes": bounded.passes,
            "attempts": [_attempt(one) for one in row["attempts"]],
        }


def read_rows(file: Path) -> list[dict[str, Any]]:
    """Rows written so far; a last line that a stopped bench left half is not one."""
    lines = file.read_text().split("\n")[:-1] if file.is_file() else []
    return [json.loads(line) for line in lines]


def _is_decided(row: dict[str, Any]) -> bool:
    """Nothing was late and the machine held; what was not is tried again, and goes further on remembered passes."""
    return all(verdict["accepted"] is not None for verdict in row["by"].values())


def _has_target(base: BaseOnHand, sampled: Sampled) -> bool:
    evidence = sampled.evidence.replacing(silent=False)
    spec = TaskCandidateSpec(base_ref=Reference(name=base.name), change=Change(commit=sampled.commit))
    family, _ = choose_family(evidence, spec)
    contract = ADAPTERS[family].contract(evidence, spec, base.scope, base.surface())
    try:
        case, _ = align(base.repository, base, spec, evidence, contract, Profile.FULL)
    except ChangeUnusable as unusable:
        return unusable.reason not in {Reason.NO_TARGET_CHECKS, Reason.NO_REGRESSION_CHECKS}
    return bool(case.tests.mapped)


def _language(sampled: Sampled) -> str:
    names: Counter[str] = Counter()
    for file in sampled.assignment.files:
        language = language_of(unquote(file.modern or file.after or file.before or ""), b"")
        names[language.value if language is not None else "other"] += 1
    return names.most_common(1)[0][0] if names else "other"


def _attempt(attempt: dict[str, Any]) -> dict[str, Any]:
    kept = {key: attempt.get(key) for key in ("strategy", "outcome", "reason", "tree")}
    return {**kept, "message": attempt.get("message", "")[:_SHOWN]}
