"""The version a revision has by its tags, as setuptools-scm would say it."""

from __future__ import annotations

from pathlib import Path

import pytest

from change2task.base.scm_version import Described, nearest, pretending, version_of
from change2task.vcs.repository import Repository
from tests.support.repos import RepoBuilder


@pytest.mark.parametrize(
    ("described", "version"),
    [
        (Described("v1.2.3", 0), "1.2.3"),
        (Described("1.2", 4), "1.3.dev4"),
        (Described("release-2.0", 1), "2.1.dev1"),
        (Described("v3.0.0rc1", 2), "3.0.0rc2.dev2"),
        (Described("pkg-v0.9.1", 7), "0.9.2.dev7"),
        (Described("20.1", 0), "20.1"),
        (None, "0.1.dev0"),
    ],
)
def test_a_tag_or_the_next_development_version_past_it(described: Described | None, version: str) -> None:
    assert version_of(described) == version


def test_the_nearest_tag_that_holds_a_version_is_found_with_its_distance(tmp_path: Path) -> None:
    repo = RepoBuilder(tmp_path / "r")
    repo.commit({"a": "1"})
    repo.tag("v1.0", annotated=True)
    repo.tag("v1.0rc1")
    repo.commit({"a": "2"})
    repo.tag("before-the-rewrite")
    last = repo.commit({"a": "3"})
    with Repository.open(repo.path) as repository:
        assert nearest(repository, last) == Described("v1.0", 2)


def test_a_tag_on_another_line_does_not_count(tmp_path: Path) -> None:
    repo = RepoBuilder(tmp_path / "r")
    first = repo.commit({"a": "1"})
    repo.switch("side")
    repo.commit({"a": "2"})
    repo.tag("v9")
    with Repository.open(repo.path) as repository:
        assert nearest(repository, first) is None


def test_a_named_project_gets_a_variable_no_other_package_heeds() -> None:
    assert pretending(("setuptools-scm",), "My_Project.x", "1") == {
        "SETUPTOOLS_SCM_PRETEND_VERSION_FOR_MY_PROJECT_X": "1"
    }
