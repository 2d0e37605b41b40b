from __future__ import annotations

import pytest

from change2task.syntax.languages import Language
from change2task.syntax.strings import strings
from change2task.syntax.tokens import tokens


@pytest.mark.parametrize(
    ("source", "wholes", "parts"),
    [
        ("a = 'x y'", ["x y"], [["x y"]]),
        ("a = ('x '\n     'y')  # z\n", ["x y"], [["x y"]]),
        ("a = f'x {y!r} z'", ["x {y!r} z"], [["x ", " z"]]),
        ("a = f'x {b[\"k\"]}' ' z'", ["k", 'x {b["k"]} z'], [["k"], ["x ", " z"]]),
        ("a = 'x', 'y'", ["x", "y"], [["x"], ["y"]]),
        (r"a = 'x\n y'", [r"x\n y"], [[r"x\n y"]]),
    ],
    ids=["plain", "side by side", "filled in", "nested", "two", "escape"],
)
def test_a_string_is_what_the_program_has_of_it(source: str, wholes: list[str], parts: list[list[str]]) -> None:
    found = list(strings(source.encode(), tokens(Language.PYTHON, source.encode())))
    assert [one.whole for one in found] == wholes
    assert [[part for part in one.parts if part] for one in found] == parts


def test_a_grammar_without_pieces_gives_each_string_as_it_is_written() -> None:
    source = b'package p\n\nvar a = errors.New("no such file")\n'
    found = strings(source, tokens(Language.GO, source))
    assert "no such file" in [one.whole.strip('"') for one in found]
