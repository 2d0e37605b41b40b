"""The change undone where it was made and carried forward, on histories made for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from change2task.construct.models import Assignment, NotApplicable, Proposal, SourceFile
from change2task.construct.strategies.history_walk import HistoryWalk
from change2task.construct.strategies.line_ownership import LineOwnership
from change2task.vcs.repository import Repository
from change2task.vcs.workbench import Workbench
from tests.support.repos import Moved, RepoBuilder

BEFORE = b"def f(values):\n    total = sum(values)\n    return total\n"
AFTER = BEFORE.replace(b"    return total\n", b"    if total < 0:\n        total = 0\n    return total\n")


class History:
    """A change of m.py and what came after it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.builder = RepoBuilder(folder / "repo")
        self.before = self.builder.commit({"m.py": BEFORE, "k.py": b"k\n"})
        self.change = self.builder.commit({"m.py": AFTER})

    def later(self, content: bytes | None, path: str = "m.py") -> str:
        return self.builder.commit({path: content})

    def answer(self, strategy=None, modern: str | None = "m.py", **more) -> tuple[Repository, Proposal | NotApplicable]:
        repository = Workbench(Repository.open(self.builder.path), self.folder / "bench")
        head = self.builder.tip()
        assignment = Assignment(
            healthy_tree=repository.tree_of(head),
            before_tree=repository.tree_of(self.before),
            after_tree=repository.tree_of(self.change),
            files=(SourceFile(before="m.py", after="m.py", modern=modern),),
            **{"change_commit": self.change, "healthy_commit": head, **more},
        )
        [answer] = (strategy or HistoryWalk()).propose(repository, assignment)
        return repository, answer

    def text(self, path: str = "m.py") -> bytes:
        repository, answer = self.answer(modern=path)
        assert isinstance(answer, Proposal), answer
        entry = repository.entry(answer.tree, path.encode())
        assert entry is not None
        return repository.blob(entry.oid)


@pytest.fixture
def history(tmp_path: Path) -> History:
    return History(tmp_path)


def test_small_steps_lead_where_one_large_one_does_not(history):
    first = AFTER.replace(b"if total < 0:", b"if total < lowest:")
    second = first.replace(b"        total = 0\n", b"        total = lowest\n        warn(values, lowest)\n")
    third = second.replace(b"if total < lowest:", b"if lowest is not None and total < lowest(values):")
    fourth = third.replace(
        b"        total = lowest\n        warn(values, lowest)\n", b"        total = clamp(values)\n"
    )
    for text in (first, second, third, fourth):
        history.later(text)
    assert history.text() == BEFORE


def test_a_renamed_file_is_carried_under_its_new_name(history):
    history.builder.commit({"pkg/m.py": Moved("m.py")})
    history.later(AFTER.replace(b"sum(values)", b"fsum(values)"), "pkg/m.py")
    assert history.text("pkg/m.py") == BEFORE.replace(b"sum(values)", b"fsum(values)")


def test_the_first_commit_that_clashes_is_named(history):
    history.later(AFTER.replace(b"def f(values)", b"def f(values, start)"))
    guilty = history.later(b"def f(values, start):\n    return reduce(operator.add, values)\n")
    history.later(b"def f(values, start):\n    return reduce(operator.add, values, start)\n")
    _, answer = history.answer()
    assert isinstance(answer, NotApplicable)
    assert f"commit {guilty[:12]}, 2 of 3" in answer.why


def test_a_change_that_a_later_commit_took_back_leaves_nothing_to_undo(history):
    taken_back = history.later(BEFORE)
    history.later(BEFORE + b"\n\nx = 1\n")
    repository, answer = history.answer()
    assert isinstance(answer, Proposal)
    assert answer.tree == repository.tree_of(history.builder.tip())
    assert any(f"nothing of the change is left from here on (commit {taken_back[:12]}" in r.how for r in answer.regions)


def test_a_base_that_does_not_descend_from_the_change_is_said(history):
    side = history.change
    history.builder.switch("other", at=history.before)
    history.builder.commit({"m.py": AFTER + b"\n"})
    _, answer = history.answer(change_commit=side)
    assert isinstance(answer, NotApplicable)
    assert answer.why == f"m.py: {side} is not an ancestor of {history.builder.tip()}"


def test_the_record_names_the_commits_at_which_clashes_were_settled(history):
    settled = history.later(AFTER.replace(b"if total < 0:", b"if total < lowest:"))
    history.later(AFTER.replace(b"if total < 0:", b"if total < lowest:") + b"\n\nx = 1\n")
    _, answer = history.answer()
    assert isinstance(answer, Proposal)
    assert any(settled[:12] in region.how for region in answer.regions)


def test_the_walk_is_the_same_every_time(history):
    history.later(AFTER.replace(b"if total < 0:", b"if total < lowest:"))
    assert history.answer()[1] == history.answer()[1]
    assert history.answer(LineOwnership())[1].tree == history.answer()[1].tree
