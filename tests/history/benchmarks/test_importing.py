"""Rows become bases and candidates, and where a history is at hand each is found in it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from change2task.api.mining import IMPORTED_FROM
from change2task.api.taskcandidate import Change
from change2task.history.benchmarks.formats import Imported, imported
from change2task.history.benchmarks.locate import located, unlocated
from change2task.history.benchmarks.rows import Row, RowFault
from change2task.history.models import ChangeUnusable
from change2task.pipeline.importing import Rows, manifests
from change2task.vcs.repository import Repository
from tests.history.mining.conftest import fix, project
from tests.support.repos import RepoBuilder

__all__ = ["project"]


def made(rows: Iterable[dict[str, Any]], form: str = "jsonl", **more: Any) -> Rows:
    options: dict[str, Any] = {"urls": {}, "default": None, "healthy": {}, "locate": lambda _, row: unlocated(row)}
    read = (imported(Row(number, fields), form) for number, fields in enumerate(rows, 1))
    return manifests(read, form=form, **{**options, **more})


def test_a_repository_is_a_base_and_a_row_a_candidate() -> None:
    found = made([{"repo": "a/b", "pr": 1}, {"repo": "a/b", "pr": 2}, {"repo": "c/d", "commit": "e" * 40}])
    assert [(b.metadata.name, b.spec.repository.url, b.spec.revision.healthy) for b in found.bases] == [
        ("b", "https://github.com/a/b", "HEAD"),
        ("d", "https://github.com/c/d", "HEAD"),
    ]
    assert [c.metadata.name for c in found.candidates] == ["b-1", "b-2", f"d-{'e' * 12}"]
    assert found.candidates[0].metadata.labels == {IMPORTED_FROM: "jsonl"}
    assert found.faults == ()


def test_two_repositories_of_one_name_are_two_bases() -> None:
    found = made([{"repo": "a/b", "pr": 1}, {"repo": "c/b", "pr": 1}])
    assert [base.metadata.name for base in found.bases] == ["b", "c-b"]


def test_what_is_said_of_repositories_and_revisions_counts() -> None:
    rows = [{"repo": "a/b", "pr": 1}, {"pr": 2}]
    urls = {"a/b": "https://git.example.org/b"}
    found = made(rows, urls=urls, default="https://git.example.org/c", healthy={"a/b": "v1", "": "v2"})
    assert [(b.spec.repository.url, b.spec.revision.healthy) for b in found.bases] == [
        ("https://git.example.org/b", "v1"),
        ("https://git.example.org/c", "v2"),
    ]


def test_every_row_is_a_candidate_or_a_fault() -> None:
    rows = [
        {"repo": "a/b", "pr": 1},
        {"repo": "a/b", "pr": 1},
        {"pr": 3},
        {"repo": "a/b"},
        {"repo": "a/b", "base_commit": "f" * 40},
    ]
    found = made(rows)
    assert len(found.candidates) + len(found.faults) == found.rows == 5
    assert [str(fault) for fault in found.faults] == [
        "row 2: the same change as row 1 (b-1)",
        "row 3: repository: missing; --repository URL says whose such rows are",
        "row 4: commit: missing; a row says commit or pullRequest",
        "row 5: base_commit: the history tells which commit stands on it: give --mirror https://github.com/a/b=PATH",
    ]


def where(project: RepoBuilder, **fields: Any) -> Change:
    row = imported(Row(1, {"repo": "a/b", **fields}), "swe-bench")
    assert isinstance(row, Imported), row
    with Repository.open(project.path) as repository:
        return located(row, repository, project.tip("main"))


def test_a_request_that_is_in_the_history_is_meant(project: RepoBuilder) -> None:
    fix(project, "one", "Handle the one (#8)")
    assert where(project, instance_id="a__b-8") == Change(pull_request=8)


def test_without_it_the_commit_on_the_base_commit_is_meant(project: RepoBuilder) -> None:
    before = project.tip()
    oid = fix(project, "one")
    assert where(project, instance_id="a__b-8", base_commit=before) == Change(commit=oid)


def test_of_several_children_the_one_with_the_patchs_files_is_meant(project: RepoBuilder) -> None:
    before = project.tip()
    project.switch("side")
    project.commit({"other.py": "x = 1\n"}, "Other")
    project.switch("main")
    oid = fix(project, "one")
    project.merge("side", message="Merge branch 'side'")
    patch = "diff --git a/pkg/core.py b/pkg/core.py\n"
    assert where(project, base_commit=before, patch=patch) == Change(commit=oid)
    with pytest.raises(ChangeUnusable, match="2 commits stand on base_commit"):
        where(project, base_commit=before)


def test_a_child_of_other_files_is_not_believed(project: RepoBuilder) -> None:
    before = project.tip()
    fix(project, "one")
    with pytest.raises(ChangeUnusable, match="touches no file"):
        where(project, base_commit=before, patch="diff --git a/x.py b/x.py\n")


@pytest.mark.parametrize("before", ["0" * 40, "tip"])
def test_a_commit_that_is_not_there_or_has_no_child_is_told(project: RepoBuilder, before: str) -> None:
    with pytest.raises(ChangeUnusable, match="base_commit"):
        where(project, base_commit=project.tip() if before == "tip" else before)


def test_a_fault_of_the_file_is_kept_among_the_others() -> None:
    fault = RowFault(7, "", "broken")
    found = manifests([fault], form="jsonl", urls={}, default=None, healthy={}, locate=lambda _, row: unlocated(row))
    assert (found.faults, found.rows) == ((fault,), 1)
