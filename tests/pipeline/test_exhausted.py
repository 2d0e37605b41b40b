"""A person whose change could not be undone is told what was tried, what stopped it, and what may be done."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from change2task.api.reasons import Reason
from change2task.api.taskcandidate import Attempt
from change2task.construct.models import Assignment, SourceFile
from change2task.construct.obstacles import obstacles
from change2task.pipeline.exhausted import exhausted, told
from change2task.vcs.repository import Repository
from tests.support.repos import RepoBuilder

BEFORE = "def one():\n    return 1\n"
AFTER = "def one():\n    value = 2\n    return value\n"
TRIED = Attempt(
    level=1, strategy="exact-reversal", outcome="notApplicable", reason=Reason.CONSTRUCTION_EXHAUSTED, message="no"
)


class History:
    """A change and what came after it."""

    def __init__(self, path: Path, *later: tuple[str, Mapping[str, str | None]]) -> None:
        repo = RepoBuilder(path)
        before = repo.commit({"a.py": BEFORE, "b.py": "x = 1\n"}, "Begin")
        change = repo.commit({"a.py": AFTER}, "Change it")
        commits = [repo.commit(dict(files), subject) for subject, files in later]
        self.repository, self.commits = Repository.open(repo.path), commits
        self.assignment = Assignment(
            healthy_tree=repo.tree(commits[-1]), before_tree=repo.tree(before), after_tree=repo.tree(change),
            files=(SourceFile(before="a.py", after="a.py", modern="a.py"),),
            change_commit=change, healthy_commit=commits[-1],
        )  # fmt: skip


@pytest.fixture
def history(tmp_path: Path) -> History:
    return History(
        tmp_path / "repo",
        ("Elsewhere", {"b.py": "x = 2\n"}),
        ("Below it", {"a.py": f"{AFTER}\n\ndef two():\n    return 2\n"}),
        ("Rewrite one()\x1b[31m", {"a.py": AFTER.replace("value = 2", "value = int('2')")}),
        ("And again", {"a.py": "def one():\n    return 1 + 1\n"}),
    )


def test_the_first_commit_that_rewrote_the_changes_lines_stands_in_the_way(history: History) -> None:
    [found] = obstacles(history.repository, history.assignment)
    assert (found.path, found.commit.oid) == ("a.py", history.commits[2])


def test_where_all_that_the_change_wrote_still_stands_nothing_is_in_the_way(tmp_path: Path) -> None:
    history = History(tmp_path / "repo", ("Above it", {"a.py": f"import os\n\n{AFTER}"}))
    assert obstacles(history.repository, history.assignment) == ()
    nowhere = history.assignment.replacing(healthy_commit=None)
    assert obstacles(history.repository, nowhere) == ()


def test_the_message_names_strategies_the_last_refusal_the_commit_and_the_ways_out(history: History) -> None:
    attempts = [
        TRIED,
        TRIED.replacing(strategy="word-merge", message="a.py: line 2 clashes"),
        TRIED.replacing(strategy="per-file", outcome="duplicate", message="same tree as three-way"),
    ]
    verdict = exhausted(history.repository, history.assignment, attempts, True)
    assert verdict.reason is Reason.CONSTRUCTION_EXHAUSTED
    commit = history.repository.commit(history.commits[2])
    assert verdict.message == (
        "no strategy could undo the change on the base, so nothing was run (3 strategies tried: exact-reversal,"
        " word-merge, per-file); the last to find a reason against it, word-merge: a.py: line 2 clashes; in the way"
        f" stands commit {commit.oid[:12]} of {commit.committer_time.date()}, 'Rewrite one()\\x1b[31m', which rewrote"
        " lines of the change in a.py; what can be done: let all strategies try (--profile full); or set the base's"
        " spec.revision to a healthy commit before what stands in the way; or take another change; what each strategy"
        " said is told by change2task explain"
    )


def test_a_change_that_later_work_took_back_is_said_to_be_gone() -> None:
    gone = TRIED.replacing(outcome="duplicate", message="same tree as the healthy base itself")
    message = told([gone], (), paper=False)
    assert "(1 strategy tried: exact-reversal); undoing it leaves the base as it is" in message
    assert "profile" not in message


def test_where_no_strategy_may_be_tried_the_field_is_named() -> None:
    assert "spec.construction.levels" in told([], (), paper=False)
