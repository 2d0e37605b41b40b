"""Copies of the project's own code are found wherever and in whatever form they lie; other code is not."""

from __future__ import annotations

import io
import os
import tarfile
import zipfile
from pathlib import Path

import pytest

from change2task.base.copies import Fingerprints, compiled_leftovers, compiled_of_project, in_folder, installed

SOURCE = "".join(f"def number_{n}(first, second):\n    return first * {n} + second\n\n" for n in range(20)).encode()
PRINTS = Fingerprints([("src/p/core.py", SOURCE), ("README.md", b"This is what the project does.\n" * 20)])


def found(root: Path, prints: Fingerprints = PRINTS) -> list[tuple[str, str]]:
    return [(one.where, one.source) for one in in_folder(prints, root)]


def test_the_same_bytes_under_any_name(tmp_path: Path) -> None:
    (tmp_path / "deep/er").mkdir(parents=True)
    (tmp_path / "deep/er/other.dat").write_bytes(SOURCE)
    assert found(tmp_path) == [("deep/er/other.dat", "src/p/core.py")]


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace(b"    ", b"\t"),
        lambda text: b"".join(b" * " + line for line in text.splitlines(keepends=True)),
        lambda text: text.replace(b"number_3", b"number_three").replace(b"\n", b"\r\n"),
        lambda text: text[: len(text) // 2],
        lambda text: b"# one line of something else\n" * 500 + text,
    ],
    ids=["reindented", "in comments", "edited, other line ends", "half of it", "concatenated"],
)
def test_a_third_of_a_files_own_lines_is_a_copy(tmp_path: Path, change: object) -> None:
    assert callable(change)
    (tmp_path / "x").write_bytes(change(SOURCE))
    assert found(tmp_path) == [("x", "src/p/core.py")]


def test_a_few_shared_lines_are_no_copy(tmp_path: Path) -> None:
    (tmp_path / "x.py").write_bytes(b"\n".join(SOURCE.splitlines()[:15]) + b"\n" * 300)
    assert found(tmp_path) == []


def test_inside_wheels_and_source_archives(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "p-1.whl", "w") as wheel:
        wheel.writestr("p/core.py", SOURCE)
    with tarfile.open(tmp_path / "p-1.tar.gz", "w:gz") as archive:
        info = tarfile.TarInfo("p-1/core.py")
        info.size = len(SOURCE)
        archive.addfile(info, io.BytesIO(SOURCE))
    assert sorted(found(tmp_path)) == [
        ("p-1.tar.gz!p-1/core.py", "src/p/core.py"),
        ("p-1.whl!p/core.py", "src/p/core.py"),
    ]


def test_a_broken_archive_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "x.zip").write_bytes(b"PK\x03\x04" + b"nonsense" * 100)
    assert found(tmp_path) == []


def test_documents_licences_and_the_projects_description_are_no_code(tmp_path: Path) -> None:
    (tmp_path / "p-1.dist-info").mkdir()
    (tmp_path / "p-1.dist-info/METADATA").write_bytes(b"Name: p\n\n" + SOURCE)
    (tmp_path / "notes.md").write_bytes(b"This is what the project does.\n" * 20)
    assert found(tmp_path) == []


def test_third_parties_code_in_the_project_is_not_the_projects_own(tmp_path: Path) -> None:
    (tmp_path / "six.py").write_bytes(SOURCE)
    assert found(tmp_path, Fingerprints([("p/_vendor/six.py", SOURCE)])) == []


def test_a_common_licence_header_makes_no_copy(tmp_path: Path) -> None:
    header = b"".join(b"# Licensed under terms that everybody uses, line %d\n" % n for n in range(15))
    (tmp_path / "other.py").write_bytes(header + b"def unrelated_function_here(): return 42\n" * 10)
    assert found(tmp_path, Fingerprints([("small.py", header + b"value_of_the_project = 1\n" * 3)])) == []


def test_links_and_pipes_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "outside.py").write_bytes(SOURCE)
    root = tmp_path / "root"
    root.mkdir()
    (root / "link").symlink_to(tmp_path / "outside.py")
    (root / "folder").symlink_to(tmp_path)
    os.mkfifo(root / "pipe")
    assert found(root) == []


def test_compiled_leftovers_are_named_but_for_third_parties() -> None:
    paths = [
        "src/p/_fast.cpython-311.so",
        "build/temp/x.o",
        "node_modules/a/b.node",
        "p.egg-info/PKG-INFO",
        "lib.so.1.2",
    ]
    assert [one.where for one in compiled_leftovers(paths)] == [
        "src/p/_fast.cpython-311.so",
        "build/temp/x.o",
        "lib.so.1.2",
    ]


