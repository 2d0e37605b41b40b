"""Names of a Python module by the compiler's own scopes."""

from __future__ import annotations

import pytest

from change2task.syntax.python_names import module_names, unbound_names


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("import a.b, c as d\nfrom e import f\n", {"a", "d", "f"}),
        ("X = Y = 1\n(p, q), *r = x\n", {"X", "Y", "p", "q", "r"}),
        ("def f(): pass\nclass C:\n    m = 1\n", {"f", "C"}),
        ("def f():\n    global G\n    G = 1\n", {"f", "G"}),
        ("try:\n    import a\nexcept ImportError:\n    a = None\n", {"a"}),
        ("for i in x:\n    pass\nwith y as z:\n    pass\n", {"i", "z"}),
    ],
)
def test_what_a_module_binds(source: str, names: set[str]) -> None:
    assert module_names(source.encode()) == names


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("f(1)\n", {"f"}),
        ("def g(a, b=c):\n    return a + b + d\n", {"c", "d"}),
        ("def g():\n    x = 1\n    return [x for x in range(len(x))]\n", set()),
        ("class C:\n    m = n\n    def f(self):\n        return m\n", {"n", "m"}),
        ("print(len([]), __name__, __file__)\n", {"__name__"} - {"__name__"}),
        ("x: Later\n", {"Later"}),
    ],
)
def test_what_nothing_binds(source: str, names: set[str]) -> None:
    assert unbound_names(source.encode()) == names


@pytest.mark.parametrize("source", [b"def broken(:\n", b"\xff\xfe", b"x = 1\x00", b"from a import *\nf()\n"])
def test_what_cannot_be_told_is_not_guessed(source: bytes) -> None:
    assert module_names(source) is None
    assert unbound_names(source) == frozenset()
