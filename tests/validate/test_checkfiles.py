"""Which files hold checks: those in which a check stands as code, whatever they are called."""

from __future__ import annotations

from pathlib import Path

import pytest

from change2task.checks.naming import naming
from change2task.validate.checkfiles import CheckFiles
from change2task.vcs.repository import Repository
from tests.support.repos import Content, RepoBuilder, Symlink

PYTHON = """class Whole:
    def test_it(self):
        pass


class TestPart(Whole):
    pass


def test_one():
    pass


def helper():
    \"\"\"
    >>> helper()
    \"\"\"
"""


def holds(folder: Path, path: str, content: Content, check: str, check_format: str = "pytest") -> bool:
    repo = RepoBuilder(folder)
    repo.commit({path: content})
    with Repository.open(folder) as repository:
        return path.encode() in CheckFiles(repository, repo.tree(), [check], naming(check_format))


@pytest.mark.parametrize(
    ("check", "held"),
    [
        ("app/check.py::test_one", True),
        ("app/check.py::test_one[1-a]", True),
        ("app/check.py::Whole::test_it", True),
        ("app/check.py::TestPart::test_it", True),
        ("app/check.py::test_another", False),
        ("app/check.py::app.check.helper", False),
        ("app/check.py::check.Whole", False),
        ("app/other.py::test_one", False),
        ("app::test_one", False),
        ("test_one", False),
    ],
)
def test_a_check_stands_in_its_file_by_its_function_or_its_class(tmp_path: Path, check: str, held: bool):
    assert holds(tmp_path, "app/check.py", PYTHON, check) is held


@pytest.mark.parametrize(
    ("path", "content", "check", "check_format"),
    [
        ("pkg/a_test.go", "package pkg\n\nfunc TestSum(t *testing.T) {}\n", "pkg::TestSum/one", "go"),
        ("app/ü.py", PYTHON, "app/ü.py::test_one", "pytest"),
    ],
)
def test_other_languages_and_names_are_read_too(tmp_path: Path, path: str, content: str, check: str, check_format: str):
    assert holds(tmp_path, path, content, check, check_format)


def test_links_and_documents_hold_none(tmp_path: Path):
    assert not holds(tmp_path / "link", "check.py", Symlink(b"other.py"), "check.py::test_one")
    assert not holds(tmp_path / "text", "usage.rst", "def test_one(): pass\n", "usage.rst::test_one")


def test_folders_know_whether_they_hold_any(tmp_path: Path):
    repo = RepoBuilder(tmp_path)
    repo.commit({"checks/deep/check.py": PYTHON, "app/check.py": PYTHON})
    with Repository.open(tmp_path) as repository:
        files = CheckFiles(
            repository,
            repo.tree(),
            ["checks/deep/check.py::test_one", "app/check.py::app.check.helper"],
            naming("pytest"),
        )
        assert [files.below(f) for f in (b"", b"checks", b"checks/deep", b"app", b"check")] == [1, 1, 1, 0, 0]
