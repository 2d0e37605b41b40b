"""Rows of benchmark files, and the faults of those that are none: each with its line and field."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from change2task.api.taskcandidate import Family
from change2task.history.benchmarks.formats import FORMATS, Imported, imported
from change2task.history.benchmarks.rows import Row, RowFault, RowsUnreadable, read_rows


def one(form: str, **fields: Any) -> Imported | RowFault:
    return imported(Row(3, fields), form)


def test_lines_are_counted_and_a_broken_one_costs_itself_alone() -> None:
    rows = list(read_rows(b'{"a": 1}\n\n{"a": \n[1]\n{"a": 2}', "rows.jsonl"))
    assert [row.line for row in rows] == [1, 3, 4, 5]
    assert [isinstance(row, RowFault) for row in rows] == [False, True, True, False]


def test_one_json_list_is_rows_by_position() -> None:
    assert [row.line for row in read_rows(b'[{"a": 1}, 2]', "rows.json")] == [1, 2]


def test_yaml_keeps_ids_of_digits_as_text_and_knows_its_lines() -> None:
    rows = list(read_rows(b"commit: 1234567\nsource: a\n---\ncommit: 1e10000\n", "rows.yaml"))
    assert [(row.line, row.fields["commit"]) for row in rows if isinstance(row, Row)] == [
        (1, "1234567"),
        (4, "1e10000"),
    ]


@pytest.mark.parametrize(
    ("content", "name", "said"),
    [
        (b"PAR1\xff\xfe", "rows.parquet", "Parquet; export it as JSON lines"),
        (b"\xff\xfe", "rows.jsonl", "not UTF-8"),
        (b"[1, 2", "rows.json", "begins like a JSON list"),
        (b"a: [1", "rows.yaml", "no YAML"),
        (b"a: &x [1]\nb: *x\n", "rows.yaml", "aliases"),
        (b"a: " + b"[" * 100_000, "rows.yaml", "no YAML"),
    ],
)
def test_a_file_without_rows_is_refused_as_a_whole(content: bytes, name: str, said: str) -> None:
    with pytest.raises(RowsUnreadable, match=said):
        list(read_rows(content, name))


def test_a_row_of_swe_bench_names_its_request_and_the_commit_before() -> None:
    row = one(
        "swe-bench",
        repo="pallets/click",
        instance_id="pallets__click-1846",
        base_commit="a" * 40,
        patch="diff --git a/src/click/core.py b/src/click/core.py\n--- a/src/click/core.py\n",
        test_patch="diff --git a/tests/test_core.py b/tests/test_core.py\n",
        problem_statement="Crash on empty input (#12)\n\nIt crashes.\n",
        version="8.0",
    )
    assert isinstance(row, Imported)
    assert (row.repository, row.number, row.before) == ("pallets/click", 1846, "a" * 40)
    assert row.paths == {"src/click/core.py", "tests/test_core.py"}
    assert row.intent is not None
    assert (row.intent.title, row.intent.body) == ("Crash on empty input", "It crashes.")


def test_a_row_of_another_kin_has_organisation_and_base_apart() -> None:
    row = one("swe-bench", org="cli", repo="cli", number=12, base={"sha": "b" * 40})
    assert isinstance(row, Imported)
    assert (row.repository, row.number, row.before) == ("cli/cli", 12, "b" * 40)


def test_a_row_of_pymigbench_is_a_migration() -> None:
    row = one("pymigbench", repo="a/b", commit="c" * 40, source="flask", target="quart", id="x")
    assert isinstance(row, Imported)
    assert (row.commit, row.family) == ("c" * 40, Family.API_MIGRATION)
    assert row.intent is not None
    assert row.intent.title == "Migrate from flask to quart"


def test_a_line_of_our_own_says_a_commit_or_a_request() -> None:
    row = one("jsonl", repository="https://git.example.org/a", commit="abcdef1", family="bugfix")
    assert isinstance(row, Imported)
    assert (row.repository, row.commit, row.family) == ("https://git.example.org/a", "abcdef1", Family.BUG_FIX)


@pytest.mark.parametrize(
    ("form", "fields", "field", "said"),
    [
        ("swe-bench", {"instance_id": "a__b-1"}, "repository", "missing"),
        ("swe-bench", {"repo": "a/b"}, "base_commit", "missing"),
        ("swe-bench", {"repo": "a/b", "base_commit": "--all"}, "base_commit", "is no commit's id"),
        ("swe-bench", {"repo": 5, "base_commit": "a" * 40}, "repo", "neither OWNER/NAME nor a URL"),
        ("pymigbench", {"repo": "a/b", "commit": "a" * 40, "source": "x"}, "target", "missing"),
        ("pymigbench", {"repo": "a/b", "commit": "a" * 40, "source": [1], "target": "y"}, "source", "text is"),
        ("jsonl", {"repository": "a/b"}, "commit", "commit or pullRequest"),
        ("jsonl", {"repository": "a/b", "pullRequest": "soon"}, "pullRequest", "no request's number"),
        ("jsonl", {"repository": "a/b", "pullRequest": True}, "pullRequest", "no request's number"),
        ("jsonl", {"repository": "a/b", "commit": "a" * 40, "family": "Feature"}, "family", "is none of"),
    ],
)  # fmt: skip
def test_a_field_that_is_wrong_is_named(form: str, fields: dict[str, Any], field: str, said: str) -> None:
    fault = imported(Row(3, fields), form)
    assert isinstance(fault, RowFault)
    assert (fault.line, fault.field) == (3, field)
    assert said in fault.reason


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda x: st.lists(x) | st.dictionaries(st.text(), x),
)
_FIELDS = st.sampled_from(
    ["repo", "instance_id", "base_commit", "commit", "source", "target", "number", "family", "patch"]
)


@settings(deadline=None)
@given(st.dictionaries(_FIELDS, _JSON), st.sampled_from(sorted(FORMATS)))
def test_no_row_whatever_it_holds_is_more_than_a_fault(fields: dict[str, Any], form: str) -> None:
    assert isinstance(imported(Row(1, fields), form), Imported | RowFault)


@settings(deadline=None)
@given(
    st.binary() | st.text().map(str.encode) | _JSON.map(lambda v: json.dumps(v).encode()),
    st.sampled_from(["a.jsonl", "a.yaml"]),
)
def test_no_file_whatever_it_holds_is_more_than_unreadable(content: bytes, name: str) -> None:
    try:
        list(read_rows(content, name))
    except RowsUnreadable:
        return
