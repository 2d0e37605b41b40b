"""Statements that grew out of lines which the change only added, told by the names that it coined."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from change2task.construct.resolve.clash import Clash, Settled
from change2task.construct.resolve.coined import coined
from change2task.construct.resolve.menus import ALL
from change2task.construct.resolve.nested import nested
from change2task.construct.resolve.stack import Unmergeable, merge
from change2task.syntax.languages import Language


def lines(text: str) -> tuple[bytes, ...]:
    return tuple(text.encode().splitlines(keepends=True))


BEFORE = """def find(names):
    found = []
    for name in names:
        found.append(name)
    return found
"""
AFTER = """def find(names):
    ignored = {"readme"}
    found = []
    for name in names:
        if name in ignored:
            continue
        found.append(name)
    return found
"""
LATER = """def find(names):
    ignored = {
        "readme",
        "license",
    }
    if names.template:
        # Templates may lie beside.
        ignored.add(names.template)
    found = []
    for name in names:
        if any(
            match(name, pattern)
            for pattern in ignored
        ):
            continue
        found.append(name)
    return found
"""


def test_what_grew_around_a_coined_name_goes_with_what_it_stood_for():
    merged = merge(AFTER.encode(), LATER.encode(), BEFORE.encode(), ALL, language=Language.PYTHON)
    assert merged.content.decode() == BEFORE


def clash(base: str, ours: str, theirs: str = "", names: str = "ignored") -> Clash:
    return Clash(lines(base), lines(ours), lines(theirs), coined=frozenset({names.encode()}))


@pytest.mark.parametrize(
    ("ours", "left"),
    [
        ("x = 1\nignored = [\n    2,\n]\ny = 3\n", "x = 1\ny = 3\n"),
        ("if x:\n    ignored.add(1)\n    keep()\n", "if x:\n    keep()\n"),
        ("if x:\n    ignored.add(1)\nkeep()\n", "keep()\n"),
        ("if (x) {\n    ignored.add(1);\n    keep();\n}\n", "if (x) {\n    keep();\n}\n"),
        ("if (ignored(x)) {\n    one();\n}\nkeep();\n", "keep();\n"),
        ("ignored_too = 1\nignored = 2\n", "ignored_too = 1\n"),
        ("# ignored: said\nkeep()\n", "keep()\n"),
        ("own_and_never_else()\nignored = 1\nother()\n", "other()\n"),
        ("return False\nignored = 1\n", "return False\n"),
    ],
    ids=["brackets", "inside", "emptied", "braces", "head", "word", "comment", "as added", "by chance"],
)
def test_statements_that_use_it_go_and_nothing_else(ours: str, left: str):
    assert coined(clash("own_and_never_else()\nignored = 1\nreturn False\n", ours)) == Settled(
        lines(left), "statements that use what the change coined taken away"
    )


@pytest.mark.parametrize(
    ("base", "ours", "theirs"),
    [
        ("ignored = 1\n", "if ignored:\n    a()\nelse:\n    b()\n", ""),
        ("ignored = 1\n", "keep()\n", ""),
        ("ignored = old(1)\n", "ignored = 2\n", "plain = old(1)\n"),
        ("ignored = 1\n", "ignored = [\n", ""),
        ("ignored = 1\n", "try:\n    a()\nexcept ignored:\n    b()\n", ""),
        ("ignored = 1\n", "]\nignored = 1\n", ""),
    ],
    ids=[
        "what goes on would be left alone",
        "nobody uses it",
        "the change took lines away",
        "left open",
        "handler",
        "closed first",
    ],
)
def test_where_that_would_not_do_it_does_not_know(base: str, ours: str, theirs: str):
    assert coined(clash(base, ours, theirs)) is None


def test_an_answer_with_which_the_file_no_longer_parses_is_passed_over():
    def tears(clash: Clash) -> Settled:
        return Settled((b"        x(\n", b"    )\n    y = = 1\n"), "torn")

    def knows(clash: Clash) -> Settled:
        return Settled((b"    a = 0\n",), "known")

    base, ours, theirs = (b"def f():\n    a = %d\n    return a\n" % n for n in (1, 2, 3))
    merged = merge(base, ours, theirs, (tears, knows), language=Language.PYTHON)
    assert merged.content == b"def f():\n    a = 0\n    return a\n"
    assert [note.how for note in merged.notes] == ["known"]
    with pytest.raises(Unmergeable, match="1 lines clash"):
        merge(base, ours, theirs, (tears,), language=Language.PYTHON)
    assert b"= =" in merge(base, ours, theirs, (tears,)).content


@given(st.lists(st.sampled_from(["a(\n", ")\n", "if x:\n", "    b\n", "        c\n", "\n", "# d\n", "x {\n", "}\n"])))
def test_statements_are_the_lines_again(some):
    text = tuple(line.encode() for line in some)
    found = nested(text)
    assert found is None or tuple(line for one in found for line in one.lines) == text
