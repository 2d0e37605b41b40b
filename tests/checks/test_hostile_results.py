"""Results folders as an enemy leaves them: the readers read what is ours, say what is odd, and never fail."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from change2task.checks import raw
from change2task.checks.reader import reader_for
from change2task.checks.results import Reading, SuiteResult
from tests.support.passes import NONCE, outcomes

PASSED = {"setup": ["passed", 0.1], "call": ["passed", 0.2], "teardown": ["passed", 0.3]}


def events(*described: dict[str, object], start: int = 0) -> bytes:
    lines = [json.dumps({"c2t": NONCE, "n": start + number, **event}) for number, event in enumerate(described)]
    return "".join(line + "\n" for line in lines).encode()


def one_test(identity: str, phases: object = PASSED) -> list[dict[str, object]]:
    return [{"e": "start", "id": identity}, {"e": "end", "id": identity, "phases": phases}]


def folder(path: Path, *rounds: bytes, complete: str = "finished") -> Path:
    path.mkdir(parents=True, exist_ok=True)
    for number, data in enumerate(rounds):
        (path / f"round.{number}.start").write_text("\n")
        (path / f"round.{number}.exit").write_text("0\n")
        (path / f"events.{number}").write_bytes(data)
    if complete:
        (path / "complete").write_text(complete + "\n")
    return path


def read(path: Path, check_format: str = "pytest") -> SuiteResult:
    return reader_for(check_format).read(path, NONCE).suite


def test_times_stand_beside_the_result(tmp_path: Path):
    reading = reader_for("pytest").read(folder(tmp_path, events(*one_test("a.py::x"))), NONCE)
    assert reading.timings.seconds["a.py::x"] == pytest.approx(0.6)
    assert "0.6" not in reading.suite.model_dump_json()


def test_events_of_another_pass_are_ignored_and_said(tmp_path: Path):
    foreign = events(*one_test("a.py::x")).replace(NONCE.encode(), b"another0nonce")
    suite = read(folder(tmp_path, foreign))
    assert suite.results == {}
    assert suite.notes == ("Round 0: 2 lines among the events are not ours.",)


def test_contradicting_results_count_as_the_worst(tmp_path: Path):
    failed = {"e": "phase", "id": "a.py::x", "when": "call", "outcome": "failed", "sig": "no"}
    first = [{"e": "start", "id": "a.py::x"}, failed, {"e": "end", "id": "a.py::x", "phases": PASSED}]
    suite = read(folder(tmp_path, events(*first), events(*one_test("a.py::x"))))
    assert outcomes(suite) == {"a.py::x": "failed"}


def test_a_passing_end_without_its_phases_is_no_pass(tmp_path: Path):
    for number, phases in enumerate(({}, {"setup": ["passed", 0]}, {**PASSED, "call": ["weird", 0]}, {"call": 3})):
        suite = read(folder(tmp_path / str(number), events(*one_test("a.py::x", phases))))
        assert outcomes(suite) == {"a.py::x": "error"}


def test_a_gap_in_the_numbers_is_no_verdict(tmp_path: Path):
    suite = read(folder(tmp_path, events({"e": "loaded"}) + events({"e": "finished"}, start=5)))
    assert "not one sequence" in (suite.harness_error or "")


def test_a_pass_cut_off_in_a_test_says_nothing_of_that_test(tmp_path: Path):
    path = folder(tmp_path, events({"e": "start", "id": "a.py::x"}), complete="")
    (path / "round.0.exit").unlink()
    suite = read(path)
    assert suite.results == {}
    assert suite.ending == "interrupted"


def test_the_mark_of_run_sh_alone_does_not_make_a_finished_pass(tmp_path: Path):
    suite = read(folder(tmp_path, events({"e": "loaded"})))
    assert not suite.finished
    assert suite.ending == "interrupted"


def test_an_empty_folder_is_an_interrupted_pass(tmp_path: Path):
    for check_format in ("pytest", "go"):
        suite = read(tmp_path, check_format)
        assert not suite.finished
        assert suite.ending == "interrupted"


@pytest.mark.parametrize("kind", ["link", "pipe", "folder", "too long"])
@pytest.mark.parametrize("check_format", ["pytest", "go"])
def test_events_that_are_no_file_are_no_verdict(
    tmp_path: Path, kind: str, check_format: str, monkeypatch: pytest.MonkeyPatch
):
    path = folder(tmp_path, b"x" * 100)
    target = path / "events.0"
    if kind == "too long":
        monkeypatch.setattr(raw, "EVENT_BYTES", 99)
    else:
        target.unlink()
    if kind == "link":
        target.symlink_to("/etc/passwd")
    elif kind == "pipe":
        os.mkfifo(target)
    elif kind == "folder":
        target.mkdir()
    assert "events.0 in the results" in (read(path, check_format).harness_error or "")


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from(["call", "\udcff", 10**400]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
KINDS = st.sampled_from(
    ["start", "end", "phase", "ids", "gather", "gathered", "aborted", "finished", "go", "package", "alone", "listed"]
)
FIELDS = st.sampled_from(["id", "ids", "file", "when", "outcome", "phases", "sig", "failed", "part", "package", "dir"])
OURS = st.builds(
    lambda kind, fields: {"c2t": NONCE, "e": kind, **fields}, KINDS, st.dictionaries(FIELDS, VALUES, max_size=5)
)
GO_FIELDS = st.sampled_from(["Action", "Package", "Test", "Output", "Elapsed", "FailedBuild", "ImportPath"])
GO = st.builds(lambda action, fields: {**fields, "Action": action}, VALUES, st.dictionaries(GO_FIELDS, VALUES))
LINES = st.one_of(
    st.binary(max_size=20),
    OURS.map(lambda event: json.dumps(event).encode()),
    GO.map(lambda event: json.dumps(event).encode()),
    st.just(b"[" * 100_000),
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(lines=st.lists(LINES, max_size=8), check_format=st.sampled_from(["pytest", "go"]))
def test_no_line_whatever_makes_a_reader_fail(tmp_path: Path, lines: list[bytes], check_format: str):
    reading = reader_for(check_format).read(folder(tmp_path, b"\n".join(lines)), NONCE)
    assert Reading.model_validate_json(reading.model_dump_json()) == reading
