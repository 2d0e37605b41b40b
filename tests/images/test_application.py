"""The application's layer: the same bytes for the same inputs, and nothing in it but what an image needs."""

from __future__ import annotations

import csv
import importlib.util
import io
import os
import subprocess
import sys
import tarfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from hack.images.application import LOCK, ROOT, build, laid_out, sources, version
from hack.images.bytecode import UNCHECKED
from hack.images.wheels import chosen, recorded_hash
from hack.layers import Layer
from tests.images.support import VERSION, a_ground

SITE = f"opt/change2task/lib/python{VERSION}/site-packages"
OURS = {"pyvenv.cfg", "bin/python", "bin/python3", "bin/change2task"}


@pytest.fixture(scope="module")
def layer(tmp_path_factory: pytest.TempPathFactory) -> Layer:
    return built(tmp_path_factory.mktemp("one"))


@pytest.fixture(scope="module")
def files(layer: Layer) -> Mapping[str, bytes]:
    """Content of all files by their path below /opt/change2task."""
    return {member.name.removeprefix("opt/change2task/"): content for member, content in members(layer)}


def built(folder: Path) -> Layer:
    ground = a_ground()
    return build(ground, chosen(LOCK, ground.python, ground.architecture)).write(folder / "layer.tar")


def members(layer: Layer) -> Iterator[tuple[tarfile.TarInfo, bytes]]:
    with tarfile.open(layer.path) as archive:
        for member in archive:
            if not member.isdir():
                file = archive.extractfile(member) if member.isreg() else None
                yield member, file.read() if file else b""


def recorded(files: Mapping[str, bytes]) -> dict[str, str]:
    """Path below /opt/change2task to the hash that a record of installed files names for it."""
    found = {}
    for name, content in files.items():
        if name.endswith(".dist-info/RECORD"):
            for path, told, _ in csv.reader(io.StringIO(content.decode())):
                found[os.path.normpath(f"lib/python{VERSION}/site-packages/{path}")] = told
    return found


@pytest.mark.network
def test_a_second_build_gives_the_same_bytes(layer: Layer, tmp_path: Path) -> None:
    assert built(tmp_path).digest == layer.digest


@pytest.mark.network
def test_it_holds_what_is_recorded_with_its_hash_and_nothing_else(files: Mapping[str, bytes]) -> None:
    records = recorded(files)
    compiled = {name for name in files if "/__pycache__/" in name}

    assert set(files) - compiled - OURS == set(records)
    for name, told in records.items():
        assert told in ("", recorded_hash(files[name])), name


@pytest.mark.network
def test_byte_code_is_there_for_all_modules_and_of_the_kind_that_names_no_time(files: Mapping[str, bytes]) -> None:
    compiled = {name for name in files if "/__pycache__/" in name}
    modules = {name for name in files if name.endswith(".py")}

    assert compiled == {importlib.util.cache_from_source(name) for name in modules}
    assert all(files[name][4:8] == UNCHECKED for name in compiled)
    assert all(
        files[importlib.util.cache_from_source(n)][8:16] == importlib.util.source_hash(files[n]) for n in modules
    )


@pytest.mark.network
def test_it_holds_no_tests_no_history_and_no_trace_of_where_it_was_made(files: Mapping[str, bytes]) -> None:
    parts = {part for name in files for part in name.split("/")}
    place = (str(ROOT).encode(), b"/c2t-application-")

    assert not parts & {"test", "tests", ".git", ".venv", "direct_url.json", "uv_cache.json", "conftest.py"}
    # pyvenv.cfg names the folder of the ground's Python, which here is that of the tests.
    assert {name for name, content in files.items() if any(one in content for one in place)} <= {"pyvenv.cfg"}


@pytest.mark.network
def test_everything_belongs_to_root_and_can_be_changed_by_no_one_else(layer: Layer) -> None:
    with tarfile.open(layer.path) as archive:
        found = {(member.uid, member.gid, member.mode) for member in archive if not member.issym()}

    assert found == {(0, 0, 0o755), (0, 0, 0o644)}


@pytest.mark.network
def test_it_runs_where_it_lies(layer: Layer, tmp_path: Path) -> None:
    with tarfile.open(layer.path) as archive:
        archive.extractall(tmp_path, filter="fully_trusted")
    python = tmp_path / "opt/change2task/bin/python"
    script = (
        "import change2task.cli.app, importlib.metadata, uv;"
        "print(change2task.__file__, importlib.metadata.version('change2task'), uv.find_uv_bin())"
    )

    told = subprocess.run([python, "-c", script], env={}, capture_output=True, text=True, check=True).stdout.split()

    uv = tmp_path / "opt/change2task/bin/uv"
    assert told == [str(tmp_path / SITE / "change2task/__init__.py"), version(), str(uv)]
    assert subprocess.run([uv, "--version"], capture_output=True, check=True).stdout.startswith(b"uv ")


def test_records_leave_out_what_the_image_leaves_out() -> None:
    record = b"a.py,sha256=x,1\na/tests/t.py,sha256=y,1\nbin/uv,sha256=z,1\nbin/other,,\na-1.dist-info/RECORD,,\n"

    made = laid_out({"a-1.dist-info/RECORD": (record, 0o644), "bin/uv": (b"", 0o755)}, a_ground())

    assert made.content(f"{SITE}/a-1.dist-info/RECORD") == (
        b"../../../bin/uv,sha256=z,1\na-1.dist-info/RECORD,,\na.py,sha256=x,1\n"
    )


def test_it_is_made_of_code_and_not_of_what_lies_about() -> None:
    names = [name for name, _ in sources()]

    assert "operator/change2task/__init__.py" in names
    assert [name for name in names if "__pycache__" in name or name.startswith(("tests/", ".git"))] == []
    assert sys.prefix not in " ".join(names)
