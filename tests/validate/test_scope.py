"""The scope gate permits source of the change and nothing else."""

from __future__ import annotations

from change2task.api.reasons import Reason
from change2task.validate import scope


def test_permitted_source_passes_and_is_kept_as_evidence():
    verdict = scope.judge(["src/a.py"], ["src/a.py", "src/b.py"], {})
    assert verdict.passed
    assert verdict.evidence["touched"] == ["src/a.py"]


def test_a_protected_file_is_named_with_its_role():
    verdict = scope.judge(["src/a.py", "tests/test_a.py"], ["src/a.py"], {"tests/test_a.py": "tests"})
    assert verdict.reason == Reason.SCOPE_VIOLATION
    assert "tests/test_a.py (tests)" in verdict.message


def test_a_patch_that_changes_nothing_is_a_collapse():
    assert scope.judge([], ["src/a.py"], {}).reason == Reason.SCOPE_COLLAPSE