def distribution(root: Path, name: str, url: str, *files: str) -> None:
    info = root / f"lib/python3.11/site-packages/{name}-1.dist-info"
    info.mkdir(parents=True)
    (info / "direct_url.json").write_text(f'{{"url": "{url}", "dir_info": {{"editable": true}}}}')
    (info / "RECORD").write_text("".join(f"{file},sha256=x,1\n" for file in files))


def test_files_are_told_by_the_distribution_that_installed_them(tmp_path: Path) -> None:
    distribution(tmp_path, "p", "file:///c2t/work", "p/_fast.so", "../../../bin/p")
    distribution(tmp_path, "other", "https://i/other.whl", "other/_fast.so", '"odd,name.py"')
    whose = installed(tmp_path, "/c2t/work")
    site = "lib/python3.11/site-packages"
    assert whose.own == {f"{site}/p/_fast.so", "bin/p"}
    assert whose.foreign == {f"{site}/other/_fast.so", f"{site}/odd,name.py"}
    assert [one.where for one in compiled_of_project(whose.own)] == [f"{site}/p/_fast.so"]


def test_another_distribution_may_resemble_the_project_but_not_vendor_it(tmp_path: Path) -> None:
    (tmp_path / "like.py").write_bytes(SOURCE[: len(SOURCE) // 2])
    (tmp_path / "vendored.py").write_bytes(SOURCE + b"# patched\n")
    assert [one.where for one in in_folder(PRINTS, tmp_path, {"like.py", "vendored.py"})] == ["vendored.py"]


SMALL = b"def shorten(text, width):\n    return text[:width]\n"
SITE = "lib/python3.11/site-packages"


@pytest.mark.parametrize(
    ("source", "where"),
    [
        ("box/text.py", f"{SITE}/box/text.py"),
        ("src/box/text.py", f"{SITE}/box/text.py"),
        ("packages/core/src/box/text.py", f"{SITE}/box/text.py"),
        ("text.py", f"{SITE}/text.py"),
        ("box/__init__.py", f"{SITE}/box/__init__.py"),
        ("box/text.py", "build/lib/box/text.py"),
        ("src/box/text.py", "build/box/text.py"),
        ("box/text.py", "kept/before/box/text.py"),
        ("tests/test_text.py", f"{SITE}/tests/test_text.py"),
    ],
)
def test_a_small_file_is_found_by_its_bytes_and_its_modules_name(tmp_path: Path, source: str, where: str) -> None:
    (tmp_path / where).parent.mkdir(parents=True)
    (tmp_path / where).write_bytes(SMALL)
    assert found(tmp_path, Fingerprints([("other/place.py", SMALL), (source, SMALL)])) == [(where, source)]


@pytest.mark.parametrize(
    ("source", "where"),
    [
        ("box/text.py", f"{SITE}/other/text.py"),
        ("text.py", f"{SITE}/other/text.py"),
        ("box/__init__.py", f"{SITE}/__init__.py"),
        ("tests/__init__.py", f"{SITE}/other/tests/__init__.py"),
        ("tests/__init__.py", "src/other/tests/__init__.py"),
        ("lib/index.js", "node_modules/other/lib/index.js"),
        ("version/version.go", "gomod/example.org/other@v1/version/version.go"),
        ("setup.py", "src/other/setup.py"),
        ("box/text.py", f"{SITE}/box/words.py"),
    ],
)
def test_equal_small_files_of_different_modules_are_chance(tmp_path: Path, source: str, where: str) -> None:
    (tmp_path / where).parent.mkdir(parents=True)
    (tmp_path / where).write_bytes(SMALL)
    assert found(tmp_path, Fingerprints([(source, SMALL)])) == []


@pytest.mark.parametrize(
    "data",
    [b"", b"\n\n", b"# nothing yet\n", b'"""The package.\n\nIt does things.\n"""\n', b"// Package box\npackage box\n"],
)
def test_an_empty_or_commenting_file_says_nothing(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "box").mkdir()
    (tmp_path / "box/__init__.py").write_bytes(data)
    assert found(tmp_path, Fingerprints([("box/__init__.py", data)])) == []


def test_a_small_file_in_a_wheel_is_found_and_edited_ones_are_not(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "p-1.whl", "w") as wheel:
        wheel.writestr("box/text.py", SMALL)
        wheel.writestr("box/words.py", SMALL.replace(b"width", b"size"))
    prints = Fingerprints([("box/text.py", SMALL), ("box/words.py", SMALL + b"\n")])
    assert found(tmp_path, prints) == [("p-1.whl!box/text.py", "box/text.py")]
