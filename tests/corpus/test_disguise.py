"""Disguised sources read differently and behave the same."""

from __future__ import annotations

import importlib.util
import inspect
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from change2task.corpus.disguise import disguised

OWN = b"def f(x):\n    return x <= 0\n"
OTHER = b"def f(x):\n    return x < 0  # \\\n"


def test_the_other_text_stands_behind_as_comments():
    text = disguised(b"a.py", OWN, OTHER)
    assert text.startswith(OWN)
    assert b"# " in text
    assert b"return x < 0" in text


def test_what_was_only_in_one_text_is_in_both():
    for own, other in ((OWN, OTHER), (OTHER, OWN)):
        assert b"x <= 0" in disguised(b"a.py", own, other)


@settings(deadline=None, max_examples=60)
@given(st.binary(max_size=200))
def test_python_means_the_same_whatever_the_other_text_is(other: bytes):
    space: dict[str, object] = {}
    exec(compile(disguised(b"a.py", OWN, other), "a.py", "exec"), space)
    assert set(space) - {"__builtins__"} == {"f"}


def test_a_comment_never_declares_the_encoding():
    assert compile(disguised(b"a.py", b"", b"# coding: no-such-code\n"), "a.py", "exec")


@pytest.mark.parametrize("other", ["// \\u000a int x;", "a\rb", "a\u2028b", "a\\\nb", "*/ x /*"])
@pytest.mark.parametrize("path", [b"A.java", b"a.js", b"a.go", b"a.rs"])
def test_nothing_of_the_other_text_leaves_its_comment(path: bytes, other: str):
    own = b"package a\n" if path == b"a.go" else b""
    lines = disguised(path, own, other.encode()).removeprefix(own).lstrip(b"\n").split(b"\n")
    assert all(line.startswith(b"// ") for line in lines if line)
    assert b"\\" not in b"".join(lines)


def test_what_has_no_comments_stays():
    assert disguised(b"a.json", b"{}", b"[]") == b"{}"
    assert disguised(b"a.py", OWN, b"") == OWN


def test_a_last_line_without_an_end_gets_one():
    assert disguised(b"a.py", b"x = 1", b"y = 2") == b"x = 1\n\n\n# y = 2\n"


OURS = b"""class A:
    @staticmethod
    def f(x):
        if x:
            return 1
        return 2  # two


def g(): return "old words"
"""
THEIRS = OURS.replace(b"return 1", b"return str(x)").replace(b"old words", b"new words")


def test_what_inspect_reads_of_a_function_holds_both_forms(tmp_path: Path) -> None:
    path = tmp_path / "disguised_module.py"
    path.write_bytes(disguised(b"disguised_module.py", OURS, THEIRS))
    spec = importlib.util.spec_from_file_location("disguised_module", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)

    read = inspect.getsource(module.A.f)
    assert "return 1" in read
    assert "return str(x)" in read
    assert (module.A.f(True), module.A.f(False), module.g()) == (1, 2, "old words")


def test_functions_that_are_alike_are_left_alone() -> None:
    assert disguised(b"a.py", OURS, OURS).startswith(OURS)
