"""A search for an answer: what is found wherever it lies, what is chance, and what could not be looked into."""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile
import zlib
from pathlib import Path

import pytest

from change2task.corpus.leaks.needles import Needles, squeezed
from change2task.corpus.leaks.planting import missed, plants
from change2task.corpus.leaks.scanning import Finding, Scan
from change2task.corpus.leaks.unpacking import DEPTH, TOTAL_BYTES, Unpacker
from tests.support.repos import RepoBuilder

LINE = "return [part for part in parts if part.is_kept_back(twice=True)]"
SOURCE = f"def kept_back_parts(parts):\n    {LINE}\n".encode()
NEEDLES = Needles({"pkg/parts.py": SOURCE}, {squeezed(LINE.encode()): LINE}, frozenset({"kept_back_parts"}))


def found(folder: Path, foreign: tuple[str, ...] = ()) -> list[Finding]:
    scan = Scan(NEEDLES)
    scan.folder(folder, "x", foreign)
    return scan.findings


def test_planted_leaks_of_every_kind_are_found(tmp_path: Path) -> None:
    planted, blind = missed(NEEDLES, tmp_path)
    assert blind == ()
    assert len(planted) == 21


@pytest.mark.parametrize("kind", [kind for kind, _ in plants(NEEDLES)])
def test_a_search_for_something_else_misses_the_plant(kind: str, tmp_path: Path) -> None:
    plant = dict(plants(NEEDLES))[kind]
    plant(tmp_path)
    other = Needles({"a.py": b"x = 1\n"}, {b"anotherlineofmorethantwentysigns": "another"}, frozenset({"another_name"}))
    scan = Scan(other)
    scan.folder(tmp_path, "x")
    assert [one.what for one in scan.findings] == (["outside"] if kind == "alternates" else [])


@pytest.mark.parametrize(
    "written",
    [
        LINE.replace(" ", "  "),
        LINE.replace(" if ", "\n        if "),
        f"+{LINE}",
        f'{{"text": "{LINE}"}}',
        LINE.replace("=", "\\u003d"),
        f"<pre>{LINE}</pre>",
    ],
)
def test_a_line_is_found_however_it_is_written(written: str, tmp_path: Path) -> None:
    (tmp_path / "notes").write_text(written)
    assert [(one.what, one.weight) for one in found(tmp_path)] == [("line", "code")]


def test_an_answer_without_lines_of_its_own_is_planted_as_what_it_can_be_found_by(tmp_path: Path) -> None:
    needles = Needles({"pkg/parts.py": b"x = 1\n"}, {}, frozenset())
    planted, blind = missed(needles, tmp_path)
    assert blind == ()
    assert "source" in planted
    assert "editor" not in planted


def test_documents_are_told_apart_from_code_and_history(tmp_path: Path) -> None:
    for place in ("a.md", "a.py", ".git/logs/HEAD"):
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / place).write_text(LINE)
    assert {one.place: one.weight for one in found(tmp_path)} == {
        "x/a.md": "document",
        "x/a.py": "code",
        "x/.git/logs/HEAD": "history",
    }


def test_one_line_in_a_third_partys_file_is_chance_and_a_whole_copy_is_not(tmp_path: Path) -> None:
    (tmp_path / "other.py").write_text(f"x = 1\n{LINE}\nkept_back_parts\n")
    (tmp_path / "copy.py").write_bytes(SOURCE)
    assert [(one.place, one.what) for one in found(tmp_path, ("other.py", "copy.py"))] == [("x/copy.py", "file")]


def test_a_name_that_third_parties_use_is_looked_for_no_longer(tmp_path: Path) -> None:
    (tmp_path / "other.py").write_text("kept_back_parts = 1\n")
    (tmp_path / "ours.py").write_text("kept_back_parts = 2\n")
    scan = Scan(NEEDLES)
    scan.known_to(tmp_path, ["other.py", "not/there.py"])
    scan.folder(tmp_path, "x", ("other.py",))
    assert scan.findings == []


def test_byte_code_is_whose_its_source_is(tmp_path: Path) -> None:
    (tmp_path / "__pycache__").mkdir()
    for module in ("other", "ours"):
        (tmp_path / f"__pycache__/{module}.cpython-311.pyc").write_bytes(b"\0kept_back_parts\0")
    assert [one.place for one in found(tmp_path, ("other.py",))] == ["x/__pycache__/ours.cpython-311.pyc"]


def test_a_links_target_is_read_and_never_followed(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_bytes(SOURCE)
    inside = tmp_path / "inside"
    inside.mkdir()
    (inside / "link").symlink_to(tmp_path / "elsewhere")
    (inside / "named").symlink_to("kept_back_parts")
    (inside / "folder").symlink_to(tmp_path)
    assert [one.place for one in found(inside)] == ["x/named"]


def test_history_that_nothing_names_any_more_is_found_in_its_pack(tmp_path: Path) -> None:
    repo = RepoBuilder(tmp_path / "repo")
    repo.commit({"a.txt": b"one\n"})
    first = repo.tip()
    repo.commit({"pkg/parts.py": SOURCE})
    repo.git("repack", "-a", "-d", "-q")
    repo.git("update-ref", "refs/heads/main", first)
    assert {one.what for one in found(tmp_path / "repo")} == {"file"}


def test_archives_are_opened_in_archives(tmp_path: Path) -> None:
    wheel = io.BytesIO()
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("pkg/parts.py", SOURCE)
    layer = io.BytesIO()
    with tarfile.open(fileobj=layer, mode="w") as tar:
        info = tarfile.TarInfo("cache/p.whl")
        info.size = len(wheel.getvalue())
        tar.addfile(info, io.BytesIO(wheel.getvalue()))
    (tmp_path / "layer").write_bytes(gzip.compress(layer.getvalue()))
    assert [one.place for one in found(tmp_path)] == ["x/layer!content!cache/p.whl!pkg/parts.py"]


def test_what_is_nested_too_deep_is_told_and_not_passed_over(tmp_path: Path) -> None:
    data = SOURCE
    for _ in range(DEPTH + 1):
        data = gzip.compress(data)
    scan = Scan(NEEDLES)
    scan.content("x", data)
    assert scan.findings == []
    assert [f"nested deeper than {DEPTH}" in one for one in scan.unread] == [True]


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"PK\x03\x04 no zip", "cannot be unpacked"),
        (b"\x1f\x8b\x08 no gzip, whatever it begins with", "cannot be unpacked"),
        (b"PACK\x00\x00\x00\x02 no pack", "cannot be unpacked"),
        (b"\x28\xb5\x2f\xfd zstandard", "zstandard"),
    ],
)
def test_what_cannot_be_unpacked_is_told(data: bytes, why: str) -> None:
    scan = Scan(NEEDLES)
    scan.content("x", data)
    assert [why in one for one in scan.unread] == [True]


def test_a_bomb_costs_no_more_than_its_bound() -> None:
    unpacker = Unpacker(left=1 << 20)
    bomb = zlib.compress(b"\0" * (8 << 20))
    assert [len(data) for _, data in unpacker.within("bomb", bomb)] == [len(bomb)]
    assert len(unpacker.unread) == 1
    assert TOTAL_BYTES > unpacker.left > 0
