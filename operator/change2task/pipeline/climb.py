"""The ladder under the gates, for one candidate: proposals one by one until one passes, and a task made of that.

Which strategies there are is ``construct``'s, what refuses a proposal is ``validate``'s; here each answer is kept as
an attempt with its evidence, so that a verdict can be explained without running anything.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

from change2task.api.reasons import Reason
from change2task.api.taskcandidate import Attempt
from change2task.api.taskvariant import TaskVariant
from change2task.checks.passes import PassRunner
from change2task.construct.models import Assignment, NotApplicable, Proposal
from change2task.corpus.store import Store
from change2task.families.contract import FamilyContract
from change2task.history.models import Evidence
from change2task.pipeline import status
from change2task.pipeline.exhausted import exhausted
from change2task.pipeline.ports import BaseOnHand
from change2task.pipeline.progress import Reporter
from change2task.pipeline.publish import published_files, published_patches, variant_of
from change2task.pipeline.trials import CaseTrials
from change2task.pipeline.work import Won, Work
from change2task.validate.case import Case
from change2task.validate.qualification import Qualification
from change2task.validate.qualify import qualify
from change2task.validate.verdict import Verdict


@dataclass(frozen=True)
class Climb:
    """One candidate's way up; ``work`` grows with every attempt."""

    name: str
    base: BaseOnHand
    store: Store
    reporter: Reporter
    runner: PassRunner
    work: Work
    case: Case
    evidence: Evidence
    contract: FamilyContract
    assignment: Assignment
    paper: bool
    trials: CaseTrials

    def run(self, answers: Iterator[Proposal | NotApplicable]) -> Verdict:
        """The winning proposal's verdict, or the reason of the one that came furthest.

        Raises InfrastructureFault and Cancelled, which are no verdicts, and StoreError.
        """
        refusals: list[tuple[int, Verdict]] = []
        while True:
            with self.work.stage("construction"), self.work.apart("construction", "trials"):
                answer = next(answers, None)
            if answer is None:
                if refusals:
                    return status.furthest(refusals)
                repository = self.base.repository
                return exhausted(repository, self.assignment, self.work.attempts, self.paper)
            if isinstance(answer, NotApplicable):
                self.work.attempts.append(status.not_applicable(answer))
                continue
            qualification = self._try(answer)
            if qualification.accepted:
                self.work.won = Won(answer, qualification, self._publish(answer, qualification))
                return qualification.verdict.replacing(message=qualification.summary)
            refusals.append((len(qualification.gates), qualification.verdict))

    def _try(self, proposal: Proposal) -> Qualification:
        self.reporter.stage("candidate", self.name, "validation", proposal.strategy)
        repository = self.base.repository
        with self.work.stage("validation"):
            qualification = qualify(repository, self.runner, self.case, proposal)
        self.trials.note(proposal, qualification)
        patch = repository.diff(self.case.healthy_tree, proposal.tree)
        self.work.attempts.append(
            Attempt(
                level=proposal.level,
                strategy=proposal.strategy,
                outcome="accepted" if qualification.accepted else "rejected",
                reason=Reason.ACCEPTED if qualification.accepted else qualification.verdict.reason,
                message=qualification.summary,
                tree=proposal.tree,
                task_patch=self.store.put_evidence(patch),
                fidelity=qualification.fidelity,
                evidence={"gates": self.store.put_evidence(status.gates_document(proposal, qualification))},
            )
        )
        return qualification

    def _publish(self, proposal: Proposal, qualification: Qualification) -> TaskVariant:
        ids = sorted((*qualification.regression, *qualification.hidden_regression))
        regression = self.store.put_evidence(json.dumps(ids, ensure_ascii=True, indent=0).encode())
        self.work.evidence["regression"] = regression
        variant = variant_of(
            base=self.base,
            evidence=self.evidence,
            contract=self.contract,
            case=self.case,
            proposal=proposal,
            qualification=qualification,
            regression_digest=regression,
            source_patch=self.work.evidence["sourcePatch"],
        )
        for patch, content in published_patches(variant, qualification):
            if patch.encoding == "artifact":
                self.store.put_evidence(content)
        for content in published_files(self.case):
            self.store.put_evidence(content)
        return variant
