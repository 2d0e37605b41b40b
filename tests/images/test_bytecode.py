"""Byte-code of images: the same for the same sources, and taken by Python without a look at them."""

from __future__ import annotations

import importlib.util
import marshal
import subprocess
import sys
from pathlib import Path
from types import CodeType

import pytest

from hack.images.bytecode import byte_code
from hack.kind.commands import ClusterError
from tests.images.support import a_ground

SOURCE = b"NAMES = {'a', 'b', 'c'}\ndef known(name):\n    return name in {'one', 'two', 'three', 'four'}\n"


def cached(path: str) -> str:
    return importlib.util.cache_from_source(path)


def test_it_does_not_depend_on_the_seed_of_hashes() -> None:
    one, other = (a_ground(PYTHONHASHSEED=seed).compiled({"opt/m.py": SOURCE}) for seed in ("1", "2"))

    assert one == other


def test_it_is_the_same_beside_other_sources() -> None:
    alone = a_ground().compiled({"opt/m.py": SOURCE})
    among = a_ground().compiled({"opt/a.py": b"import this\nNAMES = 1\n", "opt/m.py": SOURCE, "opt/z.py": SOURCE})

    assert among[cached("opt/m.py")] == alone[cached("opt/m.py")]


def test_it_names_the_place_in_the_image() -> None:
    made = byte_code(SOURCE, "/opt/m.py")

    assert made is not None
    code = marshal.loads(made[16:])
    assert isinstance(code, CodeType)
    assert code.co_filename == "/opt/m.py"


def test_python_takes_it_without_looking_at_the_source(tmp_path: Path) -> None:
    module = tmp_path / "m.py"
    made = byte_code(b"print('compiled')\n", str(module))
    assert made is not None
    module.write_text("print('source')\n")
    kept = Path(cached(str(module)))
    kept.parent.mkdir()
    kept.write_bytes(made)

    told = subprocess.run(
        [sys.executable, "-c", "import m"], cwd=tmp_path, capture_output=True, text=True, check=True
    ).stdout

    assert told == "compiled\n"


@pytest.mark.parametrize("source", [b"print 'old'\n", b"a\0b", b"{{ cookiecutter.name }} = \n", b"\xff = 1\n"])
def test_what_is_not_of_this_python_is_left_without(source: bytes) -> None:
    assert a_ground().compiled({"opt/bad.py": source, "opt/good.py": b"x = 1\n"}).keys() == {cached("opt/good.py")}


def test_a_python_that_cannot_be_started_is_told() -> None:
    broken = a_ground().__class__(**{**vars(a_ground()), "interpreter": "/nowhere/python3"})

    with pytest.raises(ClusterError, match="/nowhere/python3"):
        broken.compiled({"opt/m.py": SOURCE})
