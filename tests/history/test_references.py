"""Commits and ranges, and what makes a change unusable whatever names it."""

from __future__ import annotations

from pathlib import Path

import pytest

from change2task.api.reasons import Reason
from change2task.api.taskcandidate import Change
from change2task.history.models import ChangeUnusable
from change2task.history.references import resolve_change
from change2task.vcs.repository import Repository
from tests.history.conftest import Refused, Resolve
from tests.support.repos import RepoBuilder, git


def edit(project: RepoBuilder, value: int, message: str = "A change") -> str:
    return project.commit({"pkg/core.py": f"def f(x):\n    return {value}\n"}, message)


@pytest.mark.parametrize("name", ["whole", "short", "tag", "branch"])
def test_a_commit_may_be_named_in_any_way_git_knows(project: RepoBuilder, resolve: Resolve, name: str) -> None:
    commit = edit(project, 1)
    project.tag("v1", commit, annotated=True)
    project.ref("refs/heads/named", commit)
    edit(project, 2)
    given = {"whole": commit, "short": commit[:10], "tag": "v1", "branch": "named"}[name]
    change = resolve(commit=given)
    assert (change.commit, change.parent, change.kind, change.proof) == (commit, project.tip("v1^"), "commit", "given")


def test_a_merge_is_compared_with_its_first_parent(project: RepoBuilder, resolve: Resolve) -> None:
    project.switch("topic")
    edit(project, 1)
    project.switch("main")
    before = project.commit({"other.py": "#\n"}, "Meanwhile")
    merge = project.merge("topic", message="Merge branch 'topic'")
    change = resolve(commit=merge)
    assert (change.kind, change.parent) == ("merge", before)


def test_a_root_has_the_empty_tree_before_it(project: RepoBuilder, resolve: Resolve) -> None:
    root = project.tip()
    edit(project, 1)
    assert (resolve(commit=root).parent, resolve(commit=root).commits) == (None, (root,))


def test_a_merge_of_a_long_lived_branch_is_refused(project: RepoBuilder, refused: Refused) -> None:
    project.switch("8.1.x")
    edit(project, 1, "One fix")
    project.commit({"pkg/text.py": "x = 1\n"}, "Another fix")
    project.switch("main")
    project.commit({"other.py": "#\n"}, "Meanwhile")
    merge = project.merge("8.1.x", message="Merge branch '8.1.x'")
    refusal = refused(commit=merge)
    assert refusal.reason is Reason.BRANCH_MERGE
    assert "8.1.x" in refusal.message


def test_a_long_lived_branch_that_brings_one_commit_is_that_commit(project: RepoBuilder, resolve: Resolve) -> None:
    project.switch("stable")
    edit(project, 1, "One fix")
    project.switch("main")
    project.commit({"other.py": "#\n"}, "Meanwhile")
    merge = project.merge("stable", message="Merge branch 'stable'")
    assert resolve(commit=merge).commit == merge


def test_an_octopus_that_brings_several_changes_is_refused(project: RepoBuilder, refused: Refused) -> None:
    for name in ("one", "two"):
        project.switch(name, project.tip("main"))
        project.commit({f"pkg/{name}.py": "a = 1\n"}, name)
    project.switch("main")
    project.commit({"other.py": "#\n"}, "Meanwhile")
    merge = project.merge("one", "two", message="Merge branches 'one' and 'two'")
    assert refused(commit=merge).reason is Reason.BRANCH_MERGE


def test_a_change_on_another_branch_is_not_in_the_ancestry(project: RepoBuilder, refused: Refused) -> None:
    project.switch("aside")
    aside = edit(project, 1)
    project.switch("main")
    edit(project, 2)
    assert refused(commit=aside).reason is Reason.CHANGE_NOT_IN_ANCESTRY


@pytest.mark.parametrize("name", ["0" * 40, "no-such-tag", "HEAD:pkg"])
def test_a_name_that_is_no_commit_is_not_found(refused: Refused, name: str) -> None:
    refusal = refused(commit=name)
    assert refusal.reason is Reason.CHANGE_NOT_FOUND
    assert refusal.message == f"{name} names no commit of the repository"


def test_digits_that_begin_several_commits_are_asked_to_be_more(project: RepoBuilder, refused: Refused) -> None:
    short = project.alike()[0][:7]
    refusal = refused(commit=short)
    assert refusal.reason is Reason.CHANGE_NOT_FOUND
    assert refusal.message.startswith(f"{short} begins the ids of 2 commits, ")
    assert refusal.message.endswith("; give more digits")


