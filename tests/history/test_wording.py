from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from change2task.history.subjects import named_request, reverted_requests
from change2task.history.wording import (
    BODY_LIMIT,
    TITLE_LIMIT,
    advisories_in,
    clean_body,
    clean_title,
    is_generic,
    is_thin,
    unwrapped,
)


@pytest.mark.parametrize(
    ("written", "cleaned"),
    [
        ("handle empty issue names (#656)", "handle empty issue names"),
        ("#432 Use `importlib.metadata.version` (#502)", "Use `importlib.metadata.version`"),
        ("[1518] Long standing thing (#1991)", "Long standing thing"),
        ("Finish it (#1572 followup) (#3405)", "Finish it"),
        ("Finish it :issue:`1572` :pr:`3405`", "Finish it"),
        ("Finish it (issue1572, by ada) and more (pr7 by bob)", "Finish it and more"),
        ("feat: add a flag (fixes #510) (#569)", "feat: add a flag"),
        ("Fix #6628 - errors are not deserializable", "errors are not deserializable"),
        ("🐛 FIX: numeric references (#272)", "FIX: numeric references"),
        (":bug: Fix the thing", "Fix the thing"),
        ("🐛 FIX: CVE-2023-26303 (#246)", "FIX"),
        ("Honor Discard() in Writer.ReadFrom (#1110)", "Honor Discard() in Writer.ReadFrom"),
        ("Add --keep option", "Add --keep option"),
        ("-- odd start", "odd start"),
        ("Revert to 0123456abc behaviour", "Revert to behaviour"),
        ("See https://github.com/a/b/security/advisories/GHSA-vrw8-fxc6-2r93", ""),
        ("Many   blanks\there", "Many blanks here"),
    ],
)
def test_titles_lose_what_names_the_change_and_keep_what_it_means(written: str, cleaned: str) -> None:
    assert clean_title(written) == cleaned


@pytest.mark.parametrize(
    ("subject", "body", "expected"),
    [
        ("Merge pull request #7 from ada/topic", "Add a thing\n\nBecause.", ("Add a thing", "Because.")),
        ("Merge branch 'x' into 'main'", "Title\n\nSee merge request g/p!3", ("Title", "See merge request g/p!3")),
        ("Merged PR 12: Title", "Body", ("Title", "Body")),
        ("Merge branch 'x'", "", ("", "")),
        ("Merge commit from fork", "# Impact\n\nLong", ("", "# Impact\n\nLong")),
        ("Merge commit from fork", "Changes for users:\n\n- one", ("", "Changes for users:\n\n- one")),
        ("Add a very long ti… (#12)", "…tle here\n\nBody", ("Add a very long title here", "Body")),
        (
            "Add a very lo… (#12)",
            "* Add a very long title\n\n* Lint",
            ("Add a very long title", "* Add a very long title\n\n* Lint"),
        ),
        ("Plain", "Body\r\nwith CRLF", ("Plain", "Body\nwith CRLF")),
    ],
)
def test_boilerplate_gives_way_to_the_authors_words(subject: str, body: str, expected: tuple[str, str]) -> None:
    assert unwrapped(subject, body) == expected


def test_bodies_lose_templates_trailers_links_and_ids() -> None:
    body = """<!-- Please fill in -->
## Description

`f` returned the wrong sign, see #12 and https://github.com/a/b/pull/34.

## Checklist

- [x] I have read the guide
- [ ] Tests

Fixes #12
Co-authored-by: Bob <bob@example.org>
Signed-off-by: Ada
(cherry picked from commit 0123456789abcdef0123456789abcdef01234567)
"""
    assert clean_body(body) == "## Description\n\n`f` returned the wrong sign."


@pytest.mark.parametrize(
    ("written", "cleaned"),
    [
        ("Paths are taken. {issue}`2869` {pr}`3781`", "Paths are taken."),
        ("Others stay. :issue:`769, 952, 1313`", "Others stay."),
        ("Calls are handled.\n:ghsa:`q2x7-8rv6-6q7h`", "Calls are handled."),
        ("Restored (a fault introduced in [#610](https://github.com/a/b/pull/610)).", "Restored (a fault)."),
        ("Hints stay (issue262, by ada).", "Hints stay."),
        ("---------\n\nFixes #3", ""),
        ("Hints stay.\n\n---------\n\nCo-authored-by: Bob <b@c.d>", "Hints stay."),
    ],
)
def test_bodies_lose_what_names_the_change(written: str, cleaned: str) -> None:
    assert clean_body(written) == cleaned


def test_bodies_keep_their_markdown() -> None:
    body = "Before:\n\n```python\nf(1)\n```\n\n- one\n- two\n\n**Note** [docs](https://example.org/a)"
    assert clean_body(body) == body


