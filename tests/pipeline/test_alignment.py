"""What keeps a change from becoming a case: unusable stated checks, too few words; and files that hold checks."""

from __future__ import annotations

from pathlib import Path

import pytest

from change2task.api.metadata import Reference
from change2task.api.modernbase import Scope
from change2task.api.reasons import Reason
from change2task.api.taskcandidate import Change, CheckSpec, Family, Intent, Profile, Script, TaskCandidateSpec
from change2task.families.choose import ADAPTERS
from change2task.history.evidence import gather_evidence
from change2task.history.models import ChangeUnusable
from change2task.history.references import resolve_change
from change2task.pipeline.alignment import align, refuse_unknown
from change2task.validate import scope
from change2task.validate.case import Case
from change2task.vcs.repository import Repository
from tests.support.repos import RepoBuilder
from tests.support.runners import base_to_read

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


TEST = "from box import f\n\n\ndef test_f():\n    assert f() == {}\n\n\ndef test_old():\n    assert True\n"


def aligned(folder: Path, message: str, family: Family = Family.BUG_FIX, intent: Intent | None = None) -> Case:
    """The case of a change with this message, which corrects ``f`` and its test."""
    repo = RepoBuilder(folder)
    repo.commit({"box.py": "def f():\n    return 1\n", "tests/test_box.py": TEST.format(1)}, "Start")
    head = repo.commit({"box.py": "def f():\n    return 2\n", "tests/test_box.py": TEST.format(2)}, message)
    spec = TaskCandidateSpec(base_ref=Reference(name="b"), change=Change(commit=head), family=family, intent=intent)
    with Repository.open(folder) as repository:
        change = resolve_change(repository, spec.change, head, None)
        evidence = gather_evidence(repository, change, head, Scope(), intent).evidence
        healthy = {"tests/test_box.py::test_f", "tests/test_box.py::test_old"}
        base = base_to_read(repository, head, repo.tree(), frozenset(healthy))
        contract = ADAPTERS[family].contract(evidence, spec, base.scope, base.surface())
        return align(repository, base, spec, evidence, contract, Profile.FULL)[0]


@pytest.mark.parametrize("family", [Family.BUG_FIX, Family.TEST_GENERATION])
def test_a_change_of_which_nobody_said_anything_is_refused_with_the_way_out(tmp_path: Path, family: Family) -> None:
    with pytest.raises(ChangeUnusable) as caught:
        aligned(tmp_path, "Updates", family)
    assert caught.value.reason is Reason.STATEMENT_TOO_POOR
    assert "its title is 'Updates'" in caught.value.message
    assert "spec.intent" in caught.value.message


def test_a_user_can_say_what_a_change_did_not(tmp_path: Path) -> None:
    case = aligned(tmp_path, "Updates", intent=Intent(title="f gives two"))
    assert case.statement.title == "f gives two"


def test_a_change_that_speaks_is_a_case(tmp_path: Path) -> None:
    case = aligned(tmp_path, "Let f give two")
    assert (case.statement.title, case.tests.ids) == ("Let f give two", ("tests/test_box.py::test_f",))


def test_files_that_hold_checks_are_permitted_to_no_task_patch_whatever_they_are_called(tmp_path: Path) -> None:
    repo = RepoBuilder(tmp_path)
    source, check = (
        "def one():\n    return {}\n",
        "from app.core import one\n\n\ndef test_one():\n    assert one() {} 1\n",
    )
    repo.commit({"app/core.py": source.format(2), "app/check_one.py": check.format(">")})
    commit = repo.commit({"app/core.py": source.format(1), "app/check_one.py": check.format("==")}, "Count from one")
    with Repository.open(tmp_path) as repository:
        healthy = {"app/check_one.py::test_one", "app/core.py::app.core.one"}
        base = base_to_read(repository, commit, repo.tree(), frozenset(healthy))
        check_id = CheckSpec(id="app/check_one.py::test_one")
        spec = TaskCandidateSpec(base_ref=Reference(name="base"), change=Change(commit=commit), checks=(check_id,))
        change = resolve_change(repository, spec.change, commit, None)
        evidence = gather_evidence(repository, change, commit, base.scope, checks=base.check_files).evidence
        contract = ADAPTERS[Family.BUG_FIX].contract(evidence, spec, base.scope, base.surface())
        case, _ = align(repository, base, spec, evidence, contract, Profile.FULL)
    assert case.permitted == {"app/core.py"}
    verdict = scope.judge({"app/core.py", "app/check_one.py"}, case.permitted, case.roles)
    assert verdict.message == "the task patch touches app/check_one.py (tests); only source of the change is permitted"
