"""The notes on one release are found in a change log of any common markup."""

from __future__ import annotations

import pytest

from hack.demo.changelog import MAX_CHARACTERS, release_notes, section

MARKDOWN = """# Changelog

## [1.10.0] - 2024-03-01

### Fixed

- Fixed the comma.

## 1.1.0

- Older.
"""

UNDERLINED = """Changes
=======

Release 1.10.0 (Mar 1, 2024)
----------------------------

Bug Fixes

* Fixed the comma.

Release 1.1.0
-------------

* Older.
"""

PLAIN = """CHANGELOG

1.10.0
 - Fixed the comma, present since 1.1.0.
1.1.0
 - Older.
"""


@pytest.mark.parametrize(
    ("text", "body"),
    [
        (MARKDOWN, "### Fixed\n\n- Fixed the comma."),
        (UNDERLINED, "Bug Fixes\n\n* Fixed the comma."),
        (PLAIN, " - Fixed the comma, present since 1.1.0."),
    ],
    ids=["markdown", "underlined", "plain"],
)
def test_a_section_ends_where_the_next_release_begins(text: str, body: str) -> None:
    assert section(text, "1.10.0") == body


@pytest.mark.parametrize("text", [MARKDOWN, UNDERLINED, PLAIN], ids=["markdown", "underlined", "plain"])
def test_a_version_is_not_found_inside_another(text: str) -> None:
    assert section(text, "1.1") == ""
    assert section(text, "0.0") == ""
    assert section(text, "1.1.0").strip(" -*") == "Older."


def test_a_mention_in_the_text_is_no_heading() -> None:
    assert section("Intro: see 2.0 below\n\n## 2.0\n\nNew.\n", "2.0") == "New."


def test_windows_line_ends_and_undecodable_bytes_do_not_matter() -> None:
    assert release_notes({b"CHANGES.rst": b"2.0\r\n===\r\n\r\nCaf\xe9.\r\n"}, "2.0") == "Caf\ufffd."


@pytest.mark.parametrize("name", ["CHANGELOG.md", "CHANGES", "HISTORY.rst", "docs/changelog.rst", "NEWS.txt"])
def test_the_usual_names_are_known(name: str) -> None:
    assert release_notes({name.encode(): b"2.0\n---\n\nNew.\n", b"README.md": b"## 2.0\nnot this"}, "2.0") == "New."


def test_a_project_without_notes_has_none() -> None:
    assert release_notes({b"src/changes.py": b"## 2.0\nx"}, "2.0") == ""


def test_endless_notes_are_cut() -> None:
    assert len(section("## 2.0\n" + "word " * 10_000, "2.0")) == MAX_CHARACTERS
