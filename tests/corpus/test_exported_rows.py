"""Rows for SWE-bench and rows of our own, and an OCI layout: what they hold, and what has no such shape."""

from __future__ import annotations

import hashlib
import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from change2task.api.taskvariant import Check, OutputContract
from change2task.corpus.exports.oci import artefact, layout
from change2task.corpus.exports.rows import RowPatch, TaskRow, task_row
from change2task.corpus.exports.swebench import END, START, log_of, swebench_row, wire
from change2task.corpus.exports.task import File, NotExportable
from change2task.corpus.verdicts import Grade
from tests.support.exporting import RIGHT, task


def as_parsed(line: str) -> tuple[str, str]:
    """What SWE-bench's parse_log_pytest_v2 (5.0.2) takes out of a line that begins with a status."""
    line = re.sub(r"\[(\d+)m", "", line).translate(str.maketrans("", "", "".join(map(chr, range(1, 32)))))
    if line.startswith("FAILED"):
        line = line.split(" - ", 1)[0]
    first, *rest = line.split()
    return " ".join(rest), first


@given(st.text(min_size=1).filter(lambda text: text.strip() and "\0" not in text))
def test_every_id_comes_back_from_a_log_as_it_stands_in_the_row(identity: str) -> None:
    wired = wire(identity)
    assert "\n" not in wired
    for status in ("PASSED", "FAILED"):
        assert as_parsed(f"{status} {wired}") == (wired, status)


def test_ids_that_survive_anyway_stand_as_they_are() -> None:
    for identity in ("tests/a.py::t", "tests/a.py::t[a b-%Y]", "tests/a.py::t[é]"):
        assert wire(identity) == identity


def test_a_row_has_what_the_harness_asks_for() -> None:
    row = swebench_row(task(), ("x__y-1",))
    assert row["instance_id"].startswith("ada__pkg-tv-")
    assert row["repo"] == "ada/pkg"
    assert row["patch"] == RIGHT.decode()
    assert row["FAIL_TO_PASS"] == ["tests/test_core.py::test_hidden"]
    assert row["PASS_TO_PASS"] == ["tests/test_core.py::test_case%5Ba%20%20b]", "tests/test_core.py::test_old"]
    assert row["change2task"]["overlaps"] == ["x__y-1"]
    assert f": '{START}'" in row["eval_script"]
    assert row["eval_script"].index("git apply") < row["eval_script"].index(START)


def test_what_has_no_such_shape_is_refused_with_the_reason() -> None:
    tests = OutputContract(output="tests", permitted=("tests/**",), protected=())
    with pytest.raises(NotExportable, match="its answer is tests"):
        swebench_row(task(output=tests), ())
    checks = task().variant.spec.checks
    static = Check(id="api", kind="static", role="target")
    with pytest.raises(NotExportable, match="no tests, such as api"):
        swebench_row(task(checks=checks.replacing(targets=(*checks.targets, static))), ())


def test_ids_that_no_log_tells_apart_are_refused() -> None:
    checks = task().variant.spec.checks
    alike = tuple(Check(id=name, role="target") for name in ("t[a  b]", "t%5Ba%20%20b]"))
    with pytest.raises(NotExportable, match="cannot be told apart"):
        swebench_row(task(checks=checks.replacing(targets=alike)), ())


def graded(outcomes: dict[str, str]) -> Grade:
    return Grade(
        variant="tv-x", solved=not outcomes, message="", targets=1, regression=2, counted=(), put_back=(),
        outcomes=outcomes,
    )  # fmt: skip


def test_a_log_says_of_each_test_what_the_grade_says() -> None:
    one = task()
    good = log_of(graded({}), one.variant, one.regression)
    assert "PASSED tests/test_core.py::test_hidden\n" in good
    assert "PASSED tests/test_core.py::test_case%5Ba%20%20b]\n" in good
    bad = log_of(graded({"tests/test_core.py::test_hidden": "missing"}), one.variant, one.regression)
    assert "FAILED tests/test_core.py::test_hidden\n" in bad
    assert START in bad
    assert END in bad


def test_a_row_of_ours_reads_back_and_holds_the_patches() -> None:
    row = task_row(task(), ())
    assert TaskRow.model_validate_json(row.canonical()) == row
    assert row.solution_patch.data.encode() == RIGHT
    assert row.base.root_commit != row.base.commit
    assert RowPatch.of(b"\xff").encoding == "base64"


def test_a_layout_is_content_addressed_whole_and_named() -> None:
    one, first = artefact("tv-1", b"{}", {"a/b.sh": File(b"x", executable=True)})
    other, second = artefact("tv-2", b"{}", {})
    files = {**one, **other, **layout([first, second])}
    blobs = {name.removeprefix("blobs/sha256/"): f.content for name, f in files.items() if name.startswith("blobs/")}
    assert all(hashlib.sha256(content).hexdigest() == digest for digest, content in blobs.items())
    index = json.loads(files["index.json"].content)
    assert [m["annotations"]["org.opencontainers.image.ref.name"] for m in index["manifests"]] == ["tv-1", "tv-2"]
    for entry in index["manifests"]:
        manifest = json.loads(blobs[entry["digest"].removeprefix("sha256:")])
        for blob in (manifest["config"], *manifest["layers"]):
            assert len(blobs[blob["digest"].removeprefix("sha256:")]) == blob["size"]
