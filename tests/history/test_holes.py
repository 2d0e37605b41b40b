"""Where a reference is cut out of somebody's words, the words that only led to it go too, and no others."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from change2task.history.holes import MARK
from change2task.history.wording import clean_body, clean_title


@pytest.mark.parametrize(
    ("written", "cleaned"),
    [
        ("This reverts commit 1f2e3d4a5b6c7d8e9f.", ""),
        ("This reverts commit 1f2e3d4a5b, reversing\nchanges made to 2f2e3d4a5b.", ""),
        ("It broke, seen in #12 and #13. Then fixed.", "It broke. Then fixed."),
        ("See https://github.com/a/b/pull/3 for more. Good.", "Good."),
        ("As discussed in #4, spans are shown.", "Spans are shown."),
        ("Follow up to #55: do x", "Do x"),
        ("The bug (introduced in 1f2e3d4a5b) is old.", "The bug is old."),
        ("Both #1, #2 and #3 are affected.", ""),
        ("We use `foo` as in commit 1f2e3d4a5b6c to be sure", "We use `foo` to be sure"),
        ("- see #12\n- it works", "- it works"),
        ("- #12: keep this\n- other", "- Keep this\n- other"),
        (
            "In #123 we changed how spans\nare shown. This broke hours.",
            "We changed how spans\nare shown. This broke hours.",
        ),
        ("Depends on #12 and #13.", ""),
        (
            "#12 added spans but forgot hours, so long ones are wrong.",
            "[reference] added spans but forgot hours, so long ones are wrong.",
        ),
        ("```\nspan #12 x\n```", "```\nspan  x\n```"),
        ("## Spans after #12\n\nShort.\n\n## After #12\n\nLong.", "## Spans\n\nShort.\n\nLong."),
    ],
)
def test_bodies_have_no_holes(written: str, cleaned: str) -> None:
    assert clean_body(written) == cleaned


@pytest.mark.parametrize(
    ("written", "cleaned"),
    [
        ("Revert changes from #12", "Revert changes"),
        ("Fix x, see #12", "Fix x"),
        ("Fix regression of #12 and #13 in spans", "Fix regression in spans"),
        ("Fix CVE-2020-1234 in parser", "Fix in parser"),
    ],
)
def test_titles_have_no_holes(written: str, cleaned: str) -> None:
    assert clean_title(written) == cleaned


@given(st.lists(st.sampled_from(["#12", "word", "in", ",", ".", "\n", "- ", "(", ")", "`", "commit", "see", "and"])))
def test_no_mark_is_ever_left_and_words_without_references_stay_as_they_are(parts: list[str]) -> None:
    text = " ".join(parts)
    assert MARK not in clean_body(text) + clean_title(text)
    if "#12" not in parts:
        assert clean_body(text).split() == clean_body(clean_body(text)).split()
