"""Globs of an answer's places: short, and true of every file."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from change2task.families.places import covering, source_globs
from change2task.families.places import test_globs as globs_of
from change2task.history.globs import matches
from change2task.patch.paths import quote, unquote

NAMES = st.sampled_from(["a", "b", "tests", "x*y", "[z]", "ä b", '"q"'])
PATHS = st.tuples(st.lists(NAMES, max_size=3), st.sampled_from(["x.f", "x_test.go", "test_x.py"])).map(
    lambda parts: quote("/".join([*parts[0], parts[1]]).encode())
)


def test_whole_folders_are_taken_where_they_hold_nothing_else() -> None:
    files = ("tests/a.py", "tests/data/b.json", "src/pkg/test_c.py", "setup.cfg")
    assert covering(files, ("src/pkg/c.py", "README")) == ("setup.cfg", "**/test_*.py", "tests/**")
    assert covering(("a/b", "c"), ()) == ("**",)
    assert covering((), ("a",)) == ()


def test_names_of_test_files_are_taken_where_no_other_file_has_one() -> None:
    files = ("a/x_test.go", "b/y_test.go", "c/test_z.py")
    assert covering(files, ("a/x.go", "b/y.go", "c/test_data.py")) == ("**/*_test.go", "c/test_z.py")


@settings(deadline=None)
@given(st.sets(PATHS, max_size=12), st.sets(PATHS, max_size=12))
def test_every_path_is_covered_and_no_other(paths: set[str], others: set[str]) -> None:
    others = others - paths
    globs = covering(paths, others)
    assert all(matches(unquote(path), globs) for path in paths)
    assert not any(matches(unquote(path), globs) for path in others)


def test_sources_are_where_the_project_keeps_them() -> None:
    assert source_globs(("src/pkg/a.py", "src/pkg/b.py", "setup_tools/x.sh", "main.go", "Makefile")) == (
        "Makefile",
        "*.go",
        "setup_tools/**",
        "src/**",
    )
    assert source_globs(()) == ("**",)


def test_tests_are_where_the_project_keeps_them() -> None:
    assert globs_of(("src/pkg/test/test_a.py", "src/pkg/test/data/x.txt", "lib/a.test.js")) == (
        "src/pkg/test/**",
        "**/*.test.*",
    )
    assert globs_of(()) == ("tests/**",)


@pytest.mark.parametrize("path", ["x*y/a.py", "[z]/a.py"])
def test_names_that_look_like_patterns_are_names(path: str) -> None:
    [glob] = source_globs((path,))
    assert matches(path.encode(), [glob])
    assert not matches(b"xay/a.py", [glob])
