"""What of a base a task may change: sources, but no file that decides over the checks."""

from __future__ import annotations

from pathlib import Path

from change2task.api.modernbase import Scope
from change2task.vcs.repository import Repository
from tests.support.repos import RepoBuilder
from tests.support.runners import base_to_read


def test_each_file_has_its_part_and_documents_that_are_checks_belong_to_the_tests(tmp_path: Path) -> None:
    repo = RepoBuilder(tmp_path)
    commit = repo.commit(
        {
            "src/pkg/__init__.py": "",
            "src/pkg/secret.py": "",
            "tests/test_a.py": "",
            "docs/usage.rst": ">>> 1 + 1\n2\n",
            "docs/index.rst": "",
            "pyproject.toml": "",
            "uv.lock": "",
        }
    )
    with Repository.open(tmp_path) as repository:
        healthy = {"tests/test_a.py::test_x", "docs/usage.rst::usage.rst", "src/pkg/__init__.py::pkg"}
        scope = Scope(protected=("src/pkg/secret.py",))
        base = base_to_read(repository, commit, repo.tree(), frozenset(healthy), scope)
        surface = base.surface()
    assert surface.source == ("src/pkg/__init__.py",)
    assert surface.tests == ("docs/usage.rst", "tests/test_a.py")
    assert surface.protected == ("pyproject.toml", "src/pkg/secret.py", "uv.lock")
    assert surface.others == ("docs/index.rst",)


def test_files_in_which_the_runner_found_tests_are_tests_whatever_their_names_are(tmp_path: Path) -> None:
    repo = RepoBuilder(tmp_path)
    commit = repo.commit(
        {
            "pkg/__init__.py": "",
            "pkg/code.py": 'def f():\n    """>>> f()"""\n',
            "checks/check_code.py": "def test_code():\n    pass\n",
            "checks/helper.py": "def test_data():\n    return 1\n",
        }
    )
    with Repository.open(tmp_path) as repository:
        healthy = {"checks/check_code.py::test_code", "pkg/code.py::pkg.code.f"}
        base = base_to_read(repository, commit, repo.tree(), frozenset(healthy))
        surface, sources = base.surface(), base.sources()
    assert surface.tests == ("checks/check_code.py",)
    assert sources == {"pkg/__init__.py", "pkg/code.py", "checks/helper.py"}
