"""What GitHub and GitLab answer becomes the export that a run reads."""

from __future__ import annotations

from typing import Any

from change2task.history.forge import records_of
from change2task.history.forges import github, gitlab
from change2task.history.mining.issues import intent_of, issues_of, repeated_numbers
from tests.history.forges.conftest import Answer, Connect, Server


def pull(number: int, *, merged: bool = True, **more: Any) -> dict[str, Any]:
    return {
        "number": number,
        "title": f"Request {number}",
        "body": None,
        "labels": [{"name": "bug"}],
        "merged_at": "2024-01-01T00:00:00Z" if merged else None,
        "merge_commit_sha": f"{number:040x}",
        "head": {"sha": "f" * 40},
        **more,
    }


def test_merged_requests_that_are_wanted_are_taken_until_the_oldest(server: Server, connect: Connect) -> None:
    more = {"Link": f'<{server.url}/repos/a/b/pulls?page=2>; rel="next"'}
    server.says("/repos/a/b/pulls?page=2", Answer([pull(3), pull(2)], headers={"Link": '</never>; rel="next"'}))
    server.says("/repos/a/b/pulls", Answer([pull(9), pull(8, merged=False), pull(7)], headers=more))
    rows = github.requests(connect(), "a/b", {3, 7, 8})
    records = records_of(rows, "answer")
    assert sorted(records) == [3, 7]
    assert (records[7].labels, records[7].landed, records[7].head) == (("bug",), (f"{7:040x}",), "f" * 40)
    assert len(server.asked) == 2


def test_issues_that_a_request_closes_come_with_their_words(server: Server, connect: Connect) -> None:
    body = "Fixes #4, closes a/b#5, resolves other/project#6, see #7, fixes #8, fixes #10"
    server.says("/repos/a/b/issues/4", Answer({"title": "It crashes on empty input", "body": "Like so (#1)."}))
    server.says("/repos/a/b/issues/5", Answer({"title": "Another", "body": None}))
    server.says("/repos/a/b/issues/8", Answer({"title": "A request", "pull_request": {"url": "x"}}))
    row = github.with_issues(connect(), "a/b", {"number": 9, "title": "T", "body": body})
    assert issues_of([row]) == {9: (("It crashes on empty input", "Like so (#1)."), ("Another", ""))}


def test_a_request_of_gitlab_keeps_its_own_names(server: Server, connect: Connect) -> None:
    place = "/projects/grp%2Fsub%2Fproj/merge_requests"
    told = {"iid": 31, "title": "Add it", "description": "So.", "labels": ["feature"], "sha": "e" * 40}
    server.says(place, Answer([{**told, "merge_commit_sha": None, "squash_commit_sha": "d" * 40}]))
    server.says(f"{place}/31/closes_issues", Answer([{"iid": 4, "title": "We lack a thing here", "description": None}]))
    client = connect()
    (row,) = gitlab.requests(client, "grp/sub/proj", {31})
    row = gitlab.with_issues(client, "grp/sub/proj", row)
    (record,) = records_of([row], "answer").values()
    assert (record.number, record.body, record.landed, record.head) == (31, "So.", ("d" * 40,), "e" * 40)
    assert issues_of([row]) == {31: (("We lack a thing here", ""),)}


def test_nothing_wanted_is_nothing_asked(server: Server, connect: Connect) -> None:
    assert github.requests(connect(), "a/b", set()) == []
    assert gitlab.requests(connect(), "a/b", set()) == []
    assert server.asked == []


def test_an_issue_becomes_the_intent_without_numbers_and_without_the_answer() -> None:
    body = "It fails (#12).\n\n    return the_answer(to_everything)\n"
    intent = intent_of([("Crash on empty input (#4)", body)], ["    return the_answer(to_everything)"])
    assert intent is not None
    assert (intent.title, intent.body) == ("Crash on empty input", "It fails.")


def test_several_issues_or_one_that_says_nothing_are_no_intent() -> None:
    assert intent_of([], []) is None
    assert intent_of([("Crash on empty input", ""), ("Another crash on input", "")], []) is None
    assert intent_of([("bug", "It is broken")], []) is None


def test_numbers_that_stand_twice_are_told() -> None:
    assert repeated_numbers([{"number": 1}, {"iid": 2}, {"number": 1}, {"number": True}, "x", {}]) == (1,)
