"""Cases of parametrised tests as they are written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from change2task.syntax.python_cases import written_cases


def parametrized(
    values: str, names: str = '"one, two"', decorators: str = "", body: str = "def test_x(one, two): ..."
) -> bytes:
    return f"import pytest\n\n\n{decorators}@pytest.mark.parametrize({names}, {values})\n{body}\n".encode()


@pytest.mark.parametrize(
    ("values", "ids"),
    [
        ('[("a", 1), ("b", None)]', ["[a-1]", "[b-None]"]),
        ("[({}, [1]), ({2: 3}, ())]", ["[one0-two0]", "[one1-two1]"]),
        ('(("a", True), ["b", 1.5])', ["[a-True]", "[b-1.5]"]),
    ],
)
def test_ids_are_pytests(values, ids):
    assert list(written_cases(parametrized(values), "test_x")) == ids


def test_one_name_takes_each_value_whole():
    source = parametrized("[(1, 2), 'x']", names='"one"', body="def test_x(one): ...")
    assert list(written_cases(source, "test_x")) == ["[one0]", "[x]"]


def test_a_case_is_the_same_however_it_is_laid_out():
    plain = written_cases(parametrized("[({'a': 1}, 'b')]"), "test_x")
    other = written_cases(parametrized('[\n    (\n        {"a": 1},  # told\n        u"b",\n    ),\n]'), "test_x")
    assert plain == other


def test_a_method_is_found_in_its_class():
    body = "    def test_x(self, one): ..."
    source = b"import pytest\n\n\nclass TestY:\n    @pytest.mark.parametrize('one', [1])\n" + body.encode()
    assert list(written_cases(source, "TestY::test_x")) == ["[1]"]
    assert written_cases(source, "test_x") == {}


@pytest.mark.parametrize(
    "source",
    [
        parametrized("VALUES"),
        parametrized("[(f(), 1)]"),
        parametrized("[pytest.param(1, 2)]"),
        parametrized("[('a', 1), ('a', 1)]"),
        parametrized("[('é', 1)]"),
        parametrized("[(1, 2)], ids=['x']"),
        parametrized("[(1, 2)]", decorators="@pytest.mark.parametrize('three', [1])\n"),
        b"def test_x(one, two): ...\n",
        b"def test_x(:\n",
        b"\xff\0",
        parametrized("[(1, 2)]") + parametrized("[(1, 2)]"),
    ],
    ids=[
        "named",
        "called",
        "param",
        "twice",
        "escaped",
        "ids",
        "two marks",
        "none",
        "broken",
        "bytes",
        "two functions",
    ],
)
def test_what_cannot_be_told_for_sure_is_not_told(source):
    assert written_cases(source, "test_x") == {}


@given(st.binary(max_size=200))
def test_any_bytes_are_borne(source):
    assert written_cases(parametrized("[(1, 2)]") + source, "test_x") in (
        {},
        written_cases(parametrized("[(1, 2)]"), "test_x"),
    )
