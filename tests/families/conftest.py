from __future__ import annotations

from collections.abc import Callable

import pytest

from change2task.api.fidelity import ChangeProfile
from change2task.api.metadata import Reference
from change2task.api.taskcandidate import Change, CheckSpec, Family, TaskCandidateSpec
from change2task.api.taskvariant import Statement
from change2task.history.models import Evidence, FileChange, MergedChange, Role, Signals, TouchedTests

MakeEvidence = Callable[..., Evidence]
MakeSpec = Callable[..., TaskCandidateSpec]


@pytest.fixture
def evidence() -> MakeEvidence:
    """Evidence of a change of pkg/core.py, moved to src since, with the signals given."""

    def make(*, title: str = "Do a thing", tests: bool = True, **signals: object) -> Evidence:
        touched = TouchedTests(path="tests/test_core.py", added=("test_new",), altered=("test_old",), untouched=3)
        return Evidence(
            change=MergedChange(
                commit="a" * 40, parent="b" * 40, kind="squash", proof="named", title=title, commits=("a" * 40,)
            ),
            head="c" * 40,
            files=(
                FileChange(path="pkg/core.py", status="modified", role=Role.SOURCE, language="python"),
                FileChange(path="pkg/gone.py", status="modified", role=Role.SOURCE, language="python"),
                FileChange(path="tests/test_core.py", status="modified", role=Role.TESTS, language="python"),
            ),
            statement=Statement(title=title, body="", provenance="title"),
            touched_tests=(touched,) if tests else (),
            profile=ChangeProfile(files=2, hunks=2, lines=4, symbols=1, target_checks=2, regression_checks=3),
            signals=Signals.model_validate(signals),
            modern_paths={
                "pkg/core.py": "src/pkg/core.py",
                "pkg/gone.py": None,
                "tests/test_core.py": "tests/test_core.py",
            },
            patch_digest="0" * 64,
        )

    return make


@pytest.fixture
def spec() -> MakeSpec:
    """A candidate's spec for a family, with the checks given."""

    def make(family: Family = Family.AUTO, *checks: CheckSpec) -> TaskCandidateSpec:
        return TaskCandidateSpec(
            base_ref=Reference(name="base"), change=Change(pull_request=1), family=family, checks=checks or None
        )

    return make
