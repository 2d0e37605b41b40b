"""Members that a source names by giving them a value or a type, and what only looks so."""

from __future__ import annotations

import pytest

from change2task.syntax.languages import Language
from change2task.syntax.members import assigned_members
from change2task.syntax.tokens import tokens
from change2task.syntax.units import units


def members(source: str) -> set[str]:
    content = source.encode()
    words, found = tokens(Language.PYTHON, content), units(Language.PYTHON, content)
    return set(assigned_members(content, words, found))


@pytest.mark.parametrize(
    ("source", "named"),
    [
        ("class A:\n    def f(self):\n        self.x = 1\n", {"x"}),
        ("class A:\n    def f(self):\n        self.x: int = 1\n", {"x"}),
        ("class A:\n    x = attr.ib(\n        type=bool,\n    )\n", {"A.x"}),
        ("class A:\n    x: int\n    y: str = 'a'\n", {"A.x", "A.y"}),
        ("f().x = 1\n", {"x"}),
        ("if self.x:\n    pass\n", set()),
        ("while not self.config.x: pass\n", set()),
        ("TABLE = {\n    kinds.x: 1,\n}\n", set()),
        ("f(\n    x=1,\n)\n", set()),
        ("x = 1\n", set()),
        ("class A:\n    def f(self, x=1):\n        y = 2\n        return lambda: self.z\n", set()),
        ("a.b == 1\n", set()),
    ],
)
def test_a_member_is_named_where_it_is_given_something(source: str, named: set[str]) -> None:
    assert members(source) == named
