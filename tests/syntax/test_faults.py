"""A constructed file is refused when it is not well formed, and only then."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from change2task.syntax.faults import new_syntax_errors, parses, syntax_errors
from change2task.syntax.languages import Language, language_of

PYTHON = Language.PYTHON


@pytest.mark.parametrize(
    ("path", "head", "expected"),
    [
        (b"src/pkg/a.py", b"", Language.PYTHON),
        (b"stubs/a.pyi", b"", Language.PYTHON),
        (b"a/B.JAVA", b"", Language.JAVA),
        (b"x.mts", b"", Language.TYPESCRIPT),
        (b"x.tsx", b"", Language.TSX),
        (b"bin/run", b"#!/usr/bin/env -S python3 -u\n", Language.PYTHON),
        (b"bin/run", b"#!/usr/bin/node\n", Language.JAVASCRIPT),
        (b"bin/run", b"#!/bin/sh\n", None),
        (b"setup.cfg", b"#!/usr/bin/python\n", None),
        (b".py", b"", None),
        (b"Makefile", b"", None),
    ],
)
def test_a_language_is_told_by_extension_then_by_the_first_line(
    path: bytes, head: bytes, expected: Language | None
) -> None:
    assert language_of(path, head) is expected


@pytest.mark.parametrize(
    ("language", "source"),
    [
        (PYTHON, b"class A:\n    def f(self) -> int:\n        return 1\n"),
        (PYTHON, b"match x:\n    case 1: pass\n    case _:\n        y = f'{a!r:>{w}}'\n"),
        (PYTHON, b"def f[T](x: T): ...\r\ntype X = int\r\n"),
        (PYTHON, b"\xef\xbb\xbfx = 1\n\x0c\n\x0cclass A:\n    pass\n"),
        (PYTHON, b"if x: a; b\nelse:\n   c\n   d\n"),
        (PYTHON, b"x = 1 + \\\n        2\nif a: pass\n"),
        (PYTHON, b""),
        (Language.GO, b"package a\n\nfunc (m *T[K]) F() {}\n"),
        (Language.RUST, b"#[test]\nfn t() { assert!(x == 1); }\n"),
        (Language.TSX, b"const a = <b>{c}</b>;\n"),
        (Language.JAVA, b"record R(int a) { R { } }\n"),
    ],
)
def test_good_sources_parse(language: Language, source: bytes) -> None:
    assert syntax_errors(language, source) == ()


@pytest.mark.parametrize(
    ("source", "line", "kind"),
    [
        (b"x = 1\ndef f(:\n    pass\n", 2, "missing"),
        (b"def f():\n\nx = 1\n", 1, "empty"),
        (b"if a:\n    # nothing\nx = 1\n", 1, "empty"),
        (b"if a:\n    b\n      c\n", 3, "indent"),
        (b"def f():\n    a\n  b\n", 3, "indent"),
        (b"  x = 1\n", 1, "indent"),
        (b"x = 1\n<<<<<<< ours\ny = 2\n=======\n", 2, "error"),
    ],
)
def test_a_python_fault_says_where_and_what(source: bytes, line: int, kind: str) -> None:
    faults = syntax_errors(PYTHON, source)
    assert (line, kind) in {(fault.line, fault.kind) for fault in faults}


def test_a_fault_that_was_there_before_is_not_new_even_if_it_moved() -> None:
    before = b"def f(:\n    pass\n"
    assert new_syntax_errors(PYTHON, before, b"x = 1\ny = 2\n\n\n" + before) == ()


def test_a_fault_in_a_new_file_is_new() -> None:
    assert [fault.line for fault in new_syntax_errors(PYTHON, None, b"if a:\n")] == [1]


@given(st.sampled_from(list(Language)), st.binary(max_size=300))
def test_any_bytes_get_an_answer(language: Language, source: bytes) -> None:
    assert parses(language, source) in (True, False)


@pytest.mark.parametrize(
    ("source", "faults"),
    [
        (b"try:\n    a()\n\nb()\n", 1),
        (b"try:\n    a()\nexcept OSError:\n    b()\n", 0),
        (b"try:\n    a()\nfinally:\n    b()\n", 0),
        (b"try:\n    a()\nexcept* OSError:\n    b()\n", 0),
    ],
)
def test_a_try_without_handlers_is_a_fault(source, faults):
    assert len(syntax_errors(Language.PYTHON, source)) == faults
