"""Bug fix and feature addition: the source change is reversed, its tests fail, and the agent brings the behaviour back.

They differ in what the agent is told; oracle and scope are the same. Words of an intent say what is wrong; those of the
change say as often what it brought about ("hints are not removed"), and must not be put forward as the fault.
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


@dataclass(frozen=True)
class ReversedBehaviour:
    """A family whose target checks are tests of the reversed behaviour."""

    family: Family
    goal: str
    goal_beside_own_words: str
    """Where the statement is in the words of the change itself."""

    def applies(self, evidence: Evidence, spec: TaskCandidateSpec) -> Applicability:
        """Always: whether a check notices the reversal is found out by running, not by reading."""
        if given := len(stated(spec, "test")) + len(stated(spec, "script")):
            return Applicability(applies=True, reason=f"spec.checks states {given} target checks")
        own = own_target_tests(evidence)
        if own:
            return Applicability(applies=True, reason=f"the change added or altered {own} test functions")
        return Applicability(
            applies=True, reason="the change touches no test; later tests of the behaviour have to be found"
        )

    def contract(self, evidence: Evidence, spec: TaskCandidateSpec, scope: Scope, surface: Surface) -> FamilyContract:
        """The contract of a task of this family."""
        places = source_places(evidence)
        return FamilyContract(
            family=self.family,
            goal=self.goal if evidence.statement.provenance == "intent" else self.goal_beside_own_words,
            output=patch_output(scope, surface),
            oracle=Oracle(
                beside=beside_tests(spec, places),
                grading="checks",
                behaviour_must_fail=True,
            ),
        )


BUG_FIX = ReversedBehaviour(
    family=Family.BUG_FIX,
    goal="The project behaves wrongly in the way described below. Find the cause and repair it, without changing"
    " behaviour that is right today.",
    goal_beside_own_words="The project behaves wrongly. What is told here was said of its repair: it tells what is"
    " wrong, or how it is once that is put right. Find the cause and repair it, without changing behaviour that is"
    " right today.",
)

_LACKING = (
    "The project lacks the capability described below. Add it in the manner of the surrounding code, without"
    " changing behaviour that exists today."
)
FEATURE_ADDITION = ReversedBehaviour(family=Family.FEATURE_ADDITION, goal=_LACKING, goal_beside_own_words=_LACKING)
