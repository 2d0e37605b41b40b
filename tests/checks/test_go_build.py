"""Whether all of a Go project builds, packages without tests too: real builds by the real command."""

from __future__ import annotations

from pathlib import Path

import pytest

from change2task.checks.reader import reader_for
from tests.checks.test_go import GO, MODULE, needs_go
from tests.support.passes import run_suite

TESTED = {"m_test.go": 'package m\nimport "testing"\nfunc TestX(t *testing.T) {}\n', "m.go": "package m\n"}
MAIN = {"cmd/one/main.go": "package main\nfunc main() {}\n", "cmd/two/main.go": "package main\nfunc main() {}\n"}
BROKEN = {"other/o.go": "package other\nvar X = missing\n"}


def built(folder: Path, files: dict[str, str], *command: str) -> tuple[str, str | None]:
    call = reader_for("go").build((str(GO), *(command or ("test", "./..."))))
    assert call is not None
    suite = run_suite(
        folder,
        files,
        command=call.command,
        check_format="script",
        script_files=call.files,
        ids=(call.id,),
        env={"GOCACHE": str(folder / "cache"), "GOTOOLCHAIN": "local", "GOPROXY": "off", "HOME": str(folder)},
    )
    assert suite.harness_error is None
    result = suite.results[call.id]
    return result.outcome, result.signature


@needs_go
def test_commands_and_packages_without_tests_are_built_and_nothing_is_left_of_it(tmp_path: Path) -> None:
    assert built(tmp_path, {**MODULE, **TESTED, **MAIN}) == ("passed", None)
    left = {path.name for path in (tmp_path / "work").iterdir()}
    assert left == {"go.mod", "m.go", "m_test.go", "cmd"}


@needs_go
def test_one_broken_package_is_a_failure_that_says_why(tmp_path: Path) -> None:
    outcome, said = built(tmp_path, {**MODULE, **TESTED, **BROKEN})
    assert outcome == "failed"
    assert said is not None
    assert "undefined: missing" in said


@needs_go
def test_the_project_s_folder_and_build_flags_hold(tmp_path: Path) -> None:
    tagged = {"other/o.go": "//go:build slow\n\npackage other\nvar X = missing\n"}
    files = {f"sub/{name}": text for name, text in {**MODULE, **TESTED, **tagged}.items()}
    assert built(tmp_path / "1", files, "test", "-C", "sub", "-v", "./...")[0] == "passed"
    assert built(tmp_path / "2", files, "test", "-C", "sub", "-tags", "slow", "./...")[0] == "failed"


@pytest.mark.parametrize("check_format", ["pytest", "script"])
def test_other_formats_build_nothing_by_name(check_format: str) -> None:
    assert reader_for(check_format).build(("anything",)) is None
