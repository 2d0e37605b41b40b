"""How old a failing check is, wherever its runner says that it lies: by the file it is written in."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from change2task.api.fidelity import ChangeProfile
from change2task.api.taskvariant import Statement
from change2task.checks import mapping
from change2task.checks.naming import naming
from change2task.checks.passes import PassOrder, PassRecord
from change2task.checks.results import SuiteResult, TestResult
from change2task.checks.roles import Role
from change2task.validate.case import Case
from change2task.validate.lifecycle import Demand
from change2task.validate.parents import classify
from change2task.vcs.repository import Repository
from tests.support.repos import RepoBuilder
from tests.support.runners import OneByOne

SOURCE = 'package m\n\nfunc Short() string { return "x" }\n'
MARK = '\nfunc Mark() string { return "~" }\n'


def go_tests(*bodies: str) -> str:
    return 'package m\n\nimport "testing"\n' + "".join(f"\nfunc {body}\n" for body in bodies)


OLD = "TestOld(t *testing.T) { Short() }"
YOUNG = "TestYoung(t *testing.T) { Mark() }"
ADAPTED = "TestOld(t *testing.T) { Mark() }"


@dataclass
class Failing(OneByOne):
    """A runner on whose trees everything fails, except on those with the earlier form of a file; or nothing loads."""

    repository: Repository
    passes_with: bytes = b"never"
    breaks_with: bytes = b"never"
    ran: list[str] = field(default_factory=list)

    def run(self, order: PassOrder) -> PassRecord:
        self.ran.append(order.label)
        contents = [self.repository.blob(entry.oid) for entry in self.repository.tree(order.tree).values()]
        if any(self.breaks_with in content for content in contents):
            return PassRecord(suite=suite({}).replacing(finished=False), seconds=1)
        outcome = "passed" if any(self.passes_with in content for content in contents) else "failed"
        results = {
            check: TestResult.model_validate({"id": check, "outcome": outcome, "phase": "call", "signature": None})
            for check in order.ids or ()
        }
        return PassRecord(suite=suite(results), seconds=1)


def suite(results: dict[str, TestResult]) -> SuiteResult:
    return SuiteResult(results=results, collected=tuple(results), finished=True, ending="finished", rounds=1)


def roles(folder: Path, before: dict[str, str], healthy: dict[str, str], *failing: str, **runs: bytes):
    repo = RepoBuilder(folder)
    start = repo.commit({"go.mod": "module m\n", "m.go": SOURCE, **before})
    modern = repo.commit({"m.go": SOURCE + MARK, **healthy})
    task = repo.commit({"m.go": SOURCE})
    with Repository.open(folder) as repository:
        paths = set(repository.tree(repo.tree(start))) & set(repository.tree(repo.tree(modern)))
        case = Case(
            healthy_tree=repo.tree(modern), before_tree=repo.tree(start), after_tree=repo.tree(modern),
            permitted=frozenset({"m.go"}), roles={}, tests=mapping.TestMap(mapped=(), lost=()),
            healthy=frozenset(failing),
            naming=naming("go"), demand=Demand.ANY, source_profile=_PROFILE, historical_regression=frozenset(),
            introduced=frozenset({"Mark"}), test_paths={path.decode(): path.decode() for path in paths},
            statement=Statement(title="x", body="", provenance="title"),
        )  # fmt: skip
        runner = Failing(repository, **runs)
        told = classify(repository, runner, case, repo.tree(task), failing, suite({}))
    return {one.id: (one.role, one.why) for one in told}, runner.ran


_PROFILE = ChangeProfile(files=1, hunks=1, lines=2, symbols=1, target_checks=1, regression_checks=0)


def test_a_test_of_an_unaltered_file_is_old_though_its_runner_names_only_the_folder(tmp_path: Path) -> None:
    found, _ = roles(tmp_path, {"a_test.go": go_tests(OLD)}, {}, ".::TestOld")
    assert found == {".::TestOld": (Role.REGRESSION, "older than the change and unaltered since")}


def test_a_test_whose_file_came_later_and_names_what_is_new_observes_the_change(tmp_path: Path) -> None:
    found, ran = roles(tmp_path, {"a_test.go": go_tests(OLD)}, {"b_test.go": go_tests(YOUNG)}, ".::TestYoung")
    assert found == {".::TestYoung": (Role.OBSERVER, "younger than the change and names what it changed")}
    assert ran == ["task-unhidden"]


def test_a_test_that_moved_to_another_file_of_its_folder_is_no_younger_for_it(tmp_path: Path) -> None:
    found, _ = roles(
        tmp_path,
        {"a_test.go": go_tests(OLD, "TestMoved(t *testing.T) { Short() }")},
        {"a_test.go": go_tests(OLD), "b_test.go": go_tests("TestMoved(t *testing.T) { Mark() }")},
        ".::TestMoved",
    )
    assert found[".::TestMoved"][0] is Role.REGRESSION


def test_the_earlier_form_of_its_own_file_is_run(tmp_path: Path) -> None:
    found, ran = roles(
        tmp_path,
        {"a_test.go": go_tests(OLD)},
        {"a_test.go": go_tests(ADAPTED)},
        ".::TestOld",
        passes_with=b"TestOld(t *testing.T) { Short() }",
    )
    assert found == {".::TestOld": (Role.OBSERVER, "adapted since: its version at the change's parent passes")}
    assert ran == ["task-unhidden", "task-at-parent"]


def test_what_an_earlier_form_that_no_longer_loads_does_not_hold_is_younger_all_the_same(tmp_path: Path) -> None:
    earlier = go_tests(OLD, "TestGone(t *testing.T) { gone() }")
    found, ran = roles(
        tmp_path,
        {"a_test.go": earlier},
        {"a_test.go": go_tests(OLD, YOUNG)},
        ".::TestOld",
        ".::TestYoung",
        breaks_with=b"gone()",
    )
    assert ran == ["task-unhidden", "task-at-parent"]
    assert found == {
        ".::TestOld": (Role.REGRESSION, "its version at the change's parent fails too"),
        ".::TestYoung": (Role.OBSERVER, "younger than the change and names what it changed"),
    }
