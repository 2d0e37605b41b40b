"""Security repair: the vulnerability comes back with the reversal, and a deterministic exploit or test shows it.

Advisory ids are provenance only. They are never part of what an agent reads, since an id is an answer to look up.
"""

from __future__ import annotations

from dataclasses import dataclass

from change2task.api.modernbase import Scope
from change2task.api.taskcandidate import Family, TaskCandidateSpec
from change2task.families.contract import (
    Applicability,
    FamilyContract,
    Oracle,
    Surface,
    beside_tests,
    own_target_tests,
    patch_output,
    source_places,
    stated,
)
from change2task.history.models import Evidence

_GOAL = (
    "The project has the security weakness described below. Remove it at its cause, without weakening or changing other"
    " behaviour."
)
_GOAL_BESIDE_OWN_WORDS = (
    "The project has a security weakness. What is told here was said of its repair: it tells what is wrong, or how it"
    " is once that is put right. Remove it at its cause, without weakening or changing other behaviour."
)


@dataclass(frozen=True)
class SecurityRepair:
    """The family whose target is an exploit script or the change's own security tests."""

    family: Family = Family.SECURITY_REPAIR

    def applies(self, evidence: Evidence, spec: TaskCandidateSpec) -> Applicability:
        """Whether something can show the vulnerability deterministically."""
        if scripts := stated(spec, "script"):
            return Applicability(applies=True, reason=f"spec.checks states {len(scripts)} exploit scripts")
        if tests := stated(spec, "test"):
            return Applicability(applies=True, reason=f"spec.checks states {len(tests)} security tests")
        own = own_target_tests(evidence)
        if own:
            return Applicability(applies=True, reason=f"the change's own {own} test functions show the vulnerability")
        return Applicability(
            applies=False,
            reason="the change came without a test; state a script check in spec.checks that fails while the"
            " vulnerability is there",
        )

    def contract(self, evidence: Evidence, spec: TaskCandidateSpec, scope: Scope, surface: Surface) -> FamilyContract:
        """The contract of a task of this family."""
        places = source_places(evidence)
        return FamilyContract(
            family=self.family,
            goal=_GOAL if evidence.statement.provenance == "intent" else _GOAL_BESIDE_OWN_WORDS,
            output=patch_output(scope, surface),
            oracle=Oracle(
                beside=beside_tests(spec, places),
                grading="checks",
                behaviour_must_fail=True,
            ),
        )


def security_signs(evidence: Evidence) -> str | None:
    """The strongest sign that the change repairs a vulnerability, as a clause, or None."""
    signals = evidence.signals
    if signals.advisories:
        return f"it names {', '.join(signals.advisories[:3])}"
    if signals.merged_from_private_fork:
        return "it was merged from a private security fork"
    labelled = [label for label in signals.labels if "secur" in label.lower() or "vulnerab" in label.lower()]
    if labelled:
        return f"it is labelled {labelled[0]}"
    if "security" in signals.news_kinds or signals.conventional == "security":
        return "its change log calls it a security change"
    if signals.security_words:
        return f"it speaks of {', '.join(signals.security_words[:3])}"
    return None


SECURITY_REPAIR = SecurityRepair()
