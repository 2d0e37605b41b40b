from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from change2task.history.subjects import (
    is_long_lived,
    merged_branch,
    named_request,
    reverted_commits,
    reverted_requests,
    reverted_title,
)


@pytest.mark.parametrize(
    ("subject", "body", "number"),
    [
        ("Merge pull request #1613 from dairiki/bug.pickle", "Title", 1613),
        ("Handle empty names (#656)", "", 656),
        ("#432 Use importlib.metadata (#502)", "", 502),
        ("[1518] Long standing thing (#1991)", "", 1991),
        ("Finish the job (#1572 followup) (#3405)", "", 3405),
        ("bpo-1: Fix it (GH-1234) (GH-2345)", "", 2345),
        ("Merged in fix/x (pull request #12)", "", 12),
        ("Merge pull request #9 in PROJ/repo from x to master", "", 9),
        ("Merged PR 77: Title", "", 77),
        ("Pull request #5: Title", "", 5),
        ("Auto merge of #44 - ada:x, r=bob", "", 44),
        ("Merge branch 'x' into 'main'", "Title\n\nSee merge request grp/sub/proj!31", 31),
        ("✨ NEW: emoji first (#187)", "", 187),
        ('Revert "Add a thing (#12)" (#15)', "", 15),
        ("Fix regression introduced by #610", "", None),
        ("#1227: Leading issue only", "", None),
        ('Revert "Add a thing (#12)"', "", None),
        ("Closes nothing", "Closes #4", None),
        ("", "", None),
    ],
)
def test_the_request_named_last_is_taken(subject: str, body: str, number: int | None) -> None:
    assert named_request(subject, body) == number


@given(st.text(max_size=80), st.integers(1, 10**6))
def test_a_number_in_parentheses_at_the_end_wins_over_all_before_it(text: str, number: int) -> None:
    subject = f"x {text} (#{number})".replace('"', "").replace("\n", " ")
    assert named_request(subject) == number


@given(st.text(), st.text())
def test_any_message_is_read_without_failing(subject: str, body: str) -> None:
    named_request(subject, body)
    merged_branch(subject)
    reverted_title(subject)
    reverted_commits(body)
    reverted_requests(body)


def test_reverts_are_read_from_git_and_forges() -> None:
    assert reverted_commits("This reverts commit 0123456789abcdef.") == ("0123456789abcdef",)
    assert reverted_requests("Reverts psf/requests#12") == (12,)
    assert reverted_requests("This reverts merge request !7") == (7,)
    assert reverted_title('Revert "Add a thing (#12)" (#15)') == "Add a thing (#12)"
    assert reverted_title('Reapply "Add a thing"') is None


@pytest.mark.parametrize(
    "name", ["main", "stable", "8.1.x", "2.0-maintenance", "release/2.1", "v1.2", "origin/develop"]
)
def test_branches_that_collect_changes_are_known_by_name(name: str) -> None:
    assert is_long_lived(name)


@pytest.mark.parametrize("name", ["fix-1613", "bug.environment", "main-menu", "release-notes-typo-fix", "v2api"])
def test_topic_branches_are_not_long_lived(name: str) -> None:
    assert not is_long_lived(name)


def test_the_merged_branch_is_read_without_its_remote() -> None:
    assert merged_branch("Merge branch 'stable'") == "stable"
    assert merged_branch("Merge remote-tracking branch 'origin/8.1.x'") == "8.1.x"
    assert merged_branch("Merge pull request #1 from ada/topic") == "topic"
    assert merged_branch("Something else") is None
