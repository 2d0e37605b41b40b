"""From a request's number to its change, on histories as forges make them."""

from __future__ import annotations

from change2task.api.reasons import Reason
from change2task.history.forge import ForgeRecord
from tests.history.conftest import Refused, Resolve
from tests.support.repos import RepoBuilder


def topic(project: RepoBuilder, name: str = "topic", *, commits: int = 1, path: str = "pkg/core.py") -> str:
    """A branch with some commits that each add a function; main goes on meanwhile. Gives its tip."""
    project.switch(name)
    text = project.git("show", f"main:{path}").decode()
    for number in range(commits):
        text += f"\n\ndef {name.replace('-', '_')}{number}():\n    return {number}\n"
        project.commit({path: text}, f"Add {name} {number}")
    tip = project.tip()
    project.switch("main")
    project.commit({"other.py": f"# {name}\n"}, f"Meanwhile, before {name}")
    return tip


def test_a_merge_commit_is_found_by_its_name_and_proved_by_its_second_parent(
    project: RepoBuilder, resolve: Resolve
) -> None:
    tip = topic(project, commits=2)
    project.pull_request(7, tip)
    before = project.tip()
    merge = project.merge("topic", message="Merge pull request #7 from ada/topic\n\nAdd a thing")
    change = resolve(pull_request=7)
    assert (change.commit, change.parent, change.kind, change.proof) == (merge, before, "merge", "secondParent")
    assert change.commits[-1] == merge
    assert len(change.commits) == 3
    assert change.commits[0] == project.tip("topic^")


def test_a_squash_is_found_by_its_name_and_proved_by_its_patch_id(project: RepoBuilder, resolve: Resolve) -> None:
    project.pull_request(8, topic(project, commits=2))
    squash = project.squash("topic", "#3 Add a thing (#8)")
    change = resolve(pull_request=8)
    assert (change.commit, change.kind, change.proof, change.commits) == (squash, "squash", "patchId", (squash,))


def test_a_squash_edited_at_merge_is_still_taken_when_it_alone_names_the_request(
    project: RepoBuilder, resolve: Resolve
) -> None:
    project.pull_request(8, topic(project))
    edited = project.commit({"pkg/core.py": "def f(x):\n    return 2 * x\n"}, "Add a thing, differently (#8)")
    assert (resolve(pull_request=8).commit, resolve(pull_request=8).proof) == (edited, "named")


def test_a_merge_request_of_gitlab_is_found(project: RepoBuilder, resolve: Resolve) -> None:
    project.merge_request(31, topic(project))
    merge = project.merge(
        "topic", message="Merge branch 'topic' into 'main'\n\nAdd a thing\n\nSee merge request grp/proj!31"
    )
    assert (resolve(pull_request=31).commit, resolve(pull_request=31).proof) == (merge, "secondParent")


def test_without_the_forges_references_the_name_alone_counts(project: RepoBuilder, resolve: Resolve) -> None:
    topic(project)
    squash = project.squash("topic", "Add a thing (#8)")
    assert (resolve(pull_request=8).commit, resolve(pull_request=8).proof) == (squash, "named")


def test_of_two_commits_that_name_a_request_the_proved_one_is_meant(project: RepoBuilder, resolve: Resolve) -> None:
    project.pull_request(8, topic(project))
    squash = project.squash("topic", "Add a thing (#8)")
    project.commit({"other.py": "# more\n"}, "Follow up (#8)")
    assert resolve(pull_request=8).commit == squash


def test_two_commits_that_fit_alike_are_refused_and_named(project: RepoBuilder, refused: Refused) -> None:
    one = project.commit({"pkg/core.py": "a = 1\n"}, "First half (#8)")
    two = project.commit({"pkg/core.py": "a = 2\n"}, "Second half (#8)")
    refusal = refused(pull_request=8)
    assert refusal.reason is Reason.AMBIGUOUS_EVIDENCE
    assert one[:12] in refusal.message
    assert two[:12] in refusal.message


def test_the_first_parent_line_comes_before_the_rest_of_the_ancestry(project: RepoBuilder, resolve: Resolve) -> None:
    project.switch("stable")
    project.commit({"pkg/core.py": "a = 1\n"}, "Backported (#8)")
    project.switch("main")
    original = project.commit({"pkg/text.py": "a = 1\n"}, "Original (#8)")
    project.merge("stable", message="Merge branch 'stable'")
    assert resolve(pull_request=8).commit == original


def test_a_rebased_request_is_the_run_of_its_commits(project: RepoBuilder, resolve: Resolve) -> None:
    project.pull_request(9, topic(project, commits=3))
    before = project.tip()
    made = project.rebase("topic", "main")
    project.switch("main", made[-1])
    project.commit({"other.py": "# later\n"}, "Later")
    change = resolve(pull_request=9)
    assert (change.parent, change.commit, change.kind, change.proof) == (before, made[-1], "range", "patchId")
    assert change.commits == tuple(made)
    assert change.title == "Add topic 0"


def test_a_rebased_request_whose_last_commit_names_it_is_taken_whole(project: RepoBuilder, resolve: Resolve) -> None:
    tip = topic(project, commits=2)
    project.pull_request(9, tip)
    first = project.pick(f"{tip}^")
    last = project.pick(tip, "Add topic 1 (#9)")
    assert resolve(pull_request=9).commits == (first, last)


