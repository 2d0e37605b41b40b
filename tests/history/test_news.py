from __future__ import annotations

from change2task.history.news import read_news


def test_a_fragments_name_says_its_kind() -> None:
    news = read_news([(b"src/newsfragments/603.bugfix.rst", b"Fixed the thing.\n", (1,))])
    assert (news.kinds, news.lines) == (("bugfix",), ("Fixed the thing.",))


def test_an_entry_is_of_the_section_it_stands_in() -> None:
    log = b"# Changes\n\n## 2.0\n\n### Added\n\n- old\n\n### Fixed\n\n- Names may be empty.\n\n## 1.0\n"
    assert read_news([(b"CHANGELOG.md", log, (11,))]).kinds == ("bugfix",)


def test_sections_of_restructured_text_are_read_too() -> None:
    log = b"1.0\n---\n\nFeatures:\n\n* *Backwards-compatible*: Add a thing.\n\nBug fixes:\n\n* No\n"
    assert read_news([(b"CHANGELOG.rst", log, (6,))]).kinds == ("feature",)


def test_an_entry_below_a_version_alone_has_no_kind() -> None:
    assert read_news([(b"CHANGES.rst", b"Version 3.1\n-----------\n\n-   Fix a thing\n", (4,))]).kinds == ()


def test_long_and_many_lines_are_bounded_and_odd_bytes_read() -> None:
    news = read_news([(b"CHANGES", b"\xff" + b"word " * 400 + b"\n" + b"line\n" * 50, tuple(range(1, 52)))])
    assert len(news.lines) == 8
    assert len(news.lines[0]) == 300
