"""One suite for every reader: the same cases through its real runner, and nothing that went wrong is ever a pass."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from change2task.checks.reader import reader_for
from change2task.checks.results import SuiteResult
from tests.checks.conformance.subject import JS, PATH, ROOT, Subject
from tests.checks.conformance.subjects import SUBJECTS
from tests.checks.conformance.table import table
from tests.support.passes import NONCE, Pass, run_suite

_TOOLS = (
    *("sh", "setsid", "grep", "head", "cat", "ls", "mkfifo", "mv", "rm", "date", "sleep"),
    *("find", "sort", "mkdir", "cp", "tr", "sed", "awk"),
)
every = pytest.mark.parametrize("subject", SUBJECTS, ids=lambda subject: subject.name)


def run(subject: Subject, folder: Path, files: dict[str, str], **request: object) -> SuiteResult:
    """A pass of the runner, skipped with a loud reason where there is none here."""
    if (lacking := subject.lacking()) is not None:
        pytest.skip(lacking)
    work = folder / "work"
    work.mkdir(parents=True)
    if subject.package is not None:
        (work / "node_modules").symlink_to(JS)
    if subject.check_format == "tap":
        request.setdefault("reports", ("-",))
    return run_suite(
        folder,
        files,
        **{
            "command": subject.command,
            "check_format": subject.check_format,
            "plugins": True,
            "env": {"PATH": PATH, **subject.env},
            "rebuild": subject.rebuild,
            "test_timeout_seconds": subject.patience,
            "total_timeout_seconds": 100,
            **request,
        },
    )


def outcomes(suite: SuiteResult) -> dict[str, str]:
    return {name: result.outcome for name, result in suite.results.items() if not name.endswith("::(file)")}


@every
def test_every_end_of_a_test_is_told_as_it_is(tmp_path: Path, subject: Subject):
    suite = run(subject, tmp_path, dict(subject.files))
    known = outcomes(suite)
    in_dying_files = {name for name in known if name.partition("::")[0] in subject.faults}
    assert {name: known[name] for name in known if name in subject.expected or name not in in_dying_files} == dict(
        subject.expected
    )
    assert suite.harness_error is None
    assert suite.finished, suite.message
    assert suite.canaries is subject.canaries
    assert suite.duplicates == subject.duplicates
    assert {error.file for error in suite.collection_errors} == set(subject.faults)
    _nothing_forged_or_cut_passes(subject, tmp_path)


def _nothing_forged_or_cut_passes(subject: Subject, folder: Path) -> None:
    """The raw results of that pass, tampered with in turn: the failing test never comes out as passed."""
    reader = reader_for(subject.check_format)
    files = sorted(path for path in (folder / "results").iterdir() if path.name.startswith(("events.", "report.")))
    for place, file in enumerate(files):
        whole = file.read_bytes()
        for number, changed in enumerate(
            (whole[: len(whole) // 2], b"", whole + _forged(subject), whole + b"\xff\x00{[")
        ):
            other = folder / f"tampered-{place}-{number}"
            shutil.copytree(folder / "results", other)
            (other / file.name).write_bytes(changed)
            suite = reader.read(other, NONCE).suite
            found = suite.results.get(subject.failing)
            assert found is None or found.outcome != "passed" or suite.harness_error is not None


def _forged(subject: Subject) -> bytes:
    """Lines that make the failing test pass, as one would write who knows the nonce."""
    identity, name = subject.failing, subject.failing.rpartition("::")[2]
    lines = (
        {"c2t": NONCE, "e": "end", "w": "r", "n": 9999, "id": identity, "outcome": "passed", "seconds": 0},
        {"c2t": NONCE, "e": "phase", "n": 9999, "id": identity, "when": "call", "outcome": "passed"},
        {"Action": "pass", "Package": "example.com/m", "Test": name, "Elapsed": 0},
        {"type": "test", "event": "ok", "name": name},
    )
    return b"".join(b"\n" + json.dumps(line).encode() for line in lines) + f"\nok 2 - {name}\n".encode()


@every
def test_no_test_at_all_is_never_a_pass(tmp_path: Path, subject: Subject):
    suite = run(subject, tmp_path, dict(subject.empty))
    assert outcomes(suite) == {}
    assert not suite.results


@pytest.mark.parametrize("subject", [one for one in SUBJECTS if one.dying], ids=lambda subject: subject.name)
def test_where_a_death_costs_the_pass_there_is_no_verdict(tmp_path: Path, subject: Subject):
    died = run(subject, tmp_path / "dies", dict(subject.dying))
    assert not died.finished or died.harness_error is not None
    hung = run(subject, tmp_path / "hangs", dict(subject.hanging), total_timeout_seconds=3)
    assert (hung.finished, hung.ending) == (False, "deadline")


@every
def test_a_runner_that_is_not_there_is_named(tmp_path: Path, subject: Subject):
    if subject.package is not None:
        one = _without_packages(subject, tmp_path, {})
        assert f"the package {subject.package} is not installed in the tree" in (one.message or "")
        return
    if subject.lacking() is not None:
        pytest.skip(str(subject.lacking()))
    one = run_without_path(subject, tmp_path)
    assert not one.results
    assert not one.finished or one.harness_error is not None
    said = f"{one.message} {one.harness_error}"
    assert "not found" in said or "not on PATH" in said


def run_without_path(subject: Subject, folder: Path) -> SuiteResult:
    """The pass on a PATH with a shell's tools and no runner."""
    tools = folder / "tools"
    tools.mkdir()
    for name in [
        "sh",
        "setsid",
        "grep",
        "head",
        "cat",
        "ls",
        "mkfifo",
        "mv",
        "rm",
        "date",
        "sleep",
        "find",
        "sort",
        "mkdir",
        "cp",
        "tr",
        "sed",
        "awk",
    ]:
        (tools / name).symlink_to(str(shutil.which(name)))
    extra: dict[str, object] = {"reports": ("-",)} if subject.check_format == "tap" else {}
    return run_suite(
        folder / "pass", dict(subject.files), command=subject.command, check_format=subject.check_format, plugins=True,
        env={"PATH": str(tools)}, **extra,
    )  # fmt: skip


def _without_packages(subject: Subject, folder: Path, files: dict[str, str]) -> SuiteResult:
    if shutil.which("node", path=PATH) is None:
        pytest.skip(f"NOT TRIED: {subject.name} - no node on this machine")
    return run_suite(
        folder, files, command=subject.command, check_format=subject.check_format, plugins=True, env={"PATH": PATH}
    )


@pytest.mark.parametrize("subject", [one for one in SUBJECTS if one.package], ids=lambda subject: subject.name)
def test_a_runner_too_old_for_its_reporter_is_named(tmp_path: Path, subject: Subject):
    package = {f"node_modules/{subject.package}/package.json": '{"version": "1.2.3"}'}
    suite = _without_packages(subject, tmp_path, package)
    assert f"{subject.package} 1.2.3 is too old" in (suite.message or "")
    assert not suite.finished


def test_a_project_cannot_point_a_pass_at_results_of_its_own(tmp_path: Path):
    files = {"a.xml": '<testsuite><testcase name="x"/></testsuite>', "run.sh": "exit 0\n"}
    suite = run_suite(Pass(tmp_path).folder, files, command=("sh", "run.sh"), check_format="junit", reports=("*.xml",))
    assert not suite.results
    assert suite.message == "The check command ended with exit code 0 and left no report."


def test_the_table_of_the_documentation_is_what_is_tested():
    page = (ROOT / "docs" / "readers.md").read_text(encoding="utf-8")
    assert table() in page, "\n" + table()
