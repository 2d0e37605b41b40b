"""Two sources are the same code when only layout and comments differ."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from change2task.syntax.languages import Language
from change2task.syntax.tokens import same_code, tokens

PYTHON = Language.PYTHON


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        (PYTHON, b"if a:\n  b\n  c\n", b"if a:\n    b  # why\n\n    # how\n    c\n"),
        (PYTHON, b"x = f(1,\n  2)\n", b"x = f(1, 2)\r\n"),
        (PYTHON, b"x = a + \\\n    b\n", b"x = a + b\n"),
        (Language.GO, b"package a\nfunc f() { a() }\n", b"package a\n\n// doc\nfunc f() {\n\ta()\n}\n"),
        (Language.JAVASCRIPT, b"f(1);", b"f( 1 ) ; // c\n"),
        (Language.RUST, b"fn f() { a(); }", b"/// doc\nfn f() {\n    a();\n}\n"),
        (Language.JAVA, b"class A { int x; }", b"/** A */\nclass A {\n  int x;\n}\n"),
    ],
)
def test_layout_and_comments_are_no_code(language: Language, one: bytes, other: bytes) -> None:
    assert same_code(language, one, other)


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        (PYTHON, b"if a:\n  b\n  c\n", b"if a:\n  b\nc\n"),
        (PYTHON, b"if a:\n  if b:\n    c\n  d\n", b"if a:\n  if b:\n    c\n    d\n"),
        (PYTHON, b"f\n(x)\n", b"f(x)\n"),
        (PYTHON, b"x = 'a b'\n", b"x = 'a  b'\n"),
        (PYTHON, b"x = ' '\n", b"x = '  '\n"),
        (PYTHON, b"@a\ndef f(): pass\n", b"@b\ndef f(): pass\n"),
        (PYTHON, b"def f():\n  'd'\n", b"def f():\n  'e'\n"),
        (Language.JAVASCRIPT, b"function f() { return\nx }", b"function f() { return x }"),
        (Language.JAVASCRIPT, b"x = `a b`", b"x = `a  b`"),
        (Language.GO, b'package a\nvar x = "a"\n', b'package a\nvar x = "b"\n'),
    ],
)
def test_a_change_of_meaning_is_a_change_of_code(language: Language, one: bytes, other: bytes) -> None:
    assert not same_code(language, one, other)


def test_docstrings_are_left_out_on_request_only() -> None:
    one = b'"""Module."""\nclass A:\n    # c\n    """Doc."""\n    def f(self):\n        "x"\n        return "x"\n'
    other = one.replace(b"Module", b"File").replace(b"Doc", b"Docs").replace(b'        "x"', b'        "y"')
    assert not same_code(PYTHON, one, other)
    assert same_code(PYTHON, one, other, docstrings=False)
    assert not same_code(PYTHON, one, one.replace(b'return "x"', b'return "y"'), docstrings=False)


def test_tokens_are_the_leaves_without_comments() -> None:
    assert [token.text for token in tokens(PYTHON, b"x = f'a{b}'  # c\n")] == [
        b"x",
        b"=",
        b"f'",
        b"a",
        b"{",
        b"b",
        b"}",
        b"'",
    ]


@given(st.sampled_from(list(Language)), st.binary(max_size=200))
def test_any_bytes_are_the_same_as_themselves(language: Language, source: bytes) -> None:
    copy = bytes(bytearray(source))
    assert same_code(language, source, copy)
    for token in tokens(language, source):
        assert token.text in source
