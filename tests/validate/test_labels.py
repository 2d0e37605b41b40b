"""Labels are decided by reading an accepted proposal, each by its own rule."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from change2task.api.fidelity import ChangeProfile
from change2task.api.labels import Label
from change2task.api.taskcandidate import CheckSpec, StaticOracle
from change2task.api.taskvariant import InterfaceName, Statement
from change2task.checks import mapping
from change2task.checks.naming import naming
from change2task.validate.case import Case
from change2task.validate.labels import labels_of
from change2task.validate.lifecycle import Demand
from change2task.validate.qualification import Left, Qualification
from change2task.vcs.repository import Repository
from tests.support.repos import RepoBuilder

TESTS = """
def test_plain():
    assert one() == 1


def test_four():
    assert len(parts()) == 4


def test_mocked(monkeypatch):
    monkeypatch.setattr(pkg, "one", None)
"""
SAID = Statement(title="Parts come in four", body="There are 4 parts, says this body.", provenance="title")


class Scene:
    """Labels of a proposal whose targets are some of the tests."""

    def __init__(self, path: Path) -> None:
        repo = RepoBuilder(path)
        commit = repo.commit({"tests/test_a.py": TESTS})
        self.repository = Repository.open(repo.path)
        tree = repo.tree(commit)
        self.case = Case(
            healthy_tree=tree, before_tree=tree, after_tree=tree, permitted=frozenset(), roles={},
            tests=mapping.TestMap(mapped=(), lost=()), healthy=frozenset(), naming=naming("pytest"), demand=Demand.ANY,
            source_profile=_profile(20, 1000), historical_regression=frozenset(), introduced=frozenset(),
            test_paths={}, statement=SAID,
        )  # fmt: skip

    def labels(self, *functions: str, said: Statement = SAID, **how: object) -> tuple[Label, ...]:
        targets = tuple(f"tests/test_a.py::{name}" for name in functions)
        return labels_of(self.repository, self.case, Qualification(targets=targets, statement=said, **how))  # type: ignore[arg-type]


def _profile(files: int, lines: int) -> ChangeProfile:
    return ChangeProfile(files=files, hunks=1, lines=lines, symbols=1, target_checks=1, regression_checks=0)


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return Scene(tmp_path / "repo")


def test_a_task_of_which_no_rule_holds_bears_none(scene: Scene) -> None:
    assert scene.labels("test_plain", "test_four") == ()


def test_a_number_that_the_statement_does_not_hold_is_an_exact_value(scene: Scene) -> None:
    said = SAID.replacing(body="There are 14 parts, or 4.5, says this body.")
    assert scene.labels("test_four", said=said) == (Label.EXACT_VALUE,)
    assert scene.labels("test_plain", said=said) == ()


def test_doubles_in_a_target_or_an_observer_are_told(scene: Scene) -> None:
    assert scene.labels("test_mocked") == (Label.DOUBLES_IN_TARGETS,)
    assert scene.labels("test_plain", observers=("tests/test_a.py::test_mocked",)) == (Label.DOUBLES_IN_TARGETS,)


def test_what_agents_who_write_tests_never_meet_labels_nothing(scene: Scene) -> None:
    scene.case = replace(scene.case, answers_to_hidden_checks=False)
    assert scene.labels("test_mocked", "test_four") == ()


def test_a_text_told_beside_the_statement_is_an_exact_message_and_a_name_is_none(scene: Scene) -> None:
    for name, labels in (("no such part", (Label.EXACT_MESSAGE,)), ("parts", ())):
        said = SAID.replacing(interface=(InterfaceName(name=name, path="a.py"),))
        assert scene.labels("test_plain", said=said) == labels


def test_a_statement_without_a_body_is_a_title_alone(scene: Scene) -> None:
    assert scene.labels("test_plain", said=SAID.replacing(body="\n")) == (Label.TITLE_ONLY_STATEMENT,)


@pytest.mark.parametrize(("files", "lines"), [(21, 1), (1, 1001)])
def test_a_change_larger_than_a_request_is_release_sized(scene: Scene, files: int, lines: int) -> None:
    scene.case = replace(scene.case, source_profile=_profile(files, lines))
    assert scene.labels("test_plain") == (Label.RELEASE_SIZED,)


def test_a_target_decided_by_reading_is_told(scene: Scene) -> None:
    check = CheckSpec(id="api", kind="static", static=StaticOracle(gone=("optparse",)))
    scene.case = replace(scene.case, beside=(check,))
    result = Qualification(targets=("api",), statement=SAID)
    assert labels_of(scene.repository, scene.case, result) == (Label.STATIC_ORACLE,)


def test_traces_that_stay_are_told_one_or_all(scene: Scene) -> None:
    assert scene.labels("test_plain", traces_left={"README.md": "x"}) == (Label.TRACES_LEFT,)
    assert scene.labels("test_plain", left=Left.ALL) == (Label.TRACES_LEFT,)
