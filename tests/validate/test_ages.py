"""Cases that later work added to the change's own tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from change2task.api.fidelity import ChangeProfile
from change2task.api.taskvariant import Statement
from change2task.checks import mapping
from change2task.checks.mapping import HistoricalTest, MappedTest
from change2task.checks.naming import naming
from change2task.validate.ages import of_later_work, undoes_no_more
from change2task.validate.case import Case
from change2task.validate.lifecycle import Demand
from change2task.vcs.repository import Repository
from tests.support.repos import RepoBuilder

HEAD = "import pytest\nfrom m import proxies\n\n\n@pytest.mark.parametrize('names', [\n"
TAIL = "])\ndef test_proxies(names):\n    assert proxies(names)\n"
THEN = HEAD + "    ['local'],\n    ['::1'],\n" + TAIL
LATER = HEAD + "    ['http://x'],\n    [\n        'local',\n    ],\n    ['::1'],\n" + TAIL
IDS = tuple(f"test_m.py::test_proxies[names{n}]" for n in range(3))


@pytest.fixture
def later(tmp_path: Path):
    def told(
        then: str, now: str, *failing: str, coined: str = "is_local", demand: Demand = Demand.ANY
    ) -> tuple[str, ...]:
        repo = RepoBuilder(tmp_path / "repo")
        before = repo.commit({"m.py": "def proxies(n):\n    return n\n"})
        after = repo.commit({"m.py": f"def {coined}(n):\n    return n\n", "old_m.py": then})
        modern = repo.commit({"test_m.py": now, "old_m.py": None})
        own = HistoricalTest(path="old_m.py", modern_path="test_m.py", function="test_proxies")
        mapped = MappedTest(historical=own, scope="test_m.py", function=own.function, how="same name", ids=IDS)
        case = Case(
            healthy_tree=repo.tree(modern), before_tree=repo.tree(before), after_tree=repo.tree(after),
            permitted=frozenset({"m.py"}), roles={}, tests=mapping.TestMap(mapped=(mapped,), lost=()),
            healthy=frozenset(IDS), naming=naming("pytest"), demand=demand, source_profile=_PROFILE,
            historical_regression=frozenset(), introduced=frozenset({coined}), test_paths={},
            statement=Statement(title="x", body="", provenance="title"),
        )  # fmt: skip
        with Repository.open(tmp_path / "repo") as repository:
            return of_later_work(repository, case, failing)

    return told


_PROFILE = ChangeProfile(files=1, hunks=1, lines=2, symbols=1, target_checks=1, regression_checks=0)


def test_a_case_that_was_not_there_then_is_later_works_whatever_its_number_is_today(later) -> None:
    assert later(THEN, LATER, *IDS) == IDS[:1]


def test_a_case_of_a_test_that_names_what_the_change_coined_observes_the_change(later) -> None:
    assert later(THEN, LATER, *IDS, coined="proxies_of") == IDS[:1]
    named = LATER.replace("proxies(names)", "is_local(names)")
    assert later(THEN, named, *IDS) == ()


def test_where_the_cases_of_then_cannot_be_told_nothing_is_claimed(later) -> None:
    assert later(THEN.replace("['::1']", "make('::1')"), LATER, *IDS) == ()
    assert later("", LATER, *IDS) == ()


def test_a_test_without_cases_is_no_case_of_anything(later) -> None:
    assert later(THEN, LATER, "test_m.py::test_proxies", "test_m.py::test_other[names0]") == ()


def test_the_papers_profile_takes_every_case_for_a_target(later) -> None:
    assert later(THEN, LATER, *IDS, demand=Demand.ALL) == ()


@pytest.mark.parametrize(
    ("task", "no_more"),
    [
        ("def f(n):\n    return n\n\n\ndef g(n):\n    return 2\n", True),
        ("def f(n):\n      return n\n\ndef g(n):\n    return 2\n", True),
        ("def f(n):\n    return n\n", False),
        ("def f(n):\n    return n\n\n\ndef g(n):\n    return 2 + 2\n", False),
    ],
)
def test_a_task_state_undoes_no_more_than_the_change_where_every_line_is_the_changes(
    tmp_path: Path, task: str, no_more: bool
) -> None:
    repo = RepoBuilder(tmp_path / "repo")
    before = repo.commit({"m.py": "def f(n):\n    return n\n"})
    after = repo.commit({"m.py": "def f(n):\n    return n + 1\n"})
    modern = repo.commit({"m.py": "def f(n):\n    return n + 1\n\n\ndef g(n):\n    return 2\n"})
    made = repo.commit({"m.py": task})
    case = Case(
        healthy_tree=repo.tree(modern), before_tree=repo.tree(before), after_tree=repo.tree(after),
        permitted=frozenset({"m.py"}), roles={}, tests=mapping.TestMap(mapped=(), lost=()), healthy=frozenset(),
        naming=naming("pytest"), demand=Demand.ANY, source_profile=_PROFILE, historical_regression=frozenset(),
        introduced=frozenset(), test_paths={}, statement=Statement(title="x", body="", provenance="title"),
    )  # fmt: skip
    with Repository.open(tmp_path / "repo") as repository:
        assert undoes_no_more(repository, case, repo.tree(made)) is no_more
