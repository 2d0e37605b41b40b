"""One candidate from its change to its verdict: evidence, alignment, the ladder under the gates, publishing.

Status is written once, at the end, after everything it points to is stored; until then the journal of passes
is all there is, so that a killed run leaves either no verdict or a whole one.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import structlog

from change2task.api.metadata import Reference
from change2task.api.model import Model
from change2task.api.reasons import Reason
from change2task.api.taskcandidate import (
    Attempt,
    CheckCounts,
    Family,
    Profile,
    ResolvedChange,
    TaskCandidate,
    TaskCandidateStatus,
)
from change2task.api.taskvariant import TaskVariant
from change2task.construct.ladder import climb, strategies
from change2task.construct.models import NotApplicable, Proposal
from change2task.corpus.store import Store
from change2task.families.choice import choose_family
from change2task.families.contract import contract_of
from change2task.history.evidence import gather_evidence
from change2task.history.forge import ForgeRecord
from change2task.history.models import ChangeUnusable, Evidence
from change2task.pipeline import status
from change2task.pipeline.alignment import align
from change2task.pipeline.journal import JournalRunner
from change2task.pipeline.keys import verdict_key
from change2task.pipeline.ports import BaseOnHand
from change2task.pipeline.progress import Reporter
from change2task.pipeline.publish import variant_of
from change2task.validate.case import Case
from change2task.validate.qualify import Qualification, qualify
from change2task.validate.verdict import Verdict

log = structlog.get_logger(__name__)


@dataclass
class _Work:
    """What has been won so far for one candidate."""

    seconds: dict[str, float] = field(default_factory=dict)
    evidence: dict[str, str] = field(default_factory=dict)
    attempts: list[Attempt] = field(default_factory=list)
    found: Evidence | None = None
    family: Family | None = None
    family_reason: str = ""
    variant: TaskVariant | None = None
    qualification: Qualification | None = None
    proposal: Proposal | None = None

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        started = time.monotonic()
        try:
            yield
        finally:
            self.seconds[name] = round(self.seconds.get(name, 0.0) + time.monotonic() - started, 3)


@dataclass(frozen=True)
class CandidateDriver:
    """Drives candidates of one store; safe to use from several threads, one candidate a thread."""

    store: Store
    profile: Profile
    clock: Any
    reporter: Reporter
    forge: dict[int, ForgeRecord] = field(default_factory=dict)
    forge_digest: str = ""

    def key(self, candidate: TaskCandidate, base: BaseOnHand) -> str:
        """The verdict's key on this base."""
        return verdict_key(candidate, base.key, base.inventory_digest, self._profile(candidate), self.forge_digest)

    def drive(self, candidate: TaskCandidate, base: BaseOnHand) -> TaskCandidate:
        """The candidate with its verdict, stored; raises InfrastructureFault and Cancelled without one."""
        key = self.key(candidate, base)
        stored = self.store.candidate(candidate.metadata.name)
        if stored is not None and stored.status.accepted is not None and stored.status.stages.get("verdict") == key:
            log.debug("candidate.unchanged", candidate=candidate.metadata.name)
            return stored
        journal = JournalRunner(base.runner, self.store, key)
        work = _Work()
        verdict = self._verdict(candidate, base, journal, work)
        done = self._finished(candidate, base, key, verdict, work)
        if work.variant is not None:
            self.store.put(work.variant)
        self.store.put(done)
        self._forget_old_variant(stored, done)
        journal.drop()
        return done

    def _verdict(self, candidate: TaskCandidate, base: BaseOnHand, runner: JournalRunner, work: _Work) -> Verdict:
        name, spec = candidate.metadata.name, candidate.spec
        profile = self._profile(candidate)
        try:
            self.reporter.stage("candidate", name, "evidence")
            with work.stage("evidence"):
                record = self._forge_record(base, spec)
                change = resolve_change(base.repository, spec.change, base.commit, record)
                gathered = gather_evidence(
                    base.repository,
                    change,
                    base.commit,
                    base.scope,
                    spec.intent,
                    record or self._forge_of(base, change),
                )
                work.found = gathered.evidence
                work.evidence["sourcePatch"] = self.store.put_evidence(gathered.source_patch)
                work.evidence["evidence"] = self._file(gathered.evidence)
            self.reporter.stage("candidate", name, "alignment")
            with work.stage("alignment"):
                work.family, work.family_reason = choose_family(gathered.evidence, spec)
                contract = contract_of(work.family, gathered.evidence, spec)
                case, alignment = align(
                    base.repository, base, spec, gathered.evidence, contract.checks, profile, base.check_format
                )
                work.evidence["alignment"] = self._file(alignment)
        except ChangeUnusable as unusable:
            return status.rejection(unusable.reason, unusable.message)
        return self._climb(candidate, base, runner, work, case, alignment.assignment, contract)

    def _climb(self, candidate, base, runner, work, case: Case, assignment, contract) -> Verdict:  # type: ignore[no-untyped-def]
        name, spec = candidate.metadata.name, candidate.spec
        ladder = strategies(self._profile(candidate), spec.construction.levels)
        refusals: list[tuple[int, Verdict]] = []
        answers = climb(ladder, base.repository, assignment)
        while True:
            with work.stage("construction"):
                answer = next(answers, None)
            if answer is None:
                return status.terminal(refusals, work.attempts)
            if isinstance(answer, NotApplicable):
                work.attempts.append(status.not_applicable(answer))
                continue
            self.reporter.stage("candidate", name, "validation", answer.strategy)
            with work.stage("validation"):
                qualification = qualify(base.repository, runner, case, answer)
            patch = base.repository.diff(assignment.healthy_tree, answer.tree)
            work.attempts.append(self._attempt(answer, qualification, patch))
            if not qualification.accepted:
                refusals.append((len(qualification.gates), qualification.verdict))
                continue
            work.qualification, work.proposal = qualification, answer
            self._publish(candidate, base, work, case, contract)
            return qualification.verdict

    def _publish(self, candidate, base, work, case, contract) -> None:  # type: ignore[no-untyped-def]
        qualification = work.qualification
        regression = "\n".join(sorted((*qualification.regression, *qualification.hidden_regression))) + "\n"
        digest = self.store.put_evidence(regression.encode("utf-8", "surrogatepass"))
        work.evidence["regression"] = digest
        work.variant = variant_of(
            candidate.metadata.name,
            base,
            work.found,
            work.family,
            contract,
            case,
            work.proposal,
            qualification,
            digest,
            work.evidence["sourcePatch"],
        )

    def _attempt(self, proposal: Proposal, qualification: Qualification, patch: bytes) -> Attempt:
        verdict = qualification.verdict
        evidence = {"gates": self.store.put_evidence(status.gates_document(proposal, qualification))}
        return Attempt(
            level=proposal.level,
            strategy=proposal.strategy,
            outcome="accepted" if qualification.accepted else "rejected",
            reason=Reason.ACCEPTED if qualification.accepted else verdict.reason,
            message=verdict.message,
            tree=proposal.tree,
            task_patch=self.store.put_evidence(patch),
            fidelity=qualification.fidelity,
            evidence=evidence,
        )

    def _finished(
        self, candidate: TaskCandidate, base: BaseOnHand, key: str, verdict: Verdict, work: _Work
    ) -> TaskCandidate:
        change = work.found.change if work.found is not None else None
        qualification = work.qualification
        accepted = work.variant is not None
        now: datetime = self.clock()
        done = TaskCandidateStatus(
            observed_generation=candidate.metadata.generation,
            conditions=status.candidate_conditions(candidate, verdict, accepted, work.attempts, now),
            base_key=base.key,
            family=work.family,
            family_reason=work.family_reason or None,
            change=None
            if change is None
            else ResolvedChange(
                commit=change.commit,
                parent=change.parent,
                pull_request=change.pull_request,
                kind=change.kind,
                title=change.title[:1024],
            ),
            profile=self._profile(candidate),
            accepted=accepted,
            reason=Reason.ACCEPTED if accepted else verdict.reason,
            rejection=None if accepted else verdict.reason.rejection,
            message=verdict.message,
            level=work.proposal.level if work.proposal else None,
            strategy=work.proposal.strategy if work.proposal else None,
            fidelity=qualification.fidelity if qualification else None,
            checks=None
            if qualification is None
            else CheckCounts(
                target=len(qualification.targets),
                regression=len(qualification.regression) + len(qualification.hidden_regression),
                observer=len(qualification.observers),
            ),
            variant_ref=None if work.variant is None else Reference(name=work.variant.metadata.name),
            attempts=tuple(work.attempts),
            stages={"verdict": key},
            evidence=work.evidence,
            seconds=work.seconds,
        )
        return candidate.replacing(status=done)

    def _forget_old_variant(self, stored: TaskCandidate | None, done: TaskCandidate) -> None:
        old = stored.status.variant_ref if stored is not None else None
        if old is None or old == done.status.variant_ref:
            return
        held = {
            other.status.variant_ref.name
            for other in map(self.store.candidate, self.store.names(TaskCandidate))
            if other is not None and other.status.variant_ref is not None
        }
        if old.name not in held:
            self.store.remove_variant(old.name)

    def _file(self, document: Model) -> str:
        return self.store.put_evidence(document.canonical())

    def _profile(self, candidate: TaskCandidate) -> Profile:
        return candidate.spec.construction.profile or self.profile