def test_a_request_picked_apart_is_refused(project: RepoBuilder, refused: Refused) -> None:
    tip = topic(project, commits=2)
    project.pull_request(9, tip)
    project.pick(f"{tip}^")
    project.commit({"other.py": "# between\n"}, "Between")
    project.pick(tip)
    assert refused(pull_request=9).reason is Reason.AMBIGUOUS_EVIDENCE


def test_a_squash_without_any_number_is_found_by_its_content(project: RepoBuilder, resolve: Resolve) -> None:
    project.pull_request(9, topic(project, commits=2))
    squash = project.squash("topic", "Land the topic")
    assert (resolve(pull_request=9).commit, resolve(pull_request=9).proof) == (squash, "patchId")


def test_a_merge_that_names_nothing_is_found_by_the_requests_tip(project: RepoBuilder, resolve: Resolve) -> None:
    project.pull_request(9, topic(project))
    merge = project.merge("topic", message="Merge branch 'topic'")
    assert (resolve(pull_request=9).commit, resolve(pull_request=9).proof) == (merge, "secondParent")


def test_a_fast_forwarded_request_of_one_commit_is_itself(project: RepoBuilder, resolve: Resolve) -> None:
    project.commit({"pkg/core.py": "a = 1\n"}, "Landed before (#1)")
    own = project.commit({"pkg/core.py": "a = 2\n"}, "No number here")
    project.pull_request(9, own)
    project.commit({"pkg/core.py": "a = 3\n"}, "Later")
    change = resolve(pull_request=9)
    assert (change.commit, change.kind, change.commits) == (own, "pullRequestHead", (own,))


def test_a_fast_forwarded_request_of_unknown_length_is_refused_unless_the_forge_knows(
    project: RepoBuilder, resolve: Resolve, refused: Refused
) -> None:
    start = project.commit({"pkg/core.py": "a = 1\n"}, "One")
    project.commit({"pkg/core.py": "a = 2\n"}, "Two")
    tip = project.commit({"pkg/core.py": "a = 3\n"}, "Three")
    project.pull_request(9, tip)
    assert refused(pull_request=9).reason is Reason.AMBIGUOUS_EVIDENCE
    change = resolve(pull_request=9, record=ForgeRecord(number=9, title="t", start=start))
    assert (change.parent, change.commit) == (start, tip)


def test_the_forges_record_says_where_a_request_landed(project: RepoBuilder, resolve: Resolve) -> None:
    project.commit({"pkg/core.py": "a = 1\n"}, "First (#8)")
    landed = project.commit({"pkg/core.py": "a = 2\n"}, "Second (#8)")
    change = resolve(pull_request=8, record=ForgeRecord(number=8, title="t", landed=("0" * 40, landed)))
    assert (change.commit, change.proof) == (landed, "forge")


def test_a_request_nobody_knows_is_not_found(refused: Refused) -> None:
    refusal = refused(pull_request=404)
    assert refusal.reason is Reason.CHANGE_NOT_FOUND
    assert "#404" in refusal.message


def test_a_request_that_was_never_merged_is_not_in_the_ancestry(project: RepoBuilder, refused: Refused) -> None:
    project.pull_request(9, topic(project))
    assert refused(pull_request=9).reason is Reason.CHANGE_NOT_IN_ANCESTRY


def test_a_request_that_merges_a_branch_of_requests_is_refused(project: RepoBuilder, refused: Refused) -> None:
    project.switch("stable")
    for number in (11, 12):
        name = f"topic-{number}"
        project.switch(name, project.tip("stable"))
        project.commit({f"pkg/n{number}.py": "a = 1\n"}, name)
        project.pull_request(number)
        project.switch("stable")
        project.merge(name, message=f"Merge pull request #{number} from ada/{name}")
    project.pull_request(20)
    project.switch("main")
    project.commit({"other.py": "#\n"}, "Meanwhile")
    project.merge("stable", message="Merge pull request #20 from proj/stable")
    refusal = refused(pull_request=20)
    assert refusal.reason is Reason.BRANCH_MERGE
    assert "#11" in refusal.message
    assert "#12" in refusal.message


def test_merges_of_a_fork_with_numbers_of_its_own_do_not_make_a_bundle(project: RepoBuilder, resolve: Resolve) -> None:
    project.pull_request(1, topic(project, "unrelated"))
    project.pull_request(2, topic(project, "another", path="pkg/text.py"))
    project.switch("topic", project.tip("main"))
    for number in (1, 2):
        project.switch(f"in-fork-{number}", project.tip("topic"))
        project.commit({f"pkg/n{number}.py": "a = 1\n"}, "x")
        project.switch("topic")
        project.merge(f"in-fork-{number}", message=f"Merge pull request #{number} from eve/in-fork")
    project.pull_request(30)
    project.switch("main")
    project.commit({"other.py": "#\n"}, "Meanwhile")
    merge = project.merge("topic", message="Merge pull request #30 from eve/topic")
    assert resolve(pull_request=30).commit == merge
