"""A copy of the answer that the change wrote into another file refuses the candidate."""

from __future__ import annotations

from pathlib import Path

import pytest

from change2task.api.reasons import Reason
from change2task.validate import visible
from change2task.validate.case import Case
from change2task.validate.verdict import Verdict
from change2task.vcs.repository import Repository
from tests.support.repos import RepoBuilder

OLD = "def total(values):\n    return values[0]\n"
NEW = "def total(values):\n    result = 0\n    for value in values:\n        result += value\n    return result\n"
SHORT = "def area(w, h):\n    a = w * h\n    b = a + 1\n    return b\n"


def judged(folder: Path, before: dict[str, str], after: dict[str, str], tests: frozenset[str] = frozenset()) -> Verdict:
    repo = RepoBuilder(folder / "repo")
    start = repo.commit(before)
    end = repo.commit(after)
    task = repo.commit({"one.py": before["one.py"]})
    with Repository.open(folder / "repo") as repository:
        b, a, t = (repo.tree(commit) for commit in (start, end, task))
        case = Case.__new__(Case)
        for name, value in {"healthy_tree": a, "before_tree": b, "after_tree": a, "test_files": tests}.items():
            object.__setattr__(case, name, value)
        return visible.judge(repository, case, t, t)


@pytest.mark.parametrize("path", ["one_generated.py", "vendor/one.py", "one.min.js", "docs/one.md", "one.dat"])
def test_a_copy_of_any_kind_that_the_change_wrote_is_refused(tmp_path: Path, path: str) -> None:
    verdict = judged(tmp_path, {"one.py": OLD, path: OLD}, {"one.py": NEW, path: "\0\n" + NEW})
    assert (verdict.passed, verdict.reason) == (False, Reason.ANSWER_VISIBLE)
    assert path in verdict.message
    assert "for value in values:" in verdict.message


def test_a_run_of_short_lines_is_a_copy_as_a_whole(tmp_path: Path) -> None:
    one, other = "def area(w, h):\n    return 1\n", "x = 1\n"
    assert not judged(tmp_path, {"one.py": one, "g.py": other}, {"one.py": SHORT, "g.py": other + SHORT}).passed


def test_lines_that_stood_before_the_change_are_no_copy(tmp_path: Path) -> None:
    before = {"one.py": OLD, "g.py": NEW, "other.py": OLD}
    assert judged(tmp_path, before, {"one.py": NEW, "g.py": NEW + "x = 1\n"}).passed


def test_tests_and_files_that_the_change_left_alone_are_not_looked_at(tmp_path: Path) -> None:
    before = {"one.py": OLD, "test_one.py": OLD}
    assert judged(tmp_path, before, {"one.py": NEW, "test_one.py": NEW}, frozenset({"test_one.py"})).passed
