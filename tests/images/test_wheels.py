"""Of each package the lock's best file for an image's Python, and never another one."""

from __future__ import annotations

from pathlib import Path

import pytest

from hack.images.application import LOCK
from hack.images.wheels import Wheel, best, chosen, install, not_as_recorded, recorded_hash
from hack.kind.commands import ClusterError


def wheel(file: str) -> Wheel:
    name, version = file.split("-")[:2]
    return Wheel(name, version, file, "0" * 64)


@pytest.mark.parametrize(
    ("offered", "taken"),
    [
        (["a-1-py3-none-any.whl", "a-1-cp311-cp311-manylinux_2_17_x86_64.whl"], 1),
        (["a-1-cp312-cp312-manylinux_2_17_x86_64.whl", "a-1-py3-none-any.whl"], 1),
        (["a-1-cp38-abi3-manylinux2014_x86_64.whl", "a-1-cp312-abi3-manylinux2014_x86_64.whl"], 0),
        (["a-1-cp311-cp311-manylinux2014_aarch64.whl", "a-1-cp311-cp311-musllinux_1_2_x86_64.whl"], None),
        (["a-1-cp311-cp311-manylinux_2_34_x86_64.whl", "a-1-cp311-cp311-manylinux_2_28_x86_64.whl"], 1),
        (["uv-1-py3-none-manylinux_2_17_x86_64.whl", "uv-1-py3-none-musllinux_1_1_x86_64.whl"], 1),
        (["a-1-cp311-cp311-macosx_11_0_arm64.whl"], None),
    ],
)
def test_the_best_fitting_file_is_taken(offered: list[str], taken: int | None) -> None:
    wheels = [wheel(file) for file in offered]

    assert best(wheels, "3.11", "amd64") == (None if taken is None else wheels[taken])


@pytest.mark.network
def test_a_file_whose_hash_the_lock_does_not_know_is_refused(tmp_path: Path) -> None:
    lock = tmp_path / "some.lock"
    lock.write_text(f"idna==3.10 \\\n    --hash=sha256:{'0' * 64}\n")

    with pytest.raises(ClusterError, match=r"idna 3\.10 for Python 3\.11 on amd64 with a hash of some\.lock"):
        chosen(lock, "3.11", "amd64")


@pytest.mark.network
def test_an_image_of_another_machine_and_python_gets_its_own_files() -> None:
    found = {one.name: one.file for one in chosen(LOCK, "3.13", "arm64")}

    assert found["pydantic-core"].endswith("aarch64.whl")
    assert "cp313" in found["pydantic-core"]


@pytest.mark.network
def test_bytes_of_another_hash_are_not_installed(tmp_path: Path) -> None:
    known = next(one for one in chosen(LOCK, "3.11", "amd64") if one.name == "idna")
    forged = Wheel(known.name, known.version, known.file, "0" * 64)

    with pytest.raises(ClusterError, match=r"(?i)hash"):
        install([forged], tmp_path / "site", "3.11", "amd64")


def test_a_file_that_was_changed_after_it_was_installed_is_found(tmp_path: Path) -> None:
    (tmp_path / "certificates").mkdir()
    for name in ("certificates/all.pem", "certificates/__init__.py"):
        (tmp_path / name).write_bytes(b"as made\n")
    record = tmp_path / "certificates-1.dist-info" / "RECORD"
    record.parent.mkdir()
    hashed = recorded_hash(b"as made\n")
    record.write_text(
        f"certificates/__init__.py,{hashed},8\ncertificates/all.pem,{hashed},8\ncertificates-1.dist-info/RECORD,,\n"
    )
    assert not_as_recorded(tmp_path) == []

    with (tmp_path / "certificates/all.pem").open("ab") as file:
        file.write(b"one more\n")

    assert not_as_recorded(tmp_path) == ["certificates/all.pem"]
