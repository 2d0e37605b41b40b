"""Ids survive models byte for byte; signatures are equal when the failure is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from change2task.checks.ids import to_model, to_runner
from change2task.checks.results import TestResult
from change2task.checks.signatures import LIMIT_BYTES, normalise

ANY_BYTES = st.binary(max_size=40).map(lambda data: data.decode("utf-8", "surrogateescape"))


@given(ANY_BYTES | st.text(max_size=40))
def test_any_id_comes_back_from_a_model_as_it_was(identity: str):
    result = TestResult(id=to_model(identity), outcome="passed")
    assert to_runner(TestResult.model_validate_json(result.model_dump_json()).id) == identity


@given(st.lists(ANY_BYTES, min_size=2, max_size=2, unique=True))
def test_different_ids_stay_different(pair: list[str]):
    assert to_model(pair[0]) != to_model(pair[1])


@given(st.text(max_size=40).filter(lambda text: not text.startswith('"')))
def test_ordinary_ids_stand_as_they_are(identity: str):
    assert to_model(identity) == identity


def test_an_id_with_an_open_quote_is_refused():
    with pytest.raises(ValueError, match="starts with a double quote"):
        to_runner('"abc')


@given(st.text(max_size=2000))
def test_a_signature_is_one_short_printable_line(text: str):
    signature = normalise(text)
    assert len(signature.encode()) <= LIMIT_BYTES
    assert signature.isprintable()
    assert normalise(signature) == signature


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("<object object at 0x7f00aa>", "<object object at 0x10>"),
        ("no /tmp/pytest-of-me/pytest-3/x0/file.txt", "no /tmp/other"),
        ("at 2024-01-02 03:04:05.678", "at 2025-11-12T13:14:15Z"),
        ("a  b", "a\tb"),
    ],
)
def test_what_changes_from_run_to_run_is_taken_out(one: str, other: str):
    assert normalise(one) == normalise(other)


@pytest.mark.parametrize(
    ("one", "other"), [("ValueError: 1", "ValueError: 2"), ("KeyError: 'a'", "KeyError: 'b'"), ("x", "y")]
)
def test_what_tells_failures_apart_stays(one: str, other: str):
    assert normalise(one) != normalise(other)
