"""Image layers are the same bytes for the same inputs, and engines can read the archives."""

from __future__ import annotations

import hashlib
import io
import json
import os
import tarfile
from pathlib import Path

from hack.layers import Image, Layer, LayerBuilder, write_archive, written_layer


def members(layer: Layer) -> dict[str, tarfile.TarInfo]:
    with tarfile.open(layer.path) as archive:
        return {member.name: member for member in archive}


def a_tree(root: Path) -> Path:
    (root / "etc").mkdir(parents=True)
    (root / "etc" / "passwd").write_text("root\n")
    (root / "bin").symlink_to("usr/bin")
    (root / "usr" / "bin").mkdir(parents=True)
    program = root / "usr" / "bin" / "program"
    program.write_bytes(b"\x7fELF")
    program.chmod(0o4755)
    os.mkfifo(root / "etc" / "pipe")
    return root


def test_the_digest_is_that_of_the_file_and_is_kept(tmp_path: Path) -> None:
    root = LayerBuilder()
    root.file("a", b"x")

    layer = root.write(tmp_path / "layer.tar")

    assert layer.digest == hashlib.sha256(layer.path.read_bytes()).hexdigest()
    assert written_layer(layer.path) == layer


def test_the_order_of_adding_and_the_times_of_files_do_not_show(tmp_path: Path) -> None:
    one, other = LayerBuilder(), LayerBuilder()
    early, late = tmp_path / "early", tmp_path / "late"
    for path, moment in ((early, 1), (late, 2_000_000_000)):
        path.write_bytes(b"same")
        os.utime(path, (moment, moment))
    one.file("b/file", early)
    one.link("a", "b")
    other.link("a", "b")
    other.file("b/file", late)

    assert one.write(tmp_path / "1.tar").digest == other.write(tmp_path / "2.tar").digest


def test_a_tree_keeps_modes_and_links_and_leaves_out_what_is_no_file(tmp_path: Path) -> None:
    root = LayerBuilder()
    root.tree(a_tree(tmp_path / "tree"))

    found = members(root.write(tmp_path / "layer.tar"))

    assert sorted(found) == ["bin", "etc", "etc/passwd", "usr", "usr/bin", "usr/bin/program"]
    assert (found["bin"].type, found["bin"].linkname) == (tarfile.SYMTYPE, "usr/bin")
    assert found["usr/bin/program"].mode == 0o4755


def test_a_part_of_a_tree_can_be_left_out_with_all_below_it(tmp_path: Path) -> None:
    root = LayerBuilder()
    root.tree(a_tree(tmp_path / "tree"), into="opt", without=lambda path: path == "usr")

    assert sorted(members(root.write(tmp_path / "layer.tar"))) == ["opt", "opt/bin", "opt/etc", "opt/etc/passwd"]


def test_folders_above_a_file_are_there_before_it(tmp_path: Path) -> None:
    root = LayerBuilder()
    root.file("a/b/c", "text")
    root.file("a-b", "text")

    assert list(members(root.write(tmp_path / "layer.tar"))) == ["a", "a/b", "a/b/c", "a-b"]


def test_an_archive_names_each_image_and_holds_a_shared_layer_once(tmp_path: Path) -> None:
    root = LayerBuilder()
    root.file("a", "x")
    layer = root.write(tmp_path / "layer.tar")
    images = [Image((name,), (layer,), "amd64", {"Cmd": [name]}) for name in ("one:1", "two:1")]
    stream = io.BytesIO()

    write_archive(stream, images)

    stream.seek(0)
    with tarfile.open(fileobj=stream) as archive:
        names = archive.getnames()
        manifest = json.load(archive.extractfile("manifest.json") or io.BytesIO())
        configuration = archive.extractfile(manifest[0]["Config"])
        assert configuration is not None
        told = configuration.read()
    assert names.count(f"{layer.digest}.tar") == 1
    assert [entry["RepoTags"] for entry in manifest] == [["one:1"], ["two:1"]]
    assert images[0].identity == f"sha256:{hashlib.sha256(told).hexdigest()}"
    assert json.loads(told)["rootfs"]["diff_ids"] == [f"sha256:{layer.digest}"]


def test_what_lies_beyond_is_what_differs_with_the_folders_above_it(tmp_path: Path) -> None:
    below, whole = LayerBuilder(), LayerBuilder()
    for builder in (below, whole):
        builder.folder("private", 0o700)
        builder.file("private/same", b"same")
        builder.file("changed", b"old" if builder is below else b"new")
        builder.file("mode", b"", 0o644 if builder is below else 0o755)
    whole.file("private/new", b"new")

    found = members(whole.beyond(below).write(tmp_path / "layer.tar"))

    assert sorted(found) == ["changed", "mode", "private", "private/new"]
    assert found["private"].mode == 0o700


def test_what_only_lies_below_is_marked_as_removed_once(tmp_path: Path) -> None:
    below, whole = LayerBuilder(), LayerBuilder()
    below.file("kept/gone", b"")
    below.file("folder/a/b", b"")
    whole.folder("kept")

    found = members(whole.beyond(below).write(tmp_path / "layer.tar"))

    assert sorted(found) == [".wh.folder", "kept", "kept/.wh.gone"]


def test_privileges_are_dropped_and_modes_kept_otherwise(tmp_path: Path) -> None:
    root = LayerBuilder()
    root.file("su", b"", 0o4755)
    root.file("wall", b"", 0o2711)
    root.folder("tmp", 0o1777)
    root.drop_privileges()

    found = members(root.write(tmp_path / "layer.tar"))

    assert {name: oct(member.mode) for name, member in found.items()} == {
        "su": "0o755",
        "wall": "0o711",
        "tmp": "0o1777",
    }
