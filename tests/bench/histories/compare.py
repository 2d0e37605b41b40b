"""Drives one repository's cases through every configuration, each with a store of its own on one shared base."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from change2task.api.taskcandidate import TaskCandidate
from change2task.corpus.rows import base_row, candidate_row
from change2task.corpus.store import Store
from change2task.pipeline.candidate import CandidateDriver
from change2task.pipeline.ports import BaseOnHand
from change2task.pipeline.status import message_of, reason_of
from tests.bench.histories.cases import Case, History
from tests.bench.histories.configurations import Configuration, configurations
from tests.bench.histories.funnel import funnel, reached
from tests.bench.histories.remembered import RememberedRunner
from tests.bench.sessions import opened


@dataclass(frozen=True)
class Comparison:
    """One repository's benchmark; ``folder`` holds all it keeps, ``jobs`` candidates run side by side."""

    history: History
    mirror: Path
    folder: Path
    jobs: int

    def run(self) -> dict[str, Any]:
        """The report; resumed from whatever stands in the folder. A fault of the machine is raised."""
        with opened(self.history, self.mirror, self.folder / "base") as session:
            outcome = session.bases.drive(self.history.base)
            if outcome.on_hand is None:
                raise AssertionError(
                    f"{self.history.repo}: {reason_of(outcome.base).value}: {message_of(outcome.base)}"
                )
            runner = RememberedRunner(outcome.on_hand.runner, self.folder / "passes" / outcome.on_hand.key[:16])
            base = replace(outcome.on_hand, runner=runner)
            rows = {one.name: self._configured(one, session.candidates, base) for one in configurations()}
        return {
            "repo": self.history.repo,
            "base": base_row(outcome.base),
            "cases": [self._case(case, rows) for case in self.history.cases],
            "funnels": {
                name: funnel(row["reached"] for row in by_candidate.values()) for name, by_candidate in rows.items()
            },
        }

    def _configured(
        self, configuration: Configuration, candidates: CandidateDriver, base: BaseOnHand
    ) -> dict[str, dict[str, Any]]:
        store = Store.open(self.folder / configuration.name, create=True)
        driver = replace(candidates, store=store, profile=configuration.gates, ladder=configuration.ladder)

        def drive(case: Case) -> tuple[str, dict[str, Any]]:
            done: TaskCandidate = driver.drive(case.candidate, base)
            return case.candidate.metadata.name, {**candidate_row(done), "reached": reached(store, done)}

        with ExitStack() as stack:
            stack.enter_context(store.exclusive())
            pool = stack.enter_context(ThreadPoolExecutor(max_workers=self.jobs))
            return dict(pool.map(drive, self.history.cases))

    @staticmethod
    def _case(case: Case, rows: dict[str, dict[str, dict[str, Any]]]) -> dict[str, Any]:
        name = case.candidate.metadata.name
        return {
            "name": name,
            "title": case.title,
            "listedFamily": case.listed_family,
            "verdicts": {configuration: by_candidate[name] for configuration, by_candidate in rows.items()},
        }
