"""Test generation: the agent sees the defect's description and writes tests; they are graded on both states.

The answer is right when the tests tell the task state from the restored one. An import error tells nothing, so a
witness has to fail in its call phase.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from change2task.api.modernbase import Scope
from change2task.api.taskcandidate import Family, TaskCandidateSpec
from change2task.api.taskvariant import OutputContract
from change2task.families.contract import Applicability, FamilyContract, Oracle, Surface, edit_scope, stated
from change2task.history.globs import as_text
from change2task.history.models import Evidence
from change2task.history.names import is_test_folder, may_be_test_folder
from change2task.patch.paths import unquote

_FILE_GLOBS: Final = (
    (re.compile(r"test_.*\.py"), "**/test_*.py"),
    (re.compile(r".*_test\.py"), "**/*_test.py"),
    (re.compile(r".*_test\.go"), "**/*_test.go"),
    (re.compile(r".*\.test\.([cm]?[jt]sx?)"), "**/*.test.*"),
    (re.compile(r".*\.spec\.([cm]?[jt]sx?)"), "**/*.spec.*"),
    (re.compile(r".*Test\.java"), "**/*Test.java"),
    (re.compile(r".*_test\.rs"), "**/*_test.rs"),
)


@dataclass(frozen=True)
class TestGeneration:
    """The family whose output is tests."""

    __test__ = False

    family: Family = Family.TEST_GENERATION

    def applies(self, evidence: Evidence, spec: TaskCandidateSpec) -> Applicability:
        """Only when the reversal is seen by tests: a check by reading is no behaviour a test could show."""
        if stated(spec, "static"):
            return Applicability(applies=False, reason="a static check in spec.checks cannot be shown by a test")
        return Applicability(applies=True, reason="asked for; the change's behaviour is what the tests have to show")

    def contract(self, evidence: Evidence, spec: TaskCandidateSpec, scope: Scope, surface: Surface) -> FamilyContract:
        """The contract of a task of this family."""
        permitted = scope.tests or test_globs(surface.tests)
        return FamilyContract(
            family=self.family,
            goal="The behaviour described below is broken in this project. Do not repair it: add tests that show it,"
            " so that they fail now and pass once the behaviour is right.",
            output=OutputContract(output="tests", permitted=permitted, protected=surface.protected),
            oracle=Oracle(
                target_kinds=("test", "script"),
                scripts=stated(spec, "script"),
                grading="addedTests",
                behaviour_must_fail=True,
                judged="At least one added test fails in its call phase on the task state, and all added tests pass on"
                " the restored state.",
            ),
            edit_scope=edit_scope(evidence, scope),
        )


def test_globs(tests: tuple[str, ...]) -> tuple[str, ...]:
    """Globs that cover the places and names where the project keeps its tests; quoted paths come in."""
    globs: dict[str, None] = {}
    for path in tests:
        *folders, name = as_text(unquote(path)).split("/")
        depth = next((n for n, f in enumerate(folders) if is_test_folder(f) or may_be_test_folder(f)), None)
        if depth is not None:
            globs["/".join(folders[: depth + 1]) + "/**"] = None
            continue
        globs.update((glob, None) for pattern, glob in _FILE_GLOBS if pattern.fullmatch(name))
    return tuple(globs) or ("tests/**",)


test_globs.__test__ = False  # type: ignore[attr-defined]
TEST_GENERATION = TestGeneration()
