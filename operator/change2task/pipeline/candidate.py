"""One candidate from its change to its verdict: evidence, alignment, the ladder under the gates, status.

Status is written once, at the end, after everything it points to is stored; until then the journal of passes
is all there is, so that a killed run leaves either no verdict or a whole one. A verdict stands as long as its key.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

import structlog

from change2task.api.metadata import Reference
from change2task.api.model import Model
from change2task.api.modernbase import ModernBase
from change2task.api.reasons import Reason
from change2task.api.taskcandidate import (
    Profile,
    ResolvedChange,
    TaskCandidate,
    TaskCandidateStatus,
)
from change2task.api.taskvariant import TaskVariant
from change2task.checks.labels import LabelledRunner
from change2task.checks.passes import PassRunner
from change2task.construct.ladder import climb, strategies
from change2task.construct.strategy import Strategy
from change2task.corpus.doubtful import doubt, settle
from change2task.corpus.store import Store
from change2task.families.choose import ADAPTERS, choose_family
from change2task.history.evidence import gather_evidence
from change2task.history.forge import ForgeRecord
from change2task.history.models import ChangeUnusable, Evidence, MergedChange
from change2task.history.references import resolve_change
from change2task.pipeline import status
from change2task.pipeline.alignment import align
from change2task.pipeline.climb import Climb
from change2task.pipeline.journal import JournalRunner
from change2task.pipeline.keys import VERDICT, digest, verdict_key
from change2task.pipeline.ports import BaseOnHand, Clock
from change2task.pipeline.progress import Reporter
from change2task.pipeline.publish import counts_of
from change2task.pipeline.trials import CaseTrials
from change2task.pipeline.work import Work
from change2task.validate.case import Case
from change2task.validate.oracles import readings, scripts
from change2task.validate.rounds import Beside, observe_healthy
from change2task.validate.stated import judge as judge_stated
from change2task.validate.verdict import Verdict

log = structlog.get_logger(__name__)

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
        if stored is not None and stored.status.stages.get(VERDICT) == key:
            log.debug("candidate.unchanged", candidate=candidate.metadata.name)
            return self._again(candidate, stored)
        # By name too: candidates of one change may run side by side, and the first to end drops its journal.
        journal = JournalRunner(base.runner, self.store, digest(key, candidate.metadata.name))
        runner = LabelledRunner(journal, f"candidates/{candidate.metadata.name}")
        work = Work()
        verdict = self._verdict(candidate, base, runner, work)
        if work.won is not None:
            doubt(self.store, work.won.variant.metadata.name)
            self.store.put(self._published(work.won.variant))
        self._doubt_earlier(stored)
        done = self._finished(candidate, base, key, verdict, work)
        self.store.put(done)
        journal.drop()
        return done

    def _published(self, variant: TaskVariant) -> TaskVariant:
        """The variant with its status; one that is published already stays as it is, since it never changes."""
        stored = self.store.variant(variant.metadata.name)
        if stored is not None and stored.spec == variant.spec:
            return stored
        return status.published_variant(variant, counts_of(variant), self.clock())

    def settle(self) -> None:
        """Clear away tasks that verdicts of this run left behind; only when no candidate is being driven."""
        settle(self.store)

    def suspended(self, candidate: TaskCandidate) -> TaskCandidate:
        """A suspended candidate, with what is stored of it."""
        stored = self.store.candidate(candidate.metadata.name)
        same = stored is not None and stored.spec.replacing(suspend=True) == candidate.spec
        if not same:
            self._doubt_earlier(stored)
        kept = candidate.replacing(status=stored.status) if stored is not None and same else candidate
        done = status.suspended_candidate(kept, self.clock())
        self.store.put(done)
        return done

    def without_base(self, candidate: TaskCandidate, base: ModernBase) -> TaskCandidate:
        """A candidate whose base has ended in failure: rejected with the base's reason.

        A verdict that an earlier base of this name has led to stays in the store.
        """
        reason = status.reason_of(base)
        verdict = status.rejection(
            Reason.BASE_NOT_READY,
            f"base {base.metadata.name} is not healthy: {reason.value}: {status.message_of(base) or reason.sentence}",
        )
        done = candidate.replacing(
            status=status.refused_candidate(candidate, verdict, base.status.base_key, self.clock())
        )
        stored = self.store.candidate(candidate.metadata.name)
        if stored is not None and VERDICT in stored.status.stages:
            log.warning("candidate.not_replaced", candidate=candidate.metadata.name, stays="the verdict stored before")
        else:
            self.store.put(done)
        return done

    def _again(self, candidate: TaskCandidate, stored: TaskCandidate) -> TaskCandidate:
        """The verdict that stands, under what may have changed beside it: labels, or a suspension that was lifted."""
        done = candidate.replacing(status=stored.status)
        if status.is_suspended(done):
            done = status.resumed_candidate(done, self.clock())
        self.store.put(done)
        return done

    def _verdict(self, candidate: TaskCandidate, base: BaseOnHand, runner: PassRunner, work: Work) -> Verdict:
        name, spec, profile = candidate.metadata.name, candidate.spec, self._profile(candidate)
        try:
            self.reporter.stage("candidate", name, "evidence")
            with work.stage("evidence"):
                evidence = self._evidence(candidate, base, work)
            self.reporter.stage("candidate", name, "alignment")
            with work.stage("alignment"):
                family, work.family_reason = choose_family(evidence, spec)
                contract = ADAPTERS[family].contract(evidence, spec, base.scope, base.surface())
                work.family = family
                case, alignment = align(base.repository, base, spec, evidence, contract, profile)
                work.evidence["alignment"] = self._file(alignment)
        except ChangeUnusable as unusable:
            return status.rejection(unusable.reason, unusable.message)
        with work.stage("alignment"):
            stated = self._stated(case, base, runner)
        if not stated.passed:
            return stated
        trials = CaseTrials(base.repository, runner, case, work)
        way = Climb(
            name=name,
            base=base,
            store=self.store,
            reporter=self.reporter,
            runner=runner,
            work=work,
            case=case,
            evidence=evidence,
            contract=contract,
            assignment=alignment.assignment,
            paper=profile is Profile.PAPER,
            trials=trials,
        )
        ladder = self.ladder(profile, spec.construction.levels)
        return way.run(climb(ladder, base.repository, alignment.assignment, trials))

    @staticmethod
    def _stated(case: Case, base: BaseOnHand, runner: PassRunner) -> Verdict:
        """Whether what is stated beside tests holds on the healthy base, without which nothing is worth making."""
        beside = Beside(readings(base.repository, case.beside), scripts(case.beside))
        observed = observe_healthy(runner, case.healthy_tree, case.healthy_repeats, beside)
        return judge_stated(case.beside, observed)

    def _evidence(self, candidate: TaskCandidate, base: BaseOnHand, work: Work) -> Evidence:
        spec = candidate.spec
        records = self.forge.get(base.name, {})
        record = records.get(spec.change.pull_request or 0)
        work.change = change = resolve_change(base.repository, spec.change, base.commit, record)
        record = record or records.get(change.pull_request or 0)
        gathered = gather_evidence(
            base.repository, change, base.commit, base.scope, spec.intent, record, base.check_files
        )
        work.evidence["sourcePatch"] = self.store.put_evidence(gathered.source_patch)
        work.evidence["evidence"] = self._file(gathered.evidence)
        return gathered.evidence

    def _finished(
        self, candidate: TaskCandidate, base: BaseOnHand, key: str, verdict: Verdict, work: Work
    ) -> TaskCandidate:
        won = work.won
        done = TaskCandidateStatus(
            observed_generation=candidate.metadata.generation,
            conditions=status.candidate_conditions(candidate, verdict, accepted=won is not None, now=self.clock()),
            base_key=base.key,
            family=work.family,
            family_reason=work.family_reason or None,
            change=None if work.change is None else _resolved(work.change),
            profile=self._profile(candidate),
            accepted=won is not None,
            reason=Reason.ACCEPTED if won else verdict.reason,
            rejection=None if won else verdict.reason.rejection,
            message=verdict.message,
            level=won.proposal.level if won else None,
            strategy=won.proposal.strategy if won else None,
            fidelity=won.qualification.fidelity if won else None,
            checks=counts_of(won.variant) if won else None,
            variant_ref=Reference(name=won.variant.metadata.name) if won else None,
            attempts=tuple(work.attempts),
            stages={VERDICT: key},
            evidence=work.evidence,
            seconds=work.seconds,
        )
        return candidate.replacing(status=done)

    def _doubt_earlier(self, stored: TaskCandidate | None) -> None:
        """The variant of an earlier verdict may go, unless another candidate stands for it."""
        if stored is not None and stored.status.variant_ref is not None:
            doubt(self.store, stored.status.variant_ref.name)

    def _key(self, candidate: TaskCandidate, base: BaseOnHand) -> str:
        records = self.forge.get(base.name, {})
        request = candidate.spec.change.pull_request
        # A commit may turn out to be a request's, so what is said of any request may decide.
        asked = records.values() if request is None else [records[request]] if request in records else []
        said = digest(*(record.document() for record in asked)) if asked else ""
        return verdict_key(candidate, base.key, base.inventory_digest, base.scope, self._profile(candidate), said)

    def _file(self, document: Model) -> str:
        return self.store.put_evidence(document.canonical())

    def _profile(self, candidate: TaskCandidate) -> Profile:
        return candidate.spec.construction.profile or self.profile


def _resolved(change: MergedChange) -> ResolvedChange:
    return ResolvedChange(
        commit=change.commit,
        parent=change.parent,
        pull_request=change.pull_request,
        kind=change.kind,
        title=change.title[:1024],
    )
