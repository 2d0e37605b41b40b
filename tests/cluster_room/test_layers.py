"""Layers: the same files give the same bytes, and what was packed is laid out again, inside and nowhere else."""

from __future__ import annotations

import io
import os
import tarfile
from pathlib import Path

import pytest

from change2task.cluster.layers import LayerFile, layer_of, unpack, write_layer


def packed(*sources: tuple[Path, str]) -> bytes:
    out = io.BytesIO()
    write_layer(out, sources)
    return out.getvalue()


def members(layer: bytes) -> dict[str, tarfile.TarInfo]:
    with tarfile.open(fileobj=io.BytesIO(layer)) as tar:
        return {one.name: one for one in tar}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "folder"
    (folder / "b/c").mkdir(parents=True)
    (folder / "b/c/run").write_text("#!/bin/sh\n")
    (folder / "b/c/run").chmod(0o755)
    (folder / "a").write_bytes(b"\0")
    (folder / "link").symlink_to("../elsewhere")
    return folder


def test_the_order_in_which_files_are_given_does_not_matter() -> None:
    first = layer_of({"/c2t/a": b"1", "/c2t/b/c": LayerFile(content=b"2", mode=0o755)})
    assert first == layer_of({"/c2t/b/c": LayerFile(content=b"2", mode=0o755), "/c2t/a": b"1"})


def test_a_layer_holds_its_files_folders_and_nothing_of_this_machine() -> None:
    found = members(layer_of({"/c2t/a/b": b"1"}))
    assert set(found) == {"c2t", "c2t/a", "c2t/a/b"}
    assert {(one.uid, one.gid, one.mtime, one.uname) for one in found.values()} == {(1000, 1000, 0, "")}


def test_times_of_a_folder_do_not_matter(folder: Path) -> None:
    first = packed((folder, "/c2t/x"))
    os.utime(folder / "a", (1, 1))
    assert packed((folder, "/c2t/x")) == first


def test_links_and_permissions_are_kept(folder: Path) -> None:
    found = members(packed((folder, "/c2t/x")))
    assert found["c2t/x/b/c/run"].mode == 0o755
    assert found["c2t/x/link"].linkname == "../elsewhere"


def test_what_was_packed_is_laid_out_again(folder: Path, tmp_path: Path) -> None:
    unpack(packed((folder, "/x"), (folder / "a", "/y")), tmp_path / "again")
    assert packed((tmp_path / "again/x", "/x"), (tmp_path / "again/y", "/y")) == packed(
        (folder, "/x"), (folder / "a", "/y")
    )


@pytest.mark.parametrize("path", ["relative", "/a/../b", "/a//b", "/", "/a/./b"])
def test_only_plain_absolute_paths_are_taken(path: str) -> None:
    with pytest.raises(ValueError, match="absolute path"):
        layer_of({path: b""})


@pytest.mark.parametrize("name", ["../out", "/etc/out", "in/../../out"])
def test_nothing_is_laid_out_outside(tmp_path: Path, name: str) -> None:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        tar.addfile(tarfile.TarInfo(name))
    with pytest.raises(ValueError, match="absolute path"):
        unpack(out.getvalue(), tmp_path / "in")


def test_nothing_is_laid_out_behind_a_link(tmp_path: Path) -> None:
    out, link = io.BytesIO(), tarfile.TarInfo("link")
    link.type, link.linkname = tarfile.SYMTYPE, str(tmp_path)
    with tarfile.open(fileobj=out, mode="w") as tar:
        tar.addfile(link)
        tar.addfile(tarfile.TarInfo("link/out"))
    with pytest.raises(ValueError, match="behind a link"):
        unpack(out.getvalue(), tmp_path / "in")
    assert not (tmp_path / "out").exists()
