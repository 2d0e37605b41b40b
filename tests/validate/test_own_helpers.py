"""What of the change stands in helpers of tests, and under the names of classes that inherit its tests."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from change2task.api.fidelity import ChangeProfile
from change2task.api.taskvariant import Statement
from change2task.checks import mapping
from change2task.checks.mapping import HistoricalTest, MappedTest
from change2task.checks.naming import naming
from change2task.checks.passes import PassOrder, PassRecord
from change2task.checks.results import SuiteResult, TestResult
from change2task.construct.helpers import Helper
from change2task.validate import hidden
from change2task.validate.case import Case
from change2task.validate.lifecycle import Demand
from change2task.validate.qualification import Qualification, Refused
from change2task.validate.screening import screen_regression
from change2task.vcs.repository import Repository
from change2task.vcs.workbench import Workbench
from tests.support.repos import RepoBuilder
from tests.support.runners import OneByOne

OLD = "def get(url):\n    return url\n"
NEW = OLD + "\n\ndef close(it):\n    return it\n"
TOOLS = "import web\n\n\ndef ask(url):\n    answer = web.get(url)\n    return answer\n"
CLOSING = TOOLS.replace("    return answer", "    web.close(answer)\n    return answer")
LATER = CLOSING.replace("def ask(url):", "def ask(url, times=1):")
TESTS = "from tools import ask\n\n\nclass TestWeb:\n    def test_ask(self):\n        assert ask(1)\n"
OWN = TESTS + "\n    def test_close(self):\n        assert ask(1)\n"
HEIR = "\n\nclass TestWebAgain(TestWeb):\n    pass\n"
ASK, CLOSE = "tests/test_web.py::TestWeb::test_ask", "tests/test_web.py::TestWeb::test_close"
AGAIN, CLOSED_AGAIN = (check.replace("TestWeb", "TestWebAgain") for check in (ASK, CLOSE))


@dataclass
class Calling(OneByOne):
    """Every test fails where a helper calls what the product does not have; one that is not written is missing."""

    repository: Repository
    labels: list[str] = field(default_factory=list)

    def run(self, order: PassOrder) -> PassRecord:
        self.labels.append(order.label)
        files = {p.decode(): self.repository.blob(e.oid).decode() for p, e in self.repository.tree(order.tree).items()}
        works = "close" not in files["tests/tools.py"] or "def close" in files["web.py"]
        there = [
            check for check in order.ids or () if f"def {check.rpartition('::')[2]}(" in files["tests/test_web.py"]
        ]
        outcome = "passed" if works else "failed"
        results = {
            check: TestResult.model_validate({"id": check, "outcome": outcome, "phase": "call", "signature": None})
            for check in there
        }
        suite = SuiteResult(results=results, collected=tuple(results), finished=True, ending="finished", rounds=1)
        return PassRecord(suite=suite, seconds=1)


@dataclass
class Scene:
    repository: Repository
    case: Case
    task_tree: str
    result: Qualification

    def screen(self) -> dict[str, str]:
        tree = screen_regression(self.repository, Calling(self.repository), self.case, self.task_tree, self.result)
        return {p.decode(): self.repository.blob(e.oid).decode() for p, e in self.repository.tree(tree).items()}


@pytest.fixture
def scene(tmp_path: Path):
    def make(tools: str, tests: str, *healthy: str, helpers: tuple[Helper, ...] = ()) -> Scene:
        repo = RepoBuilder(tmp_path / "repo")
        start = repo.commit({"web.py": OLD, "tests/tools.py": TOOLS, "tests/test_web.py": TESTS})
        after = repo.commit({"web.py": NEW, "tests/tools.py": CLOSING, "tests/test_web.py": OWN})
        modern = repo.commit({"tests/tools.py": tools, "tests/test_web.py": tests})
        task = repo.commit({"web.py": OLD})
        own = HistoricalTest(path="tests/test_web.py", modern_path="tests/test_web.py", function="TestWeb::test_close")
        mapped = MappedTest(
            historical=own, scope="tests/test_web.py", function=own.function, how="same name", ids=(CLOSE,)
        )
        case = Case(
            healthy_tree=repo.tree(modern), before_tree=repo.tree(start), after_tree=repo.tree(after),
            permitted=frozenset({"web.py"}), roles={}, tests=mapping.TestMap(mapped=(mapped,), lost=()),
            healthy=frozenset(healthy), naming=naming("pytest"), demand=Demand.ANY, source_profile=_PROFILE,
            historical_regression=frozenset(), introduced=frozenset({"close"}),
            test_paths={path: path for path in ("tests/tools.py", "tests/test_web.py")},
            statement=Statement(title="x", body="", provenance="title"), sources=frozenset({"web.py"}),
            test_files=frozenset({"tests/tools.py", "tests/test_web.py"}), helpers=helpers,
        )  # fmt: skip
        repository = Workbench(Repository.open(repo.path), tmp_path / "bench")
        return Scene(repository, case, repo.tree(task), Qualification(targets=(CLOSE,)))

    return make


_PROFILE = ChangeProfile(files=1, hunks=1, lines=2, symbols=1, target_checks=1, regression_checks=0)
_TOOLS = (Helper(b"tests/tools.py", b"tests/tools.py", b"tests/tools.py"),)


def test_what_the_change_wrote_into_a_helper_is_undone_where_older_tests_fall_with_it(scene) -> None:
    one = scene(LATER, OWN, ASK, CLOSE, helpers=_TOOLS)
    assert one.screen()["tests/tools.py"] == TOOLS.replace("def ask(url):", "def ask(url, times=1):")
    assert one.result.hidden_files["tests/tools.py"] == "a helper without what the change wrote into it"
    assert one.result.regression == (ASK,)


def test_a_helper_that_no_older_test_falls_with_stays_as_it_is_today(scene) -> None:
    harmless = LATER.replace("    web.close(answer)\n", "    # told\n")
    one = scene(harmless, OWN, ASK, CLOSE, helpers=_TOOLS)
    assert one.screen()["tests/tools.py"] == harmless
    assert not one.result.older_helpers


def test_a_helper_that_the_change_did_not_write_takes_its_tests_down_as_before(scene) -> None:
    one = scene(LATER, OWN, ASK, CLOSE)
    with pytest.raises(Refused):
        one.screen()
    assert "1 of 1 regression checks fail" in one.result.verdict.message


def test_a_test_of_the_change_is_its_own_in_a_class_that_inherits_it_and_goes_with_what_it_inherits(scene) -> None:
    one = scene(LATER, OWN + HEIR, ASK, CLOSE, AGAIN, CLOSED_AGAIN, helpers=_TOOLS)
    assert "test_close" not in one.screen()["tests/test_web.py"]
    assert one.result.observers == (CLOSED_AGAIN,)
    assert [(role.id, role.why) for role in one.result.roles] == [
        (CLOSED_AGAIN, "a test of the change itself, inherited")
    ]
    assert hidden.selection(one.case, one.result).hidden == (CLOSE, CLOSED_AGAIN)
    assert one.result.regression == (ASK, AGAIN)


def test_a_namesake_that_is_written_out_inherits_nothing(scene) -> None:
    written = HEIR.replace("    pass\n", "    def test_close(self):\n        assert ask(1)\n")
    one = scene(LATER, OWN + written, ASK, CLOSE, CLOSED_AGAIN)
    with pytest.raises(Refused):
        one.screen()
