"""Many commits with their changes and line counts, from one stream."""

from __future__ import annotations

from pathlib import Path

from change2task.vcs.repository import Repository
from change2task.vcs.walk import Walk
from tests.support.repos import Moved, RepoBuilder, Submodule


def test_every_commit_comes_with_what_it_did_and_how_much(tmp_path: Path) -> None:
    project = RepoBuilder(tmp_path / "project")
    lines = "".join(f"line {n}\n" for n in range(20))
    first = project.commit({"a.txt": lines, "odd\t\n:name": "x\n", "data": b"\0\1"})
    empty = project.commit({}, "Nothing")
    moved = project.commit({"b.txt": Moved("a.txt"), "sub": Submodule("1" * 40), "data": b"\0\2"})
    project.switch("side")
    inner = project.commit({"b.txt": lines + "more\n"})
    project.switch("main")
    merge = project.merge("side")
    with Repository.open(project.path) as repository:
        walked = list(repository.walk(Walk((project.tip("main"),))))
        found = {info.oid: changes for info, changes in repository.walk_counted(walked)}
    counts = {
        oid: [(c.change.path, c.change.status, c.lines.added, c.lines.removed) for c in changes or ()]
        for oid, changes in found.items()
    }
    assert list(found) == [info.oid for info in walked]
    assert counts[first] == [
        (b"a.txt", "added", 20, 0),
        (b"data", "added", None, None),
        (b"odd\t\n:name", "added", 1, 0),
    ]
    assert counts[empty] == []
    assert (b"b.txt", "renamed", 0, 0) in counts[moved]
    assert (b"sub", "added", 1, 0) in counts[moved]
    assert counts[inner] == counts[merge] == [(b"b.txt", "modified", 1, 0)]
