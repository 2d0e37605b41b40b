from __future__ import annotations

import pytest

from change2task.api.taskcandidate import Intent
from change2task.history.forge import ForgeRecord
from change2task.history.statement import Visible, build_statement, place_alone

SEEN = Visible(symbols=("Parser.read",), files=("pkg/parser.py",))


def test_the_users_intent_is_taken_as_it_is() -> None:
    statement = build_statement([("Fix (#1)", "")], intent=Intent(title="Do it (#1)", body="So."), visible=SEEN)
    assert (statement.title, statement.body, statement.provenance) == ("Do it (#1)", "So.", "intent")


def test_the_forges_words_come_before_the_commits() -> None:
    record = ForgeRecord(number=1, title="Handle empty names", body="They crash.")
    statement = build_statement([("wip", "")], record=record)
    assert (statement.title, statement.body, statement.provenance) == ("Handle empty names", "They crash.", "title")


def test_a_thin_merge_gives_way_to_the_commits_it_brings() -> None:
    statement = build_statement([("Merge branch 'topic'", ""), ("Handle empty names", "They crash.")])
    assert (statement.title, statement.provenance) == ("Handle empty names", "title")


@pytest.mark.parametrize(
    "beside",
    [
        "Test the mark of shortened text",
        "docs: add changelog entry for BOM fix",
        "Add tests for empty names",
        "Add a news fragment",
    ],
)
def test_of_a_series_commits_that_only_wrote_tests_or_documents_ask_for_nothing(beside: str) -> None:
    messages = [
        ("Let shortened text bear a mark", "Of any length."),
        (beside, ""),
        ("Refuse marks longer than the text", ""),
    ]
    body = build_statement(messages, series=True).body
    assert "- Refuse marks longer than the text" in body
    assert not any(line.endswith(beside) for line in body.splitlines())


@pytest.mark.parametrize(
    "asked", ["Test client follows redirects", "News pages are sorted", "Document titles are escaped"]
)
def test_of_a_series_commits_that_speak_of_such_things_are_asked_for(asked: str) -> None:
    body = build_statement([("Let shortened text bear a mark", "Of any length."), (asked, "")], series=True).body
    assert f"- {asked}" in body


def test_a_title_too_short_to_work_from_is_grounded_in_what_it_touches() -> None:
    statement = build_statement([("Pickleability", "")], visible=SEEN)
    assert statement.provenance == "template"
    assert statement.title == "Pickleability in `Parser.read`"
    assert "`pkg/parser.py`" in statement.body


def test_without_words_a_summary_names_only_what_is_visible() -> None:
    statement = build_statement([("Merge commit from fork", ""), ("fix", "")], visible=SEEN)
    assert statement.provenance == "summary"
    assert statement.title == "Correct the behaviour of `Parser.read`"
    assert statement.body == "The behaviour to be established lies in `Parser.read` in `pkg/parser.py`."


def test_a_summary_keeps_what_was_written_below_an_empty_title() -> None:
    statement = build_statement([("Merge commit from fork", "## Impact\n\nFiles are followed.")], visible=SEEN)
    assert statement.provenance == "summary"
    assert statement.body.startswith("## Impact\n\nFiles are followed.")


def test_where_messages_say_nothing_the_changes_own_news_do() -> None:
    statement = build_statement([("Apply fix", "")], visible=SEEN, news=["Empty names are handled."])
    assert statement.provenance == "summary"
    assert statement.body.startswith("Empty names are handled.")
    assert statement != place_alone(SEEN)


def test_a_title_without_a_body_is_explained_by_the_changes_own_news() -> None:
    news = ["Version 3.1 (unreleased)", "Empty names are handled (#12)."]
    alone = build_statement([("Handle empty names", "")], visible=SEEN, news=news)
    assert (alone.title, alone.provenance) == ("Handle empty names", "title")
    assert alone.body == "Empty names are handled."
    assert build_statement([("Handle empty names", "They crash.")], visible=SEEN, news=news).body == "They crash."


@pytest.mark.parametrize("title", ["Apply fix", "address review comments", "Implement feature", "Release 1.2.3", "wip"])
def test_a_title_of_common_words_alone_says_nothing(title: str) -> None:
    assert build_statement([(title, "")], visible=SEEN) == place_alone(SEEN)


def test_words_of_anybody_are_something_said() -> None:
    for messages in ([("Handle empty names", "")], [("Pickleability", "")], [("fix", "Names may be empty.")]):
        assert build_statement(messages, visible=SEEN) != place_alone(SEEN)


def test_a_change_without_words_and_places_still_has_a_statement() -> None:
    assert build_statement([("", "")]).title


def test_lines_of_the_diff_never_reach_the_statement() -> None:
    body = "The fix:\n\n```\n    return value.strip().lower()\n```\n\nand nothing else"
    statement = build_statement([("Normalise names", body)], added_lines=["    return value.strip().lower()\n"])
    assert "strip" not in statement.body
    assert "and nothing else" in statement.body


def test_an_empty_message_and_odd_bytes_are_no_failure() -> None:
    assert build_statement([("\ufffd\x00\x07 (#2)", "\r\n\r\n")]).provenance == "summary"
