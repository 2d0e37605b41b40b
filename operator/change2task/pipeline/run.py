"""The embedded driver: bases first, each once, then their candidates side by side; what fails alone fails alone.

A fault of a base or a candidate is its outcome and the others go on; a fault of the machine leaves no verdict
and is told at the end (issue of the run, not of the code under test). Showing progress and choosing exit codes
is left to the command line.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field

import structlog

from change2task.api.modernbase import ModernBase
from change2task.api.reasons import Reason
from change2task.api.taskcandidate import TaskCandidate
from change2task.checks.passes import Cancelled, InfrastructureFault
from change2task.pipeline import status
from change2task.pipeline.bases import BaseDriver, BaseOutcome
from change2task.pipeline.candidate import CandidateDriver
from change2task.pipeline.progress import Reporter

log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class RunOutcome:
    """All resources as they stand after the run, and every fault of the machine that left something undecided."""

    bases: tuple[ModernBase, ...]
    candidates: tuple[TaskCandidate, ...]
    faults: tuple[str, ...] = ()


@dataclass(frozen=True)
class Run:
    """One run over a store; ``cancel`` set from elsewhere ends it within seconds."""

    bases: BaseDriver
    candidates: CandidateDriver
    reporter: Reporter
    jobs: int
    cancel: threading.Event = field(default_factory=threading.Event)

    def run(self, bases: Iterable[ModernBase], candidates: Sequence[TaskCandidate]) -> RunOutcome:
        """Drive everything; raises Cancelled when it was stopped, StoreError when nothing more can be stored."""
        faults: list[str] = []
        prepared = {base.metadata.name: self._base(base, faults) for base in bases}
        finished: dict[str, TaskCandidate] = {}
        with ThreadPoolExecutor(max_workers=self.jobs, thread_name_prefix="candidate") as pool:
            waiting: dict[Future[TaskCandidate], TaskCandidate] = {
                pool.submit(self._candidate, candidate, prepared[candidate.spec.base_ref.name]): candidate
                for candidate in candidates
            }
            try:
                for future in as_completed(waiting):
                    candidate = waiting[future]
                    finished[candidate.metadata.name] = self._collected(future, candidate, faults)
            except BaseException:
                self.cancel.set()
                for future in waiting:
                    future.cancel()
                raise
        return RunOutcome(
            bases=tuple(outcome.base for outcome in prepared.values()),
            candidates=tuple(finished[candidate.metadata.name] for candidate in candidates),
            faults=tuple(faults),
        )

    def _base(self, base: ModernBase, faults: list[str]) -> BaseOutcome:
        name = base.metadata.name
        self._check_cancelled()
        try:
            outcome = self.bases.drive(base)
        except InfrastructureFault as fault:
            faults.append(f"base {name}: {fault}")
            self.reporter.ended("base", name, "no verdict", str(fault))
            return BaseOutcome(base=status.stalled_base(base, str(fault), self.candidates.clock()), on_hand=None)
        ready = outcome.on_hand is not None
        self.reporter.ended("base", name, "ready" if ready else status.reason_of(outcome.base).value)
        return outcome

    def _candidate(self, candidate: TaskCandidate, base: BaseOutcome) -> TaskCandidate:
        self._check_cancelled()
        if candidate.spec.suspend:
            return self.candidates.suspended(candidate)
        if base.on_hand is None:
            return self.candidates.without_base(candidate, base.base)
        return self.candidates.drive(candidate, base.on_hand)

    def _collected(self, future: Future[TaskCandidate], candidate: TaskCandidate, faults: list[str]) -> TaskCandidate:
        name = candidate.metadata.name
        try:
            done = future.result()
        except InfrastructureFault as fault:
            faults.append(f"candidate {name}: {fault}")
            self.reporter.ended("candidate", name, "no verdict", str(fault))
            return status.stalled_candidate(candidate, str(fault), self.candidates.clock())
        verdict = {True: "accepted", None: "no verdict"}.get(done.status.accepted)
        reason = done.status.reason or Reason.PENDING
        self.reporter.ended("candidate", name, verdict or reason.value, done.status.message)
        return done

    def _check_cancelled(self) -> None:
        if self.cancel.is_set():
            raise Cancelled("the run was stopped")
