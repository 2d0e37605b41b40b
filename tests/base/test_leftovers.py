"""What setup left beside the tracked files is kept; what shares disk is counted once."""

from __future__ import annotations

import os
from pathlib import Path

from change2task.base.disk import share, taken
from change2task.base.leftovers import drop_bytecode, keep, open_up


def write(root: Path, **files: str) -> None:
    for name, text in files.items():
        path = root / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def test_tracked_files_stay_behind_whether_changed_or_not(tmp_path: Path) -> None:
    write(tmp_path / "work", a="tracked", lock="changed by setup", new="made", deep__er="made")
    kept = keep(tmp_path / "work", {b"a", b"lock"}, tmp_path / "kept")
    assert kept == ("deep/er", "new")
    assert (tmp_path / "kept/deep/er").read_text() == "made"
    assert not (tmp_path / "kept/lock").exists()


def test_bytecode_repositories_and_pipes_are_dropped_links_kept_as_links(tmp_path: Path) -> None:
    work = tmp_path / "work"
    write(work, x="1")
    (work / "p/__pycache__").mkdir(parents=True)
    (work / "p/__pycache__/m.cpython-311.pyc").write_text("x")
    (work / "q.pyc").write_text("x")
    (work / ".git").mkdir()
    (work / ".git/HEAD").write_text("x")
    os.mkfifo(work / "pipe")
    (work / "link").symlink_to("/etc")
    (work / "modules").symlink_to("p")
    assert keep(work, set(), tmp_path / "kept") == ("link", "modules", "x")
    assert (tmp_path / "kept/link").is_symlink()


def test_odd_names_are_quoted_as_git_quotes_them(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    (work / "a\nb").write_text("")
    (work / os.fsdecode(b"\xff")).write_text("")
    assert keep(work, set(), tmp_path / "kept") == ('"\\377"', '"a\\nb"')


def test_files_without_rights_are_opened_up(tmp_path: Path) -> None:
    write(tmp_path, d__f="x")
    (tmp_path / "d/f").chmod(0)
    (tmp_path / "d").chmod(0)
    open_up(tmp_path)
    assert (tmp_path / "d/f").read_text() == "x"


def test_bytecode_folders_are_removed_everywhere(tmp_path: Path) -> None:
    (tmp_path / "lib/a/__pycache__").mkdir(parents=True)
    (tmp_path / "lib/a/__pycache__/x.pyc").write_text("x")
    drop_bytecode(tmp_path)
    assert list((tmp_path / "lib/a").iterdir()) == []


def test_equal_files_of_two_environments_take_the_disk_once(tmp_path: Path) -> None:
    for name in ("one", "two"):
        write(tmp_path / name, big="x" * 100_000, small="y", own=name * 50_000)
    alone = taken(tmp_path / "one")
    for name in ("one", "two"):
        share(tmp_path / name, tmp_path / "pool")
    assert taken(tmp_path / "one", tmp_path / "two") < 2 * alone - 90_000
    assert (tmp_path / "two/big").read_text() == "x" * 100_000
    assert (tmp_path / "two/own").read_text() == "two" * 50_000


def test_what_folders_take_follows_from_sizes_however_files_were_laid_out(tmp_path: Path) -> None:
    write(tmp_path, one__f="x" * 50_000, one__g="y")
    (tmp_path / "two").mkdir()
    for name, size in (("f", 50_000), ("g", 1)):
        with (tmp_path / "two" / name).open("wb") as file:
            file.truncate(size)
    assert taken(tmp_path / "one") == taken(tmp_path / "two") == 4096 + 13 * 4096 + 4096


def test_files_with_other_rights_are_not_shared(tmp_path: Path) -> None:
    write(tmp_path, one__f="x" * 9000, two__f="x" * 9000)
    (tmp_path / "two/f").chmod(0o755)
    for name in ("one", "two"):
        share(tmp_path / name, tmp_path / "pool")
    assert (tmp_path / "one/f").stat().st_mode & 0o111 == 0
    assert (tmp_path / "two/f").stat().st_mode & 0o111


def test_sharing_an_already_shared_environment_changes_nothing(tmp_path: Path) -> None:
    write(tmp_path, one__f="x" * 9000)
    share(tmp_path / "one", tmp_path / "pool")
    before = (tmp_path / "one/f").stat().st_ino
    share(tmp_path / "one", tmp_path / "pool")
    assert (tmp_path / "one/f").stat().st_ino == before
    assert [path.name for path in (tmp_path / "one").iterdir()] == ["f"]
