"""Trials for strategies that search: the ladder's refused proposals, and a few tests run on a tree.

A trial's word is advisory. It asks those tests that a proposal broke, once, as the agent would see them, and then the
change's own; the proposal that comes of it is judged by every gate afterwards.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from change2task.api.reasons import Reason
from change2task.checks.passes import PassOrder, PassRunner, perturbation
from change2task.construct.models import Proposal
from change2task.construct.trials import Rejected, Told
from change2task.pipeline.work import Work
from change2task.validate import hidden, rounds
from change2task.validate.case import Case
from change2task.validate.qualification import Qualification, Refused
from change2task.validate.static_gates import static_gates
from change2task.vcs.repository import Repository

MOST_CHECKS = 300


@dataclass
class CaseTrials:
    """Trials of one candidate; belongs to one thread."""

    repository: Repository
    runner: PassRunner
    case: Case
    work: Work
    _rejected: list[Rejected] = field(default_factory=list)

    def note(self, proposal: Proposal, qualification: Qualification) -> None:
        """Keep a proposal that fails the change's tests, and others with them."""
        verdict = qualification.verdict
        if verdict.reason is Reason.REGRESSION_BROKE and qualification.targets:
            named = verdict.evidence.get("broken", ())
            ids = frozenset(one["id"] if isinstance(one, dict) else str(one) for one in named)
            self._rejected.append(Rejected(proposal, ids))
        elif verdict.reason is Reason.TASK_STATE_DOES_NOT_LOAD:
            self._rejected.append(Rejected(proposal, self._spread()))

    def rejected(self) -> Sequence[Rejected]:
        """What broke few enough tests to be asked again and again, least first."""
        return sorted(
            (one for one in self._rejected if 0 < len(one.broken) <= MOST_CHECKS), key=lambda one: len(one.broken)
        )

    def fits(self, tree: str) -> bool:
        """Whether scope, syntax, names and footprint are in order."""
        try:
            static_gates(self.repository, self.case, tree, Qualification())
        except Refused:
            return False
        return True

    def run(self, tree: str, checks: frozenset[str]) -> Told:
        """The older tests as the agent would see them, and the change's own only where these have got better.

        Raises InfrastructureFault and Cancelled.
        """
        with self.work.stage("trials"):
            older = self._outcomes(self._open(tree), tuple(sorted(checks)), "task-trial-older")
            broken = frozenset(check for check in checks if older.get(check) != "passed")
            if broken == checks:
                return Told(targets_fail=True, broken=broken)
            own = self._outcomes(tree, self.case.tests.ids, "task-trial")
        fail = any(own.get(check, "missing") not in {"passed", "skipped", "xfailed"} for check in self.case.tests.ids)
        return Told(targets_fail=fail, broken=broken)

    def _open(self, tree: str) -> str:
        """The tree without the change's own tests, with which older ones beside them might not even load."""
        try:
            return hidden.agent_tree(self.repository, self.case, tree, Qualification(targets=self.case.tests.ids))
        except Refused:
            return tree

    def _outcomes(self, tree: str, ids: tuple[str, ...], label: str) -> dict[str, str]:
        """What each test told; nothing where the harness gave no verdict."""
        order = PassOrder(tree=tree, ids=ids, perturbation=perturbation(0), label=label)
        record = rounds.run_settled(self.runner, order)
        if rounds.fault_of(record) is not None:
            return {}
        return {check: rounds.told(record.suite, check)[0] for check in ids}

    def _spread(self) -> frozenset[str]:
        """Regression checks from all over the suite, where none of them ran at all."""
        others = sorted(self.case.healthy - set(self.case.tests.ids))
        return frozenset(others[:: max(1, len(others) // MOST_CHECKS + 1)])
