"""Stated checks are held against what the base knows before anything is made for them."""

from __future__ import annotations

import pytest

from change2task.api.reasons import Reason
from change2task.api.taskcandidate import CheckSpec, Script
from change2task.history.models import ChangeUnusable
from change2task.pipeline.alignment import refuse_unknown

HEALTHY = {"tests/a.py::test_x", "tests/a.py::test_case[1]", "tests/a.py::test_case[2]", "pkg::TestSub/one"}
OTHER = {"tests/a.py::test_bad": "failing"}


def script(name: str) -> CheckSpec:
    return CheckSpec(id=name, kind="script", script=Script(command=("sh",)))


@pytest.mark.parametrize("role", ["target", "regression"])
def test_healthy_tests_and_new_names_are_taken(role: str) -> None:
    stated = CheckSpec.model_validate({"id": "tests/a.py::test_x", "role": role})
    refuse_unknown((stated, script("exploit")), HEALTHY, OTHER)


@pytest.mark.parametrize(
    ("check", "words"),
    [
        (CheckSpec(id="tests/a.py::test_bad"), "target 'tests/a.py::test_bad' is failing on the base"),
        (CheckSpec(id="tests/a.py::test_gone", role="regression"), "regression 'tests/a.py::test_gone' is not known"),
        (CheckSpec(id="tests/a.py::test_case"), "it has cases, name them one by one, like 'tests/a.py::test_case[1]'"),
        (CheckSpec(id="pkg::TestSub"), "it has cases, name them one by one, like 'pkg::TestSub/one'"),
        (CheckSpec(id="a.py::test_x"), "did you mean 'tests/a.py::test_x'?"),
        (script("tests/a.py::test_x"), "script check 'tests/a.py::test_x' has the name of a test"),
        (script("tests/a.py::test_bad"), "has the name of a test"),
    ],
)
def test_others_are_refused_with_the_way_out(check: CheckSpec, words: str) -> None:
    with pytest.raises(ChangeUnusable) as caught:
        refuse_unknown((check,), HEALTHY, OTHER)
    assert caught.value.reason is Reason.STATED_CHECK_UNUSABLE
    assert words in caught.value.message
