from __future__ import annotations

import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from change2task.history.forge import ForgeExportInvalid, parse_forge_export

OID = "a" * 40


def test_the_shape_of_gh_pr_list_is_read() -> None:
    export = [
        {
            "number": 7,
            "title": "Handle empty names",
            "body": "They crash.",
            "labels": [{"id": "x", "name": "bug"}, {"name": "good first issue"}],
            "mergeCommit": {"oid": OID},
            "headRefOid": "b" * 40,
            "author": {"login": "ada"},
        },
        {"number": 8, "title": "Open", "body": None, "mergeCommit": None, "labels": []},
    ]
    records = parse_forge_export(json.dumps(export).encode())
    assert set(records) == {7, 8}
    assert records[7].labels == ("bug", "good first issue")
    assert records[7].landed == (OID,)
    assert records[7].head == "b" * 40
    assert (records[8].body, records[8].landed) == ("", ())


def test_the_shape_of_gitlabs_merge_requests_is_read() -> None:
    export = [
        {
            "id": 991,
            "iid": 3,
            "title": "Add a thing",
            "description": "Because.",
            "labels": ["feature"],
            "merge_commit_sha": OID,
            "squash_commit_sha": "c" * 40,
            "sha": "b" * 40,
            "diff_refs": {"base_sha": "d" * 40, "head_sha": "b" * 40, "start_sha": "e" * 40},
        }
    ]
    record = parse_forge_export(json.dumps(export).encode())[3]
    assert record.title == "Add a thing"
    assert record.landed == (OID, "c" * 40)
    assert (record.head, record.start) == ("b" * 40, "d" * 40)


def test_the_shape_of_githubs_rest_api_and_a_single_request_are_read() -> None:
    document = {"number": 5, "title": "t", "body": "b", "merge_commit_sha": OID, "head": {"sha": "b" * 40}}
    record = parse_forge_export(json.dumps(document).encode())[5]
    assert (record.landed, record.head) == ((OID,), "b" * 40)


def test_a_byte_order_mark_is_no_fault() -> None:
    assert parse_forge_export(b'\xef\xbb\xbf[{"number": 1, "title": "t"}]')[1].title == "t"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"not json", "not JSON"),
        (b'"text"', "a list of requests"),
        (b"[" * 100_000, "not JSON"),
        (b"\xff\xfe", "not JSON"),
        (b'[{"number": 1, "title": "t"}, {"title": "t"}]', "position 1"),
        (b'[{"number": "x", "title": "t"}]', "number"),
        (b"[3]", "position 0"),
    ],
)
def test_a_fault_names_the_file_the_record_and_the_way_out(content: bytes, words: str) -> None:
    with pytest.raises(ForgeExportInvalid, match=words) as caught:
        parse_forge_export(content, "prs.json")
    assert str(caught.value).startswith("prs.json: ")


def test_a_body_of_a_megabyte_is_bounded() -> None:
    export = [{"number": 1, "title": "t", "body": "x" * 1_000_000}]
    assert len(parse_forge_export(json.dumps(export).encode())[1].body) == 65_536


@given(st.binary(max_size=200))
def test_any_bytes_are_an_export_or_a_named_fault(content: bytes) -> None:
    with contextlib.suppress(ForgeExportInvalid):
        parse_forge_export(content)
