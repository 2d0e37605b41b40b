"""A source archive is read as the project's files, without unpacking it and without the packaging tool's own."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

import pytest

from hack.demo.archive import EXECUTABLE, REGULAR, SYMLINK, ArchiveError, File, read_archive


def archive(path: Path, *members: tuple[str, bytes] | tarfile.TarInfo) -> Path:
    with tarfile.open(path, "w:gz") as tar:
        for member in members:
            info, data = (
                (member, b"") if isinstance(member, tarfile.TarInfo) else (tarfile.TarInfo(member[0]), member[1])
            )
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return path


def member(name: str, kind: bytes = tarfile.REGTYPE, mode: int = 0o644, link: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.mode, info.linkname = kind, mode, link
    return info


def test_paths_are_below_the_top_folder_and_bytes_are_kept(tmp_path: Path) -> None:
    path = archive(tmp_path / "a.tar.gz", ("pkg-1.0/src/a b.py", b"x = '\xff'\r\n"), ("pkg-1.0/é.txt", b""))

    assert read_archive(path) == {
        b"src/a b.py": File(REGULAR, b"x = '\xff'\r\n"),
        "é.txt".encode(): File(REGULAR, b""),
    }


def test_executables_and_symbolic_links_keep_their_kind(tmp_path: Path) -> None:
    path = archive(tmp_path / "a.tar.gz", member("p/run", mode=0o755), member("p/link", tarfile.SYMTYPE, link="run"))

    assert read_archive(path) == {b"run": File(EXECUTABLE, b""), b"link": File(SYMLINK, b"run")}


def test_what_the_packaging_tool_wrote_is_left_out(tmp_path: Path) -> None:
    path = archive(
        tmp_path / "a.tar.gz",
        ("p/PKG-INFO", b"Version: 1"),
        ("p/src/p.egg-info/SOURCES.txt", b"x"),
        ("p/setup.cfg", b"[egg_info]\ntag_build = \ntag_date = 0\n\n"),
        ("p/p.py", b""),
    )

    assert set(read_archive(path)) == {b"p.py"}


def test_the_projects_own_part_of_setup_cfg_stays(tmp_path: Path) -> None:
    text = b"[metadata]\nname = p\n\n[egg_info]\ntag_build = \ntag_date = 0\n\n[tool]\nx = 1\n"

    files = read_archive(archive(tmp_path / "a.tar.gz", ("p/setup.cfg", text)))

    assert files[b"setup.cfg"].data == b"[metadata]\nname = p\n\n[tool]\nx = 1\n"


@pytest.mark.parametrize("name", ["../evil.py", "p/../../evil.py", "/etc/passwd", "p/.git/hooks/post-checkout"])
def test_a_member_outside_the_archives_folder_is_refused_by_name(tmp_path: Path, name: str) -> None:
    path = archive(tmp_path / "bad.tar.gz", (name, b""))

    with pytest.raises(ArchiveError, match=r"bad\.tar\.gz"):
        read_archive(path)


def test_a_device_is_refused(tmp_path: Path) -> None:
    path = archive(tmp_path / "bad.tar.gz", member("p/null", tarfile.CHRTYPE))

    with pytest.raises(ArchiveError, match="p/null"):
        read_archive(path)


def test_a_damaged_archive_is_named(tmp_path: Path) -> None:
    path = tmp_path / "cut.tar.gz"
    path.write_bytes(archive(tmp_path / "a.tar.gz", ("p/a.py", bytes(range(256)) * 40)).read_bytes()[:60])

    with pytest.raises(ArchiveError, match=r"cut\.tar\.gz"):
        read_archive(path)
