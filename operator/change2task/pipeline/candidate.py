"""One candidate from its change to its verdict: evidence, alignment, the ladder under the gates, publishing.

Status is written once, at the end, after everything it points to is stored; until then the journal of passes
is all there is, so that a killed run leaves either no verdict or a whole one.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

import structlog

from change2task.api.metadata import Reference
from change2task.api.model import Model
from change2task.api.modernbase import ModernBase
from change2task.api.reasons import Reason
from change2task.api.taskcandidate import (
    Attempt,
    CheckCounts,
    Profile,
    ResolvedChange,
    TaskCandidate,
    TaskCandidateStatus,
)
from change2task.api.taskvariant import TaskVariant
from change2task.checks.passes import InfrastructureFault
from change2task.construct.ladder import climb, strategies
from change2task.construct.models import Assignment, NotApplicable, Proposal
from change2task.construct.strategy import Strategy
from change2task.corpus.store import Store
from change2task.families.choose import ADAPTERS, choose_family
from change2task.families.contract import FamilyContract
from change2task.history.evidence import gather_evidence
from change2task.history.forge import ForgeRecord
from change2task.history.models import ChangeUnusable, Evidence
from change2task.history.references import resolve_change
from change2task.pipeline import status
from change2task.pipeline.alignment import align
from change2task.pipeline.journal import JournalRunner
from change2task.pipeline.keys import verdict_key
from change2task.pipeline.ports import BaseOnHand
from change2task.pipeline.progress import Reporter
from change2task.pipeline.publish import published_patches, variant_of
from change2task.pipeline.work import Won, Work
from change2task.validate.case import Case
from change2task.validate.qualify import Qualification, qualify
from change2task.validate.verdict import Verdict

log = structlog.get_logger(__name__)

Clock = Callable[[], datetime]
Ladder = Callable[[Profile, Collection[int]], Sequence[Strategy]]


@dataclass(frozen=True)
class CandidateDriver:
    """Drives candidates of one store; safe to use from several threads, one candidate a thread.

    ``forge`` holds the forge's records by base name and request number. Another ``ladder`` than the profile's own
    lets one strategy be measured under the same gates; its verdicts belong into a store of their own.
    """

    store: Store
    profile: Profile
    clock: Clock
    reporter: Reporter
    forge: Mapping[str, Mapping[int, ForgeRecord]] = field(default_factory=dict)
    ladder: Ladder = strategies

    def drive(self, candidate: TaskCandidate, base: BaseOnHand) -> TaskCandidate:
        """The candidate with its verdict, stored; raises InfrastructureFault and Cancelled without one."""
        key = self._key(candidate, base)
        stored = self.store.candidate(candidate.metadata.name)
        if stored is not None and stored.status.accepted is not None and stored.status.stages.get("verdict") == key:
            log.debug("candidate.unchanged", candidate=candidate.metadata.name)
            return stored
        journal = JournalRunner(base.runner, self.store, candidate.metadata.name, key)
        work = Work()
        verdict = self._verdict(candidate, base, journal, work)
        done = self._finished(candidate, base, key, verdict, work)
        if work.won is not None:
            self.store.put(work.won.variant)
        self.store.put(done)
        self._forget_old_variant(stored, done)
        journal.drop()
        return done

    def suspended(self, candidate: TaskCandidate) -> TaskCandidate:
        """A suspended candidate, with what is stored of it."""
        stored = self.store.candidate(candidate.metadata.name)
        kept = candidate.replacing(status=stored.status) if stored is not None else candidate
        done = status.suspended_candidate(kept, self.clock())
        self.store.put(done)
        return done

    def without_base(self, candidate: TaskCandidate, base: ModernBase) -> TaskCandidate:
        """A candidate whose base has ended: rejected with the base's reason, or left as it is while nobody knows."""
        reason = status.reason_of(base)
        if reason.rejection is None:
            raise InfrastructureFault(f"its base {base.metadata.name} is not ready ({reason.value})")
        verdict = status.rejection(
            Reason.BASE_NOT_READY,
            f"base {base.metadata.name} is not healthy: {reason.value}: {status.message_of(base) or reason.sentence}",
        )
        done = candidate.replacing(
            status=TaskCandidateStatus(
                observed_generation=candidate.metadata.generation,
                conditions=status.candidate_conditions(candidate, verdict, accepted=False, now=self.clock()),
                base_key=base.status.base_key,
                accepted=False,
                reason=verdict.reason,
                rejection=verdict.reason.rejection,
                message=verdict.message,
            )
        )
        stored = self.store.candidate(candidate.metadata.name)
        self.store.put(done)
        self._forget_old_variant(stored, done)
        return done

    def _verdict(self, candidate: TaskCandidate, base: BaseOnHand, runner: JournalRunner, work: Work) -> Verdict:
        name, spec = candidate.metadata.name, candidate.spec
        try:
            self.reporter.stage("candidate", name, "evidence")
            with work.stage("evidence"):
                evidence = self._evidence(candidate, base, work)
            self.reporter.stage("candidate", name, "alignment")
            with work.stage("alignment"):
                family, work.family_reason = choose_family(evidence, spec)
                contract = ADAPTERS[family].contract(evidence, spec, base.scope, base.surface())
                work.contract = contract
                case, alignment = align(base.repository, base, spec, evidence, contract, self._profile(candidate))
                work.evidence["alignment"] = self._file(alignment)
        except ChangeUnusable as unusable:
            return status.rejection(unusable.reason, unusable.message)
        return _Climb(self, candidate, base, runner, work, case, alignment.assignment, contract).run()

    def _evidence(self, candidate: TaskCandidate, base: BaseOnHand, work: Work) -> Evidence:
        spec = candidate.spec
        records = self.forge.get(base.name, {})
        record = records.get(spec.change.pull_request or 0)
        change = resolve_change(base.repository, spec.change, base.commit, record)
        record = record or records.get(change.pull_request or 0)
        gathered = gather_evidence(base.repository, change, base.commit, base.scope, spec.intent, record)
        work.found = gathered.evidence
        work.evidence["sourcePatch"] = self.store.put_evidence(gathered.source_patch)
        work.evidence["evidence"] = self._file(gathered.evidence)
        return gathered.evidence

    def _finished(
        self, candidate: TaskCandidate, base: BaseOnHand, key: str, verdict: Verdict, work: Work
    ) -> TaskCandidate:
        won = work.won
        done = TaskCandidateStatus(
            observed_generation=candidate.metadata.generation,
            conditions=status.candidate_conditions(candidate, verdict, won is not None, self.clock()),
            base_key=base.key,
            family=work.contract.family if work.contract else None,
            family_reason=work.family_reason or None,
            change=_resolved(work.found),
            profile=self._profile(candidate),
            accepted=won is not None,
            reason=Reason.ACCEPTED if won else verdict.reason,
            rejection=None if won else verdict.reason.rejection,
            message=verdict.message,
            level=won.proposal.level if won else None,
            strategy=won.proposal.strategy if won else None,
            fidelity=won.qualification.fidelity if won else None,
            checks=_counts(won.qualification) if won else None,
            variant_ref=Reference(name=won.variant.metadata.name) if won else None,
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
        others = (self.store.candidate(name) for name in self.store.names(TaskCandidate))
        if not any(other is not None and other.status.variant_ref == old for other in others):
            self.store.remove_variant(old.name)

    def _key(self, candidate: TaskCandidate, base: BaseOnHand) -> str:
        records = self.forge.get(base.name, {})
        request = candidate.spec.change.pull_request
        record = records.get(request) if request is not None else None
        said = record.content_hash() if record is not None else ""
        return verdict_key(candidate, base.key, base.inventory_digest, self._profile(candidate), said)

    def _file(self, document: Model) -> str:
        return self.store.put_evidence(document.canonical())

    def _profile(self, candidate: TaskCandidate) -> Profile:
        return candidate.spec.construction.profile or self.profile


@dataclass(frozen=True)
class _Climb:
    """The ladder under the gates, for one candidate: the first proposal that passes them all wins."""

    driver: CandidateDriver
    candidate: TaskCandidate
    base: BaseOnHand
    runner: JournalRunner
    work: Work
    case: Case
    assignment: Assignment
    contract: FamilyContract

    def run(self) -> Verdict:
        """The winning proposal's verdict, or the reason of the one that came furthest."""
        spec, work = self.candidate.spec, self.work
        ladder = self.driver.ladder(spec.construction.profile or self.driver.profile, spec.construction.levels)
        answers = climb(ladder, self.base.repository, self.assignment)
        refusals: list[tuple[int, Verdict]] = []
        while True:
            with work.stage("construction"):
                answer = next(answers, None)
            if answer is None:
                return status.terminal(refusals, work.attempts)
            if isinstance(answer, NotApplicable):
                work.attempts.append(status.not_applicable(answer))
                continue
            qualification = self._try(answer)
            if qualification.accepted:
                work.won = Won(answer, qualification, self._publish(answer, qualification))
                return qualification.verdict.replacing(message=qualification.summary)
            refusals.append((len(qualification.gates), qualification.verdict))

    def _try(self, proposal: Proposal) -> Qualification:
        self.driver.reporter.stage("candidate", self.candidate.metadata.name, "validation", proposal.strategy)
        repository, store = self.base.repository, self.driver.store
        with self.work.stage("validation"):
            qualification = qualify(repository, self.runner, self.case, proposal)
        verdict = qualification.verdict
        patch = repository.diff(self.case.healthy_tree, proposal.tree)
        self.work.attempts.append(
            Attempt(
                level=proposal.level,
                strategy=proposal.strategy,
                outcome="accepted" if qualification.accepted else "rejected",
                reason=Reason.ACCEPTED if qualification.accepted else verdict.reason,
                message=qualification.summary,
                tree=proposal.tree,
                task_patch=store.put_evidence(patch),
                fidelity=qualification.fidelity,
                evidence={"gates": store.put_evidence(status.gates_document(proposal, qualification))},
            )
        )
        return qualification

    def _publish(self, proposal: Proposal, qualification: Qualification) -> TaskVariant:
        ids = sorted((*qualification.regression, *qualification.hidden_regression))
        regression = self.driver.store.put_evidence(json.dumps(ids, ensure_ascii=True, indent=0).encode())
        self.work.evidence["regression"] = regression
        if self.work.found is None:
            raise AssertionError("a proposal is qualified only after its evidence was gathered")
        variant = variant_of(
            candidate=self.candidate.metadata.name,
            base=self.base,
            evidence=self.work.found,
            contract=self.contract,
            case=self.case,
            proposal=proposal,
            qualification=qualification,
            regression_digest=regression,
            source_patch=self.work.evidence["sourcePatch"],
        )
        for patch, content in published_patches(variant, qualification):
            if patch.encoding == "artifact":
                self.driver.store.put_evidence(content)
        return variant


def _resolved(found: Evidence | None) -> ResolvedChange | None:
    if found is None:
        return None
    change = found.change
    return ResolvedChange(
        commit=change.commit,
        parent=change.parent,
        pull_request=change.pull_request,
        kind=change.kind,
        title=change.title[:1024],
    )


def _counts(qualification: Qualification) -> CheckCounts:
    return CheckCounts(
        target=len(qualification.targets),
        regression=len(qualification.regression) + len(qualification.hidden_regression),
        observer=len(qualification.observers),
    )