def test_a_range_holds_all_commits_between_its_ends(project: RepoBuilder, resolve: Resolve) -> None:
    start = project.tip()
    commits = [edit(project, n, f"Step {n}") for n in range(3)]
    change = resolve(range=f"{start[:12]}..{commits[-1]}")
    assert (change.parent, change.commit, change.commits) == (start, commits[-1], tuple(commits))
    assert (change.kind, change.title) == ("range", "Step 0")


def test_a_range_the_wrong_way_round_is_refused_with_the_right_one(project: RepoBuilder, refused: Refused) -> None:
    one, two = project.tip(), edit(project, 1)
    refusal = refused(range=f"{two}..{one}")
    assert refusal.reason is Reason.CHANGE_NOT_FOUND
    assert f"{one}..{two}" in refusal.message


def test_a_range_without_commits_is_empty(project: RepoBuilder, refused: Refused) -> None:
    tip = project.tip()
    assert refused(range=f"{tip}..{tip}").reason is Reason.EMPTY_CHANGE


def test_a_change_that_was_taken_back_is_refused(project: RepoBuilder, refused: Refused) -> None:
    commit = edit(project, 1, "Add it (#3)")
    revert = project.revert(commit)
    project.commit({"other.py": "#\n"}, "Later")
    for refusal in (refused(commit=commit), refused(pull_request=3)):
        assert refusal.reason is Reason.CHANGE_REVERTED
        assert revert[:12] in refusal.message


def test_a_revert_that_leaves_the_change_log_alone_is_a_revert(project: RepoBuilder, refused: Refused) -> None:
    old = project.git("show", "main:pkg/core.py").decode()
    commit = project.commit({"pkg/core.py": old + "x = 1\n", "CHANGES.md": "# Changes\n\n- x\n"}, "Add x (#3)")
    project.commit({"pkg/core.py": old}, 'Revert "Add x (#3)" (#4)\n\nReverts ada/project#3')
    assert refused(commit=commit).reason is Reason.CHANGE_REVERTED


def test_a_message_without_the_inverse_reverts_nothing(project: RepoBuilder, resolve: Resolve) -> None:
    commit = edit(project, 1)
    edit(project, 2, f"Improve\n\nThis reverts commit {commit}.")
    assert resolve(commit=commit).commit == commit


def test_a_change_that_was_taken_back_and_brought_in_again_stands(project: RepoBuilder, resolve: Resolve) -> None:
    commit = edit(project, 1)
    revert = project.revert(commit)
    project.revert(revert)
    assert resolve(commit=commit).commit == commit


def test_a_change_that_landed_again_under_its_title_stands(project: RepoBuilder, resolve: Resolve) -> None:
    commit = edit(project, 1, "Add it")
    project.revert(commit)
    edit(project, 1, "Reland: Add it")
    assert resolve(commit=commit).commit == commit


def test_a_revert_is_a_change_that_says_what_it_takes_back(project: RepoBuilder, resolve: Resolve) -> None:
    commit = edit(project, 1)
    revert = project.revert(commit)
    assert resolve(commit=revert).reverts == commit


def test_a_shallow_history_is_said_to_be_incomplete(project: RepoBuilder, tmp_path: Path) -> None:
    commits = [edit(project, n, f"Step {n} (#{n + 1})") for n in range(4)]
    git(tmp_path, "clone", "-q", "--bare", "--depth", "2", project.url, "shallow")
    with Repository.open(tmp_path / "shallow") as repo:
        for change in (Change(commit=commits[2]), Change(commit=commits[0]), Change(pull_request=1)):
            with pytest.raises(ChangeUnusable) as caught:
                resolve_change(repo, change, commits[-1])
            assert caught.value.reason is Reason.HISTORY_INCOMPLETE


def test_a_missing_object_is_said_to_be_missing(project: RepoBuilder) -> None:
    commit = edit(project, 1)
    tree = project.tree(commit)
    (project.path / ".git/objects" / tree[:2] / tree[2:]).unlink()
    with Repository.open(project.path) as repo, pytest.raises(ChangeUnusable) as caught:
        resolve_change(repo, Change(commit=commit), commit)
    assert caught.value.reason is Reason.HISTORY_INCOMPLETE
