"""All gates over one proposal: what is tried again before a proposal is refused."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from change2task.api.fidelity import ChangeProfile
from change2task.api.reasons import Reason
from change2task.api.taskvariant import Statement
from change2task.checks import mapping
from change2task.checks.naming import naming
from change2task.checks.passes import PassOrder, PassRecord
from change2task.checks.results import SuiteResult, TestResult
from change2task.construct.models import Proposal
from change2task.construct.traces import Followed, Names, traces_of
from change2task.validate.case import Case
from change2task.validate.lifecycle import Demand
from change2task.validate.qualify import qualify
from change2task.vcs.repository import Repository
from change2task.vcs.workbench import Workbench
from tests.support.repos import RepoBuilder
from tests.support.runners import OneByOne

OLD, NEW = "def one():\n    return 2\n", "def one():\n    return 1\n"
TEST = "from pkg import one\n\n\ndef test_old():\n    assert one()\n"
OWN = "\n\ndef test_one():\n    assert one() == 1\n"
BEFORE = {"pkg.py": OLD, "tests/test_old.py": TEST, "docs/one.md": "One page of the documents.\n"}
AFTER = {**BEFORE, "pkg.py": NEW, "tests/test_old.py": TEST + OWN, "docs/two.md": "One is one, says this page.\n"}
TESTS = "tests/test_old.py"
CHECKS = (f"{TESTS}::test_old", f"{TESTS}::test_one")
MAPPED = mapping.MappedTest(
    historical=mapping.HistoricalTest(path=TESTS, modern_path=TESTS, function="test_one"),
    scope=TESTS,
    function="test_one",
    how="same name",
    ids=CHECKS[1:],
)


@dataclass
class Rebuilt(OneByOne):
    """Checks of a project whose rebuild needs a file once its source is ``NEW``, which is what its target asks for."""

    repository: Repository
    needed: str
    ran: list[str] = field(default_factory=list)

    def run(self, order: PassOrder) -> PassRecord:
        self.ran.append(order.label)
        paths = {path.decode() for path in self.repository.tree(order.tree)}
        source = self.repository.entry(order.tree, b"pkg.py")
        new = source is not None and self.repository.blob(source.oid) == NEW.encode()
        builds = not new or self.needed in paths
        results = {
            check: TestResult.model_validate(
                {
                    "id": check,
                    "outcome": "passed" if builds and (new or check.endswith("old")) else "failed",
                    "phase": "call",
                    "signature": None,
                }
            )
            for check in order.ids or ()
        }
        suite = SuiteResult(results=results, collected=tuple(results), finished=True, ending="finished", rounds=1)
        return PassRecord(suite=suite, seconds=1)


@dataclass
class Scene:
    repository: Repository
    case: Case
    proposal: Proposal


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    repo = RepoBuilder(tmp_path / "repo")
    start, healthy = repo.commit(BEFORE), repo.commit(AFTER)  # type: ignore[arg-type]
    task = repo.commit({"pkg.py": OLD})
    repository = Workbench(Repository.open(repo.path), tmp_path / "bench")
    trees = {name: repo.tree(commit) for name, commit in (("before", start), ("healthy", healthy), ("task", task))}
    case = Case(
        healthy_tree=trees["healthy"], before_tree=trees["before"], after_tree=trees["healthy"],
        permitted=frozenset({"pkg.py"}), roles={}, tests=mapping.TestMap(mapped=(MAPPED,), lost=()),
        healthy=frozenset(CHECKS), naming=naming("pytest"), demand=Demand.ANY,
        source_profile=ChangeProfile(files=1, hunks=1, lines=2, symbols=1, target_checks=1, regression_checks=0),
        historical_regression=frozenset(), introduced=frozenset(), test_paths={p: p for p in BEFORE},
        statement=Statement(title="One is two", body="", provenance="title"), sources=frozenset({"pkg.py"}),
        own_added=frozenset({("tests/test_old.py", "test_one")}), test_files=frozenset({"tests/test_old.py"}),
        documents=frozenset({"docs/one.md", "docs/two.md"}), change_logs=frozenset(), names=Names(),
        traces=traces_of(repository, trees["before"], trees["healthy"], trees["healthy"],
                         [Followed(None, b"docs/two.md", b"docs/two.md")]),
    )  # fmt: skip
    return Scene(repository, case, Proposal(strategy="exact-reversal", level=1, tree=trees["task"]))


def test_what_only_the_restored_state_needs_of_what_was_taken_out_stays_in_place(scene: Scene) -> None:
    result = qualify(scene.repository, Rebuilt(scene.repository, "docs/two.md"), scene.case, scene.proposal)
    assert (result.accepted, result.plain, result.traces) == (True, True, {})


def test_where_nothing_of_it_is_needed_nothing_is_tried_again(scene: Scene) -> None:
    runner = Rebuilt(scene.repository, "docs/one.md")
    result = qualify(scene.repository, runner, scene.case, scene.proposal)
    assert (result.accepted, result.plain) == (True, False)
    assert list(result.traces) == ["docs/two.md"]


def test_a_restored_state_that_fails_with_it_too_is_refused_as_it_was_first(scene: Scene) -> None:
    runner = Rebuilt(scene.repository, "nowhere")
    result = qualify(scene.repository, runner, scene.case, scene.proposal)
    assert (result.verdict.reason, result.plain) == (Reason.RESTORATION_FAILED, False)
    assert sum(label.startswith("task-screen-targets") for label in runner.ran) == 2
