"""A test pins a number where it compares with it or looks at its place; none and one are no such number."""

from __future__ import annotations

import pytest

from change2task.syntax.languages import Language
from change2task.syntax.pinned import pinned_numbers


@pytest.mark.parametrize(
    ("language", "source", "numbers"),
    [
        (Language.PYTHON, b"assert len(f.tokens) == 4", {"4"}),
        (Language.PYTHON, b"assert -12.5 <= total(x)", {"12.5"}),
        (Language.PYTHON, b"assert f.tokens[3].tokens[-2]", {"3", "2"}),
        (Language.PYTHON, b"self.assertEqual(len(found), 7)", {"7"}),
        (Language.PYTHON, b"assert len(found) == 1 and found[0] and not found[-1]", set()),
        (Language.PYTHON, b"x = run([3], retries=5, 6)", set()),
        (Language.PYTHON, b'assert name == "4"  # not 5', set()),
        (Language.GO, b"func TestA(t *testing.T) { if got != 42 { t.Fatal() } }", {"42"}),
        (Language.JAVASCRIPT, b"expect(calls).toHaveLength(3); f(9)", {"3"}),
        (Language.RUST, b"fn a() { assert_eq!(count(), 5); }", {"5"}),
        (Language.JAVA, b"class A { void a() { assertEquals(6, list.size()); } }", {"6"}),
    ],
)
def test_pinned_numbers(language: Language, source: bytes, numbers: set[str]) -> None:
    assert pinned_numbers(language, source) == numbers