def test_the_list_of_squashed_commits_is_no_body() -> None:
    assert clean_body("* Fix it\n\n* Lint\n\n* Apply suggestions\n\nCo-authored-by: Bob <b@x.org>") == ""


@pytest.mark.parametrize(
    "title",
    ["", "Fix", "fix bug", "WIP", "update", "minor fixes", "feature/foo-bar", "Fix regression", "Release v1.2.0"],
)
def test_titles_without_a_subject_are_thin(title: str) -> None:
    assert is_thin(title)


@pytest.mark.parametrize(
    "title",
    [
        "Fix for GH-1234",
        "Fix a bug",
        "Bug fixes and improvements",
        "Fix failing tests",
        "Fix edge case",
        "Fix corner cases",
        "Fix the thing",
        "Squashed commit",
        "Second attempt",
        "Version bump and fixes",
        "Fix ticket 4312",
        "Implement feature request #77",
        "Merge branch 'dev'",
        "Small refactor and fixes",
        "Apply suggestions from code review",
        "Get tests passing again",
        "News fragment",
        "Add a changelog entry",
        "Update docs",
    ],
)
def test_common_words_together_are_no_subject(title: str) -> None:
    assert is_generic(clean_title(title))


@pytest.mark.parametrize(
    "title",
    [
        "Parse news entries",
        "Fix unicode newlines",
        "Many Option",
        "add `app.redirect` method",
        "Fix `get` of an error",
        "Fix empty cases",
    ],
)
def test_titles_with_a_subject_are_not_thin(title: str) -> None:
    assert not is_thin(title)


def test_advisory_ids_are_found_in_any_spelling() -> None:
    assert advisories_in("cve-2024-22195, GHSA-H5C8-rqwp-cp95 and CVE-2024-49768/9") == (
        "CVE-2024-22195",
        "GHSA-h5c8-rqwp-cp95",
        "CVE-2024-49768",
        "CVE-2024-49769",
    )


@pytest.mark.parametrize(
    ("written", "found"),
    [
        ("passing a stored reference. :ghsa:`q2x7-8rv6-6q7h`", ("GHSA-q2x7-8rv6-6q7h",)),
        (":cve:`2024-22195` and {ghsa}`GHSA-h5c8-rqwp-cp95`", ("CVE-2024-22195", "GHSA-h5c8-rqwp-cp95")),
        (":issue:`1792`, :pr:`2102`", ()),
    ],
)
def test_advisory_ids_are_found_in_roles_of_change_logs(written: str, found: tuple[str, ...]) -> None:
    assert advisories_in(written) == found


def test_a_body_of_a_megabyte_is_cut_at_a_line() -> None:
    cleaned = clean_body("a line of words\n" * 65_536)
    assert len(cleaned) <= BODY_LIMIT + 2
    assert cleaned.endswith("words\n…")


@pytest.mark.parametrize(
    "piece",
    ["[", "![", "http://", "a.", "\n", " ", "<!--", "<img ", "- [", "#", "Fixes ", "0a", "`", "* x\n", "Merge ", ":a"],
)
def test_hostile_repetition_costs_linear_time(piece: str) -> None:
    text = piece * (200_000 // len(piece))
    title, body = unwrapped(text, text)
    clean_title(title)
    clean_body(body)
    advisories_in(text)
    named_request(text, text)
    reverted_requests(text)


@given(st.text(max_size=400), st.text(max_size=400))
def test_any_text_is_cleaned_without_failing(title: str, body: str) -> None:
    found_title, found_body = unwrapped(title, body)
    assert len(clean_title(found_title)) <= TITLE_LIMIT
    assert "\r" not in clean_body(found_body)


@given(st.text(alphabet="ab (#1)\n*-[]x`…", max_size=300))
def test_cleaning_a_title_twice_changes_nothing_more(text: str) -> None:
    once = clean_title(text)
    assert clean_title(once) == clean_title(clean_title(once))


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        (
            "Added a setting, closing `issue 168`_.\n\n.. _issue 168: https://forge.example/x/y/issues/168\n",
            "Added a setting.",
        ),
        ("Now exits with 2, fixing ``issue 110``.", "Now exits with 2."),
        ("It stops, fixing #12 and #13, when asked.", "It stops, when asked."),
        (
            "See `the docs`_.\n\n.. _the docs: https://docs.example.org/x",
            "See `the docs`_.\n\n.. _the docs: https://docs.example.org/x",
        ),
        ("Now fixing files that are empty.", "Now fixing files that are empty."),
    ],
)
def test_links_by_name_to_a_forge_go_with_what_they_close_and_others_stay(said: str, kept: str) -> None:
    assert clean_body(said) == kept
