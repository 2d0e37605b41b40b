from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from change2task.history.globs import is_folder_glob, literal, matches


@pytest.mark.parametrize(
    ("path", "pattern"),
    [
        (b"src/a/b.py", "src/**"),
        (b"a.py", "**/*.py"),
        (b"a/b/c.py", "**/*.py"),
        (b".github/workflows/ci.yml", "**"),
        (b"a/c", "a/**/c"),
        (b"pyproject.toml", "/pyproject.toml"),
        (b"src/a.py", "./src/*.py"),
        (b"docs/a/b.md", "docs/"),
        (b"src/caf\xc3\xa9.py", "src/café.py"),
        (b"src/\xff.py", "src/*.py"),
    ],
)
def test_a_pattern_covers_the_whole_path(path: bytes, pattern: str) -> None:
    assert matches(path, (pattern,))


@pytest.mark.parametrize(
    ("path", "pattern"),
    [(b"a/b.py", "*.py"), (b"sub/pyproject.toml", "pyproject.toml"), (b"SRC/a.py", "src/**"), (b"srcs/a", "src/**")],
)
def test_a_star_stays_in_its_folder_and_case_counts(path: bytes, pattern: str) -> None:
    assert not matches(path, (pattern,))


def test_folder_globs_are_told_from_file_globs() -> None:
    assert [is_folder_glob(g) for g in ("src/**", "src/", "src/*", "src/*.py", "src/a.py")] == [
        True,
        True,
        True,
        False,
        False,
    ]


@given(st.binary(min_size=1, max_size=30).filter(lambda p: b"\0" not in p and p.strip(b"/.")))
def test_a_literal_pattern_covers_its_path(path: bytes) -> None:
    path = b"d/" + path.replace(b"/", b"-").replace(b"\\", b"-")
    assert matches(path, (literal(path),))


def test_a_literal_pattern_covers_nothing_else() -> None:
    assert not matches(b"src/ab.py", (literal(b"src/[ab].py"), literal(b"src/*.py")))
