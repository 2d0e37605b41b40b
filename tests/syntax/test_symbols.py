"""Lines belong to the innermost definition that holds them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from change2task.syntax.languages import Language
from change2task.syntax.symbols import names_defined, names_used, symbols_touched

PYTHON = Language.PYTHON
SOURCE = b'''import os

LIMIT, OTHER = 1, 2

# about A
class A:
    """Doc."""

    @property
    def value(self):
        def inner():
            return os.name

        return inner()


def main(): print(A().value)
'''


def test_a_line_touches_the_innermost_unit() -> None:
    assert symbols_touched(PYTHON, SOURCE, [12]) == ("A.value.<locals>.inner",)
    assert symbols_touched(PYTHON, SOURCE, [14]) == ("A.value",)
    assert symbols_touched(PYTHON, SOURCE, [7]) == ("A",)


def test_decorators_and_attached_comments_touch_their_unit() -> None:
    assert symbols_touched(PYTHON, SOURCE, [5, 9]) == ("A", "A.value")


def test_names_bound_together_are_touched_together() -> None:
    assert symbols_touched(PYTHON, SOURCE, [3]) == ("LIMIT", "OTHER")


def test_imports_and_blank_lines_touch_nothing() -> None:
    assert symbols_touched(PYTHON, SOURCE, [1, 2, 4, 16]) == ()


def test_units_sharing_a_line_are_all_touched() -> None:
    assert symbols_touched(Language.JAVASCRIPT, b"function a(){} function b(){ function c(){} }", [1]) == (
        "a",
        "b.<locals>.c",
    )


def test_names_are_read_from_code_only() -> None:
    assert names_defined(PYTHON, SOURCE) == {"LIMIT", "OTHER", "A", "value", "inner", "main"}
    assert {"os", "name", "print", "property"} <= names_used(PYTHON, SOURCE)
    assert not {"Doc", "about"} & names_used(PYTHON, SOURCE)


@given(st.sampled_from(list(Language)), st.binary(max_size=200), st.lists(st.integers(-5, 50)))
def test_any_lines_of_any_bytes_have_an_answer(language: Language, source: bytes, lines: list[int]) -> None:
    assert set(symbols_touched(language, source, lines)) <= {*symbols_touched(language, source, range(500))}
