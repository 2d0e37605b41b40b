from __future__ import annotations

from pathlib import Path

from change2task.history.profile import profile_of, symbols_of
from change2task.vcs.repository import Repository
from tests.support.repos import RepoBuilder

BEFORE = b"""import os


def f(x):
    return x


class A:
    def m(self):
        return 1

    def n(self):
        return 2
"""
AFTER = BEFORE.replace(b"return x", b"return -x").replace(b"return 2", b"return 3") + b"\n\ndef g():\n    return 0\n"


def change(tmp_path: Path, before: dict[str, bytes | None], after: dict[str, bytes | None]) -> bytes:
    project = RepoBuilder(tmp_path / "p")
    old = project.commit(before)
    new = project.commit(after)
    with Repository.open(project.path) as repo:
        return repo.diff(old, new)


def test_files_hunks_lines_and_symbols_of_both_sides_are_counted(tmp_path: Path) -> None:
    patch = change(tmp_path, {"a.py": BEFORE}, {"a.py": AFTER})
    profile = profile_of(patch, lambda _: BEFORE, lambda _: AFTER, targets=2, regressions=5)
    assert (profile.files, profile.hunks, profile.lines) == (1, 2, 8)
    assert symbols_of(patch, lambda _: BEFORE, lambda _: AFTER) == ("a.py::f", "a.py::A.n", "a.py::g")
    assert (profile.symbols, profile.target_checks, profile.regression_checks) == (3, 2, 5)


def test_a_binary_file_counts_as_a_file_alone(tmp_path: Path) -> None:
    patch = change(tmp_path, {"a.bin": b"\0one"}, {"a.bin": b"\0two"})
    profile = profile_of(patch, lambda _: b"", lambda _: b"", targets=0, regressions=0)
    assert (profile.files, profile.hunks, profile.lines, profile.symbols) == (1, 0, 0, 0)


def test_an_empty_patch_is_nothing() -> None:
    profile = profile_of(b"", lambda _: None, lambda _: None, targets=0, regressions=0)
    assert (profile.files, profile.hunks, profile.lines, profile.symbols) == (0, 0, 0, 0)


def test_a_created_file_has_symbols_on_its_new_side_only(tmp_path: Path) -> None:
    patch = change(tmp_path, {"b.py": b"x = 1\n"}, {"a.py": BEFORE})
    content = {b"a.py": BEFORE}
    assert symbols_of(patch, lambda _: None, content.get) == ("a.py::f", "a.py::A", "a.py::A.m", "a.py::A.n")


def test_the_profile_of_a_change_and_of_its_inverse_are_the_same(tmp_path: Path) -> None:
    project = RepoBuilder(tmp_path / "p")
    old, new = project.commit({"a.py": BEFORE}), project.commit({"a.py": AFTER})
    with Repository.open(project.path) as repo:
        there = profile_of(repo.diff(old, new), lambda _: BEFORE, lambda _: AFTER, 1, 1)
        back = profile_of(repo.diff(new, old), lambda _: AFTER, lambda _: BEFORE, 1, 1)
    assert there == back
