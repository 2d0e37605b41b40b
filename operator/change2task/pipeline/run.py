"""The embedded driver: every base once, then its candidates side by side; what fails alone fails alone.

A fault of a base or a candidate is its outcome and the others go on; a fault of the machine, or of this program,
leaves no verdict and is told at the end. Showing progress and choosing exit codes is left to the command line.
"""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from typing import Any

import structlog

from change2task.api.modernbase import ModernBase
from change2task.api.reasons import Reason
from change2task.api.taskcandidate import TaskCandidate
from change2task.checks.passes import Cancelled, InfrastructureFault
from change2task.corpus.awaited import expect
from change2task.corpus.errors import StoreDamaged, StoreError
from change2task.pipeline import status
from change2task.pipeline.bases import BaseDriver, BaseOutcome
from change2task.pipeline.candidate import CandidateDriver
from change2task.pipeline.progress import Kind, Reporter
from change2task.vcs.errors import VcsError

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
    cancel: threading.Event

    def run(self, bases: Iterable[ModernBase], candidates: Sequence[TaskCandidate]) -> RunOutcome:
        """Drive everything; raises Cancelled when it was stopped, StoreError when nothing more can be stored."""
        bases = tuple(bases)
        names = (*(base.metadata.name for base in bases), *(candidate.metadata.name for candidate in candidates))
        expect(self.candidates.store, names)
        self.reporter.planned(len(candidates))
        with ThreadPoolExecutor(max_workers=self.jobs, thread_name_prefix="work") as pool:
            try:
                outcome = _Working(self, pool, candidates).through(bases)
                return self._settled(outcome)
            except BaseException:
                self.cancel.set()
                pool.shutdown(wait=False, cancel_futures=True)
                raise

    def _settled(self, outcome: RunOutcome) -> RunOutcome:
        """Tasks that verdicts left behind go; a candidate that cannot be read keeps them, and is told at the end."""
        try:
            self.candidates.settle()
        except StoreDamaged as damage:
            return replace(outcome, faults=(*outcome.faults, str(damage)))
        return outcome


_SHOWN = 5


@dataclass
class _Working:
    """The run while it goes on; its fields belong to the thread that waits."""

    of: Run
    pool: ThreadPoolExecutor
    candidates: Sequence[TaskCandidate]
    open: dict[Future[Any], ModernBase | TaskCandidate] = field(default_factory=dict)
    prepared: dict[str, ModernBase] = field(default_factory=dict)
    finished: dict[str, TaskCandidate] = field(default_factory=dict)
    faults: dict[tuple[Kind, str], list[str]] = field(default_factory=dict)
    """Names by their kind and what is told of them, so that what many share is told once."""

    def through(self, bases: Sequence[ModernBase]) -> RunOutcome:
        waiting: defaultdict[str, list[TaskCandidate]] = defaultdict(list)
        for candidate in self.candidates:
            waiting[candidate.spec.base_ref.name].append(candidate)
        for base in bases:
            self.open[self.pool.submit(self._drive_base, base)] = base
        while self.open:
            done, _ = wait(self.open, return_when=FIRST_COMPLETED)
            for future in done:
                resource = self.open.pop(future)
                if isinstance(resource, TaskCandidate):
                    self.finished[resource.metadata.name] = self._candidate(resource, future)
                    continue
                outcome = self._base(resource, future)
                self.prepared[resource.metadata.name] = outcome.base
                for candidate in waiting[resource.metadata.name]:
                    self.open[self.pool.submit(self._drive_candidate, candidate, outcome)] = candidate
        return RunOutcome(
            bases=tuple(self.prepared[base.metadata.name] for base in bases),
            candidates=tuple(self.finished[candidate.metadata.name] for candidate in self.candidates),
            faults=tuple(f"{_named(kind, names)}: {told}" for (kind, told), names in self.faults.items()),
        )

    def _drive_base(self, base: ModernBase) -> BaseOutcome:
        self._check_cancelled()
        return self.of.bases.drive(base)

    def _drive_candidate(self, candidate: TaskCandidate, base: BaseOutcome) -> TaskCandidate:
        self._check_cancelled()
        drivers = self.of.candidates
        if candidate.spec.suspend:
            return drivers.suspended(candidate)
        if base.on_hand is not None:
            return drivers.drive(candidate, base.on_hand)
        if status.reason_of(base.base).rejection is None:
            raise InfrastructureFault(f"its base {base.base.metadata.name} was not prepared")
        return drivers.without_base(candidate, base.base)

    def _base(self, base: ModernBase, future: Future[BaseOutcome]) -> BaseOutcome:
        name, error = base.metadata.name, future.exception()
        if error is not None:
            told = self._fault("base", name, error)
            return BaseOutcome(base=status.stalled_base(base, told, self.of.candidates.clock()), on_hand=None)
        outcome = future.result()
        ready = outcome.on_hand is not None
        self.of.reporter.ended(
            "base", name, "ready" if ready else status.reason_of(outcome.base), status.message_of(outcome.base)
        )
        return outcome

    def _candidate(self, candidate: TaskCandidate, future: Future[TaskCandidate]) -> TaskCandidate:
        name, error = candidate.metadata.name, future.exception()
        if error is not None:
            told = self._fault("candidate", name, error)
            return status.stalled_candidate(candidate, told, self.of.candidates.clock())
        done = future.result()
        reason = done.status.reason or Reason.PENDING
        outcome = "suspended" if status.is_suspended(done) else "accepted" if done.status.accepted else reason.value
        self.of.reporter.ended("candidate", name, outcome, done.status.message)
        return done

    def _fault(self, kind: Kind, name: str, error: BaseException) -> str:
        """What is told of an error that leaves no verdict; one that ends the whole run is raised again."""
        match error:
            case InfrastructureFault() | VcsError() | OSError():
                told = str(error)
            case Cancelled() | StoreError():
                raise error
            case Exception():
                told = f"a defect of change2task, please report it: {type(error).__name__}: {error}"
                log.error("defect", kind=kind, name=name, exc_info=error)
            case _:
                raise error
        self.faults.setdefault((kind, told), []).append(name)
        self.of.reporter.ended(kind, name, "no verdict", told)
        return told

    def _check_cancelled(self) -> None:
        if self.of.cancel.is_set():
            raise Cancelled("the run was stopped")


def _named(kind: Kind, names: Sequence[str]) -> str:
    if len(names) == 1:
        return f"{kind} {names[0]}"
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return f"{kind}s {', '.join(sorted(names)[:_SHOWN])}{more}"
