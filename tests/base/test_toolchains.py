"""Which interpreter a recipe gets, out of those this machine has."""

from __future__ import annotations

import sys
from datetime import date
from pathlib import Path

import pytest

from change2task.base.faults import ToolchainMissing
from change2task.base.recipe import PythonWish
from change2task.base.toolchains import Interpreter, ask, check_go, choose, installed


def machine(*versions: str) -> tuple[Interpreter, ...]:
    return tuple(Interpreter(version=one, executable=Path(f"/opt/{one}/bin/python")) for one in versions)


ALL = machine("3.13.0", "3.12.1", "3.11.7", "3.11.2", "3.10.13", "3.8.18")


@pytest.mark.parametrize(
    ("wish", "as_of", "version"),
    [
        ({}, date(2026, 1, 1), "3.13.0"),
        ({}, date(2024, 11, 1), "3.12.1"),
        ({"specifier": ">=3.8,<3.12"}, date(2026, 1, 1), "3.11.7"),
        ({"listed": ("3.9", "3.10")}, date(2026, 1, 1), "3.10.13"),
        ({"listed": ("3.12", "3.13")}, date(2024, 11, 1), "3.12.1"),
        ({"listed": ("3.13",)}, date(2024, 11, 1), "3.13.0"),
        ({"exact": "3.8"}, date(2026, 1, 1), "3.8.18"),
        ({"specifier": "no specifier at all"}, date(2026, 1, 1), "3.13.0"),
        ({}, date(2015, 1, 1), "3.8.18"),
        ({"specifier": "==3.11.2"}, date(2026, 1, 1), "3.11.2"),
    ],
)
def test_the_newest_that_fits_is_listed_and_known_to_packages_of_the_time(
    wish: dict[str, str], as_of: date, version: str
) -> None:
    assert choose(PythonWish.model_validate(wish), as_of, ALL).version == version


def test_no_fitting_interpreter_is_the_machines_fault_and_names_what_is_there() -> None:
    with pytest.raises(ToolchainMissing, match=r"requires Python >=3\.14.*this machine has 3\.13\.0, 3\.12\.1"):
        choose(PythonWish(specifier=">=3.14"), date(2026, 1, 1), ALL)
    with pytest.raises(ToolchainMissing, match=r"asks for Python 3\.7; this machine has 3\.13\.0"):
        choose(PythonWish(exact="3.7"), date(2026, 1, 1), ALL)
    with pytest.raises(ToolchainMissing, match="this machine has none"):
        choose(PythonWish(), date(2026, 1, 1), ())


def test_a_program_is_asked_for_its_version_and_real_place() -> None:
    asked = ask(Path(sys.executable))
    assert asked is not None
    assert asked.version == ".".join(map(str, sys.version_info[:3]))
    assert asked.executable == asked.executable.resolve()


def test_a_program_that_is_no_interpreter_is_passed_over(tmp_path: Path) -> None:
    shim = tmp_path / "python3"
    shim.write_text("#!/bin/sh\nexit 127\n")
    shim.chmod(0o755)
    assert ask(shim) is None
    assert ask(tmp_path / "absent") is None


def test_this_machines_interpreters_are_found_newest_first_without_a_download() -> None:
    found = installed()
    assert any(one.minor == f"{sys.version_info[0]}.{sys.version_info[1]}" for one in found)
    versions = [tuple(map(int, one.version.split("."))) for one in found]
    assert versions == sorted(versions, reverse=True)


def test_a_newer_go_than_there_is_is_the_machines_fault() -> None:
    check_go("1.22", "1.26.8")
    with pytest.raises(ToolchainMissing, match=r"asks for Go 1\.30; this machine has 1\.26\.8"):
        check_go("1.30", "1.26.8")
