"""The agent's tree of a proposal: no hidden checks, no helpers of theirs, nothing that names the change."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from change2task.api.fidelity import ChangeProfile
from change2task.api.taskvariant import Statement
from change2task.checks import mapping
from change2task.checks.naming import naming
from change2task.checks.passes import PassOrder, PassRecord
from change2task.checks.results import SuiteResult, TestResult
from change2task.construct.traces import Followed, Names, traces_of
from change2task.validate import hidden
from change2task.validate.case import Case
from change2task.validate.lifecycle import Demand
from change2task.validate.qualification import Left, Qualification
from change2task.validate.screening import screen_regression
from change2task.vcs.repository import Repository
from change2task.vcs.trees import FILE, Entry, Tree
from change2task.vcs.workbench import Workbench
from tests.support.repos import RepoBuilder
from tests.support.runners import OneByOne

OLD = "package chi\n\nfunc Old() int { return 1 }\n"
NEW = OLD + "\nfunc brandNew() int { return 2 }\n"
BEFORE = {
    "chi.go": OLD,
    "chi_test.go": 'package chi\n\nimport "testing"\n\nfunc TestOld(t *testing.T) { Old() }\n',
}
AFTER = {
    **BEFORE,
    "chi.go": NEW,
    "export_test.go": "package chi\n\nvar BrandNew = brandNew\n",
    "new_test.go": 'package chi\n\nimport "testing"\n\nfunc TestNew(t *testing.T) { BrandNew() }\n',
    "also_test.go": 'package chi\n\nimport "testing"\n\nfunc TestAlso(t *testing.T) { Old() }\n',
    "NEWS.md": "- Something new is there for everybody.\n",
}
CHECKS = (".::TestOld", ".::TestNew", ".::TestAlso")
_PROFILE = ChangeProfile(files=1, hunks=1, lines=2, symbols=1, target_checks=1, regression_checks=0)


@dataclass
class Scene:
    """A change that is undone, with everything that the gates know of it."""

    repository: Repository
    case: Case
    task_tree: str
    result: Qualification = field(default_factory=lambda: Qualification(targets=(".::TestNew",)))

    def paths(self, tree: str) -> set[str]:
        return {path.decode() for path in self.repository.tree(tree)}


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return scene_of(tmp_path, AFTER)


def scene_of(tmp_path: Path, after: dict[str, str]) -> Scene:
    repo = RepoBuilder(tmp_path / "repo")
    start, healthy = repo.commit(BEFORE), repo.commit(after)  # type: ignore[arg-type]
    task = repo.commit({"chi.go": OLD})
    repository = Workbench(Repository.open(repo.path), tmp_path / "bench")
    trees = {name: repo.tree(commit) for name, commit in (("before", start), ("healthy", healthy), ("task", task))}
    case = Case(
        healthy_tree=trees["healthy"], before_tree=trees["before"], after_tree=trees["healthy"],
        permitted=frozenset({"chi.go"}), roles={}, tests=mapping.TestMap(mapped=(), lost=()),
        healthy=frozenset(CHECKS), naming=naming("go"), demand=Demand.ANY, source_profile=_PROFILE,
        historical_regression=frozenset(), introduced=frozenset({"brandNew"}), test_paths={p: p for p in BEFORE},
        statement=Statement(title="x", body="", provenance="title"), sources=frozenset({"chi.go"}),
        own_added=frozenset({(".", "TestNew"), (".", "TestAlso")}),
        test_files=frozenset(path for path in AFTER if path.endswith("_test.go")),
        documents=frozenset({"NEWS.md"}), change_logs=frozenset({"NEWS.md"}), names=Names(),
        traces=traces_of(repository, trees["before"], trees["healthy"], trees["healthy"],
                         [Followed(None, b"NEWS.md", b"NEWS.md")]),
    )  # fmt: skip
    return Scene(repository, case, trees["task"])


def test_it_is_without_the_targets_their_helpers_the_changes_passing_tests_and_its_news(scene: Scene) -> None:
    tree = hidden.agent_tree(scene.repository, scene.case, scene.task_tree, scene.result)
    assert scene.paths(tree) == {"chi.go", "chi_test.go"}
    assert set(scene.result.hidden_files) == {"new_test.go", "also_test.go", "export_test.go"}
    assert scene.result.traces == {"NEWS.md": "removed: the change brought it"}
    assert hidden.regression(scene.case, scene.result) == ((".::TestAlso",), (".::TestOld",))


def test_the_changes_passing_tests_that_put_doubles_into_the_product_ask_nothing_of_an_answer(tmp_path: Path) -> None:
    double = 'package chi\n\nimport "testing"\n\nfunc TestAlso(t *testing.T) { gomock.NewController(t).Finish() }\n'
    scene = scene_of(tmp_path, {**AFTER, "also_test.go": double})
    hidden.agent_tree(scene.repository, scene.case, scene.task_tree, scene.result)

    assert scene.result.own_coupled == {(".", "TestAlso")}
    assert "also_test.go" in scene.result.hidden_files
    assert hidden.regression(scene.case, scene.result) == ((), (".::TestOld",))


def test_where_all_that_is_left_open_would_be_hidden_the_changes_passing_tests_stay(scene: Scene) -> None:
    scene.result.targets = (".::TestNew", ".::TestOld")
    tree = hidden.agent_tree(scene.repository, scene.case, scene.task_tree, scene.result)
    assert "also_test.go" in scene.paths(tree)
    assert hidden.regression(scene.case, scene.result).open == (".::TestAlso",)


@dataclass
class Needing(OneByOne):
    """A runner whose checks pass where a file is there."""

    repository: Repository
    path: bytes
    ran: list[Any] = field(default_factory=list)

    def run(self, order: PassOrder) -> PassRecord:
        self.ran.append(order.ids)
        outcome = "passed" if self.repository.entry(order.tree, self.path) is not None else "failed"
        results = {
            check: TestResult.model_validate({"id": check, "outcome": outcome, "phase": "call", "signature": None})
            for check in order.ids or ()
        }
        suite = SuiteResult(results=results, collected=tuple(results), finished=True, ending="finished", rounds=1)
        return PassRecord(suite=suite, seconds=1)


def test_what_checks_need_is_left_and_nothing_else_is_refused_for_it(scene: Scene) -> None:
    runner = Needing(scene.repository, b"NEWS.md")
    tree = screen_regression(scene.repository, runner, scene.case, scene.task_tree, scene.result)
    assert scene.paths(tree) == {"chi.go", "chi_test.go", "also_test.go", "NEWS.md"}
    assert (scene.result.plain, scene.result.traces) == (True, {})
    assert scene.result.regression == (".::TestAlso", ".::TestOld")
    assert runner.ran == [(".::TestOld",), (".::TestAlso", ".::TestOld")]


def test_of_what_goes_only_documents_that_code_names_are_left_where_that_is_enough(tmp_path: Path) -> None:
    reader = 'package chi\n\nimport "testing"\n\nfunc TestOld(t *testing.T) { Old("README.md") }\n'
    line = "Something new is there for everybody.\n"
    before, after = "# Chi\n", f"# Chi\n\n{line}"
    scene = scene_of(tmp_path, {**AFTER, "chi_test.go": reader, "README.md": after})
    trees = [scene.repository.write_tree(Tree({b"README.md": _entry(scene, text)})) for text in (before, after)]
    followed = [Followed(b"README.md", b"README.md", b"README.md")]
    traces = (*scene.case.traces, *traces_of(scene.repository, trees[0], trees[1], trees[1], followed))
    scene.case = replace(scene.case, traces=traces, documents=frozenset({"NEWS.md", "README.md"}))

    runner = Wanting(scene.repository, b"README.md", line=line.encode())
    tree = screen_regression(scene.repository, runner, scene.case, scene.task_tree, scene.result)
    assert scene.paths(tree) == {"chi.go", "chi_test.go", "README.md"}
    assert (scene.result.left, list(scene.result.traces)) == (Left.NAMED, ["NEWS.md"])
    assert scene.result.traces_left == {"README.md": "chi_test.go names it"}
    assert runner.ran == [(".::TestOld",), (".::TestOld",)]


def _entry(scene: Scene, text: str) -> Entry:
    return Entry(FILE, scene.repository.write_blob(text.encode()))


@dataclass
class Wanting(Needing):
    """A runner whose checks pass where a file holds a line."""

    line: bytes = field(kw_only=True)

    def run(self, order: PassOrder) -> PassRecord:
        entry = self.repository.entry(order.tree, self.path)
        there = entry is not None and self.line in self.repository.blob(entry.oid)
        return Needing(self.repository, b"chi.go" if there else b"nowhere", self.ran).run(order)
