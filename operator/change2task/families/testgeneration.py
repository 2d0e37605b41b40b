"""Test generation: the agent sees the defect's description and writes tests; they are graded on both states.

The answer is right when the tests tell the task state from the restored one. An import error tells nothing, so a
witness has to fail in its call phase.
"""

from __future__ import annotations

from dataclasses import dataclass

from change2task.api.modernbase import Scope
from change2task.api.taskcandidate import Family, TaskCandidateSpec
from change2task.api.taskvariant import OutputContract
from change2task.families.contract import (
    Applicability,
    FamilyContract,
    Oracle,
    Surface,
    beside_tests,
    source_places,
    stated,
)
from change2task.families.places import covering, test_globs
from change2task.history.models import Evidence


@dataclass(frozen=True)
class TestGeneration:
    """The family whose output is tests."""

    __test__ = False

    family: Family = Family.TEST_GENERATION

    def applies(self, evidence: Evidence, spec: TaskCandidateSpec) -> Applicability:
        """Only when the reversal is seen by tests: a check by reading is no behaviour a test could show."""
        if stated(spec, "static"):
            return Applicability(applies=False, reason="a static check in spec.checks cannot be shown by a test")
        return Applicability(applies=True, reason="the change's behaviour is what the tests have to show")

    def contract(self, evidence: Evidence, spec: TaskCandidateSpec, scope: Scope, surface: Surface) -> FamilyContract:
        """The contract of a task of this family."""
        places = source_places(evidence)
        protected = covering(surface.protected, (*surface.source, *surface.tests, *surface.others))
        return FamilyContract(
            family=self.family,
            goal="The behaviour described below is broken in this project. Do not repair it: add test functions that"
            " show it, so that they fail now and pass once the behaviour is right. Tests that exist already stay as"
            " they are; changes to them do not count.",
            output=OutputContract(
                output="tests",
                permitted=scope.tests or test_globs(surface.tests),
                protected=tuple(dict.fromkeys((*protected, *scope.protected))),
            ),
            oracle=Oracle(
                beside=beside_tests(spec, places),
                grading="addedTests",
                behaviour_must_fail=True,
            ),
        )


TEST_GENERATION = TestGeneration()
