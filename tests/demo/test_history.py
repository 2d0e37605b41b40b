"""Releases become a history that is the same on every machine and in which each can be undone on a later one."""

from __future__ import annotations

import subprocess
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from hack.demo.archive import EXECUTABLE, REGULAR, SYMLINK, File
from hack.demo.history import Release, build_history, version_moved

DAY = datetime(2024, 1, 1, tzinfo=UTC)


def release(version: str, day: int = 0, **contents: bytes) -> Release:
    files = {name.replace("__", "/").encode() + b".py": File(REGULAR, data) for name, data in contents.items()}
    return Release(version, DAY + timedelta(days=day), files)


def git(repository: Path, *arguments: str) -> str:
    done = subprocess.run(("git", "-C", str(repository), *arguments), capture_output=True, check=True)
    return done.stdout.decode()


TWO = (
    release("1.0", 0, mod=b"__version__ = '1.0'\nx = 1\n"),
    release("1.1", 9, mod=b"__version__ = '1.1'\nx = 2\n"),
)


def test_each_release_is_a_tagged_commit_with_the_archives_tree(tmp_path: Path) -> None:
    build_history(tmp_path / "p.git", TWO)

    assert git(tmp_path / "p.git", "tag", "--list").split() == ["1.0", "1.1"]
    assert git(tmp_path / "p.git", "show", "1.0:mod.py") == "__version__ = '1.0'\nx = 1\n"
    assert git(tmp_path / "p.git", "rev-parse", "main") == git(tmp_path / "p.git", "rev-parse", "1.1")
    assert git(tmp_path / "p.git", "fsck", "--strict") == ""


def test_the_version_number_moves_in_a_commit_of_its_own(tmp_path: Path) -> None:
    build_history(tmp_path / "p.git", TWO)

    assert git(tmp_path / "p.git", "log", "--format=%s").splitlines() == ["Release 1.1", "Version 1.1", "Release 1.0"]
    changed = [line for line in git(tmp_path / "p.git", "show", "--format=", "1.1").splitlines() if line[0] in "+-"]
    assert changed[2:] == ["-x = 1", "+x = 2"]


def test_only_lines_that_name_the_version_move() -> None:
    old = release("1.0", mod=b"version = (1, 0)\nVERSION = '1.0'\nratio = 1.0\n", gone=b"version = '1.0'\n")
    new = release("1.1", mod=b"version = (1, 1)\nVERSION = '1.1'\nratio = 1.1\nnew = 1\n")

    moved = version_moved(old, new)

    assert moved[b"mod.py"].data == b"version = (1, 1)\nVERSION = '1.1'\nratio = 1.0\n"
    assert moved[b"gone.py"] == old.files[b"gone.py"]


def test_a_release_that_names_its_version_nowhere_is_one_commit(tmp_path: Path) -> None:
    build_history(tmp_path / "p.git", (release("1.0", a=b"1\n"), release("1.1", a=b"2\n")))

    assert git(tmp_path / "p.git", "log", "--format=%s").splitlines() == ["Release 1.1", "Release 1.0"]


def test_ids_depend_on_nothing_but_the_releases(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build_history(tmp_path / "a.git", TWO)
    config = tmp_path / "gitconfig"
    config.write_text("[user]\n\tname = Somebody\n[core]\n\tautocrlf = true\n", encoding="utf-8")
    for name, value in {"GIT_CONFIG_GLOBAL": str(config), "GIT_AUTHOR_NAME": "Somebody", "TZ": "Asia/Tokyo"}.items():
        monkeypatch.setenv(name, value)
    abroad = tuple(Release(r.version, r.published.astimezone(timezone(timedelta(hours=9))), r.files) for r in TWO)
    build_history(tmp_path / "b.git", abroad)

    assert git(tmp_path / "a.git", "rev-parse", "main") == "7196dd82952ce701a0c603b8c2dd1229720d4ff2\n"
    assert git(tmp_path / "b.git", "rev-parse", "main") == git(tmp_path / "a.git", "rev-parse", "main")


def test_dates_are_those_of_publication_and_no_person_is_named(tmp_path: Path) -> None:
    build_history(tmp_path / "p.git", TWO)

    shown = git(tmp_path / "p.git", "log", "-1", "--format=%an|%ae|%aI|%cn|%ce|%cI").strip()
    assert shown == "|".join(["release", "noreply@example.invalid", "2024-01-10T00:00:00+00:00"] * 2)


def test_change_notes_become_the_commits_body(tmp_path: Path) -> None:
    notes = {b"CHANGES.md": File(REGULAR, b"# Changes\n\n## 2.0\n\n- Faster.\n")}
    build_history(tmp_path / "p.git", (Release("2.0", DAY, notes), release("3.0")))

    assert git(tmp_path / "p.git", "log", "-1", "--format=%B", "2.0").strip() == "Release 2.0\n\n- Faster."
    assert git(tmp_path / "p.git", "log", "-1", "--format=%B", "3.0").strip() == "Release 3.0"


def test_modes_links_and_awkward_names_survive(tmp_path: Path) -> None:
    files = {
        b'sp ace "quote" \\ \t\xff.py': File(REGULAR, b"\x00\r\n"),
        b"run": File(EXECUTABLE, b"#!/bin/sh\n"),
        b"link": File(SYMLINK, b"run"),
    }
    build_history(tmp_path / "p.git", (Release("1.0", DAY, files),))

    done = subprocess.run(
        ("git", "-C", str(tmp_path / "p.git"), "ls-tree", "-rz", "1.0"), capture_output=True, check=True
    )
    listed = {entry.split(b"\t", 1)[1]: entry.split(b" ", 1)[0] for entry in done.stdout.split(b"\0") if entry}
    assert listed == {b'sp ace "quote" \\ \t\xff.py': b"100644", b"run": b"100755", b"link": b"120000"}


def test_an_older_history_is_replaced_whole(tmp_path: Path) -> None:
    build_history(tmp_path / "p.git", TWO)
    build_history(tmp_path / "p.git", TWO[:1])

    assert git(tmp_path / "p.git", "tag", "--list").split() == ["1.0"]
    assert [path.name for path in tmp_path.iterdir()] == ["p.git"]
