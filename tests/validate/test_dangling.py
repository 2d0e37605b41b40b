"""What a task patch takes away must not be missed by code that stays."""

from __future__ import annotations

import pytest

from change2task.api.reasons import Reason
from change2task.validate import dangling

HEALTHY = b"def helper():\n    return 1\n\n\ndef old():\n    return 2\n"
TASK = b"def old():\n    return 2\n"


def judge(
    after: bytes | None = TASK,
    before: bytes = HEALTHY,
    path: bytes = b"src/pkg/m.py",
    stood: frozenset[str] = frozenset({"helper", "old"}),
    **others: bytes,
):
    files = {name.replace("__", "/").encode() + b".py": content for name, content in others.items()}
    return dangling.judge(
        {path: before}, {} if after is None else {path: after}, files, lambda names: stood & frozenset(names)
    )


@pytest.mark.parametrize(
    "user",
    [
        b"from pkg.m import helper\n\nhelper()\n",
        b"from .m import helper as h\n\nh()\n",
        b"import pkg.m as m\n\nm.helper()\n",
        b"from pkg import m\n\nm.helper()\n",
    ],
)
def test_a_definition_that_another_module_uses_is_missed(user):
    verdict = judge(src__pkg__late=user)
    assert verdict.reason == Reason.DANGLING_REFERENCE
    assert "src/pkg/m.py takes away helper, which src/pkg/late.py uses" in verdict.message


@pytest.mark.parametrize(
    "other",
    [
        b"from elsewhere import helper\n\nhelper()\n",
        b"def helper():\n    pass\n\n\nhelper()\n",
        b"x.helper()\n# helper\n'helper'\n",
    ],
)
def test_a_namesake_is_nobody_missing_it(other):
    assert judge(src__pkg__late=other).passed


def test_a_use_left_in_the_same_file_is_missed():
    after = TASK + b"\n\ndef later():\n    return helper()\n"
    assert not judge(after).passed


def test_a_member_of_that_name_is_not_the_definition():
    after = TASK + b"\n\ndef later(x):\n    return x.helper()\n"
    assert judge(after).passed


def test_a_removed_module_is_missed_where_it_is_imported_from():
    assert not judge(None, src__pkg__late=b"from pkg.m import old\n").passed


def test_nothing_taken_away_is_nothing_missed():
    assert judge(HEALTHY + b"\n\nNEW = 1\n").passed


MEMBER = (
    b"class Text:\n    def tidied(self):\n        return 1\n\n    def shorten(self):\n        return self.tidied()\n"
)
NO_MEMBER = b"class Text:\n    def short(self):\n        return 1\n"
LATER = b"def listing(rows):\n    return [row.tidied() for row in rows]\n"


def test_a_member_that_nobody_knew_before_the_change_is_missed_by_whoever_uses_it():
    verdict = judge(NO_MEMBER, MEMBER, src__pkg__late=LATER)
    assert verdict.evidence["missed"] == ["src/pkg/m.py takes away tidied, which src/pkg/late.py uses"]


def test_an_assigned_member_is_missed_too():
    before = b"class Text:\n    def __init__(self):\n        self.tidied = 1\n        self.text = 2\n"
    after = b"class Text:\n    def __init__(self):\n        self.text = 2\n"
    assert not judge(after, before, src__pkg__late=b"def f(x):\n    return x.tidied\n").passed


@pytest.mark.parametrize(
    ("other", "stood"),
    [
        (LATER, frozenset({"tidied"})),
        (b"class Row:\n    def tidied(self):\n        return 1\n\n\nRow().tidied()\n", frozenset()),
        (b"# row.tidied()\nTEXT = 'row.tidied()'\n", frozenset()),
    ],
    ids=["known before the change", "defined elsewhere", "not code"],
)
def test_a_member_that_may_be_somebody_else_s_is_not_missed(other, stood):
    assert judge(NO_MEMBER, MEMBER, stood=stood, src__pkg__late=other).passed


def test_a_member_asked_of_a_parent_class_is_missed_whoever_else_defines_it():
    later = b"class Row(Text):\n    def tidied(self):\n        return super().tidied()\n"
    assert not judge(NO_MEMBER, MEMBER, stood=frozenset(), src__pkg__late=later).passed


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("def width(t):\n    pass\n\n\ndef f(t, width):\n    width\n", "def f(t, width):\n    width\n"),
        ("def fsum(x):\n    return 1\n\n\nfsum(1)\n", "from math import fsum\n\nfsum(1)\n"),
        ("def sum(x):\n    return 1\n\n\nsum(1)\n", "sum(1)\n"),
        ("def data():\n    return 1\n", "with open('x') as data:\n    print(data)\n"),
        ("def rows():\n    return 1\n", "for rows in range(3):\n    print(rows)\n"),
        ("def n():\n    return 1\n", "def f():\n    n = 1\n    return [n for n in range(n)]\n"),
    ],
    ids=["parameter", "import", "builtin", "with", "for", "local"],
)
def test_a_name_that_something_else_binds_is_not_missed(before: str, after: str):
    assert judge(after.encode(), before.encode(), stood=frozenset()).passed


@pytest.mark.parametrize("user", [b"plot(x, tidied=2)\n", b"for tidied in x:\n    print(tidied)\n"])
def test_a_word_that_is_no_member_is_not_missed_as_one(user: bytes):
    assert judge(NO_MEMBER, MEMBER, stood=frozenset(), src__pkg__late=user).passed


def test_a_module_that_cannot_be_read_says_nothing():
    assert judge(b"from x import *\nhelper()\n").passed
    assert judge(b"def broken(:\n").passed


def test_compiled_languages_are_left_to_their_compiler():
    before, after = b"package p\n\nfunc Count() {}\n", b"package p\n"
    user = b"package p\n\nfunc f() int { Count := 0; return Count }\n"
    assert dangling.judge({b"p/a.go": before}, {b"p/a.go": after}, {b"p/b.go": user}, lambda names: ()).passed


def test_a_string_of_one_dot_ends_in_no_member():
    before = b'def f(part):\n    if part == ".":\n        return 1\n'
    user = b'def g(x):\n    return "." + x + "/"\n'
    assert judge(b"def f(part):\n    return 1\n", before, stood=frozenset(), src__pkg__late=user).passed
