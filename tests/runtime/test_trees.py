from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from change2task.runtime import trees


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "folder"
    folder.mkdir()
    return folder


class TestRemove:
    def test_removes_files_folders_links_and_pipes(self, folder: Path) -> None:
        (folder / "a/b").mkdir(parents=True)
        (folder / "a/b/file").write_text("x")
        (folder / "a/link").symlink_to("b")
        os.mkfifo(folder / "a/pipe")
        assert trees.remove(folder) == ()
        assert not folder.exists()

    def test_removes_folders_that_nobody_may_enter(self, folder: Path) -> None:
        inner = folder / "a" / "b"
        inner.mkdir(parents=True)
        (inner / "file").write_text("x")
        (inner / "file").chmod(0)
        inner.chmod(0)
        inner.parent.chmod(0o500)
        folder.chmod(0)
        assert trees.remove(folder) == ()
        assert not folder.exists()

    def test_removes_nesting_deeper_than_a_path_can_be_long(self, folder: Path) -> None:
        back = Path.cwd()
        try:
            os.chdir(folder)
            for _ in range(3000):
                Path("down").mkdir()
                os.chdir("down")
            Path("file").write_text("x")
        finally:
            os.chdir(back)
        assert trees.remove(folder) == ()
        assert not folder.exists()

    def test_never_follows_a_link_out(self, folder: Path, tmp_path: Path) -> None:
        (tmp_path / "outside").mkdir()
        (tmp_path / "outside/file").write_text("kept")
        (tmp_path / "outside").chmod(0o555)
        (folder / "link").symlink_to(tmp_path / "outside")
        assert trees.remove(folder) == ()
        assert (tmp_path / "outside/file").read_text() == "kept"
        assert (tmp_path / "outside").stat().st_mode & 0o777 == 0o555

    def test_removes_a_link_in_place_of_the_folder_only(self, folder: Path, tmp_path: Path) -> None:
        (tmp_path / "link").symlink_to(folder)
        assert trees.remove(tmp_path / "link") == ()
        assert folder.is_dir()

    def test_removes_names_that_are_no_text(self, folder: Path) -> None:
        for name in (b"\xff\xfe", b"new\nline", b"-rf", b" "):
            Path(folder, os.fsdecode(name)).mkdir()
            Path(folder, os.fsdecode(name), os.fsdecode(name)).write_text("x")
        assert trees.remove(folder) == ()

    def test_what_is_not_there_is_removed_already(self, tmp_path: Path) -> None:
        assert trees.remove(tmp_path / "nothing") == ()

    def test_reports_what_will_not_go(self, folder: Path) -> None:
        (folder / "a").mkdir()
        (folder / "a/fixed").write_text("x")
        (folder / "a/loose").write_text("x")
        made = subprocess.run(["chattr", "+i", folder / "a/fixed"], capture_output=True, check=False)
        if made.returncode != 0:
            pytest.skip("files cannot be made immutable here: it takes root and a file system that knows how")
        try:
            stubborn = trees.remove(folder)
            assert [(entry.path, entry.reason) for entry in stubborn] == [("a/fixed", "Operation not permitted")]
            assert [path.name for path in (folder / "a").iterdir()] == ["fixed"]
        finally:
            subprocess.run(["chattr", "-i", folder / "a/fixed"], check=True)


class TestEmpty:
    def test_keeps_the_folder_itself(self, folder: Path) -> None:
        (folder / "a/b").mkdir(parents=True)
        assert trees.empty(folder) == ()
        assert list(folder.iterdir()) == []


class TestReadFile:
    def test_reads_a_file_up_to_a_limit(self, folder: Path) -> None:
        (folder / "file").write_bytes(b"0123456789")
        assert trees.read_file(folder, "file", 100) == b"0123456789"
        assert trees.read_file(folder, "file", 4) == b"0123"

    def test_answers_none_for_what_is_no_file(self, folder: Path, tmp_path: Path) -> None:
        (tmp_path / "secret").write_text("secret")
        (folder / "link").symlink_to(tmp_path / "secret")
        (folder / "folder").mkdir()
        os.mkfifo(folder / "pipe")
        assert [trees.read_file(folder, name, 10) for name in ("link", "folder", "pipe", "nothing")] == [None] * 4

    @pytest.mark.parametrize("name", ["", ".", "..", "a/b", "../secret"])
    def test_refuses_a_name_that_leads_elsewhere(self, folder: Path, name: str) -> None:
        with pytest.raises(ValueError, match="not the name of a file"):
            trees.read_file(folder, name, 10)
