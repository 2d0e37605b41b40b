"""Issues that a change closes are read of its messages and of its news fragments' names."""

from __future__ import annotations

import pytest

from change2task.history.closing import closed_issues


@pytest.mark.parametrize(
    ("message", "issues"),
    [
        ("Spans show hours\n\nFixes #590.", (590,)),
        ("Spans show hours (closes #590, #591 and #592)", (590, 591, 592)),
        ("resolved: GH-590\n\nFix issue #7", (590, 7)),
        ("Fixes https://github.com/a/b/issues/590", (590,)),
        ("See #590, refs #591; fixes other/project#592", ()),
        ("Fix 590 spans, prefixes #591", ()),
        (" ".join(f"fixes #{number}" for number in range(1, 99)), tuple(range(1, 21))),
    ],
)
def test_what_a_message_closes(message: str, issues: tuple[int, ...]) -> None:
    assert closed_issues([message]) == issues


def test_fragments_are_called_after_their_issue() -> None:
    assert closed_issues(["Fixes #590"], ["590.feature.rst", "591.misc", "+orphan.misc", "20250101_ada.md"]) == (
        590,
        591,
    )
