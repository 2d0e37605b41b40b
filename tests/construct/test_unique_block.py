"""Level 2 as the paper describes it: every edit group maps to one unique block, or the change is outside the route."""

from __future__ import annotations

import pytest

from change2task.construct.strategies.unique_block import UniqueBlock

BEFORE = b"""def scale(x):
    y = x * 2
    return y


def other():
    return 1
"""
AFTER = BEFORE.replace(b"    y = x * 2\n", b"    y = x * factor\n    y += 1\n")


def undo(proposed, healthy: bytes, before: bytes = BEFORE, after: bytes = AFTER):
    [answer] = proposed(UniqueBlock(), {"m.py": before}, {"m.py": after}, {"m.py": healthy})
    return answer if isinstance(answer, str) else answer["m.py"]


def test_a_block_that_has_moved_is_put_back_where_it_is(proposed):
    healthy = b"import os\n\n\ndef first():\n    pass\n\n\n" + AFTER
    assert undo(proposed, healthy) == healthy.replace(b"    y = x * factor\n    y += 1\n", b"    y = x * 2\n")


def test_the_old_block_takes_the_modern_indentation(proposed):
    healthy = b"class A:\n    def scale(x):\n        y = x * factor\n        y += 1\n        return y\n"
    assert undo(proposed, healthy) == b"class A:\n    def scale(x):\n        y = x * 2\n        return y\n"


def test_relative_indentation_inside_the_block_is_kept(proposed):
    before = b"def f():\n    if a:\n        b()\n"
    after = b"def f():\n    if c:\n        d()\n"
    healthy = b"class K:\n    def f():\n        if c:\n            d()\n"
    assert undo(proposed, healthy, before, after) == b"class K:\n    def f():\n        if a:\n            b()\n"


def test_tabs_and_crlf_are_kept_as_bytes(proposed):
    before, after = b"f() {\r\n\told();\r\n}\r\n", b"f() {\r\n\tnew();\r\n}\r\n"
    healthy = b"g() {}\r\nf() {\r\n\t\tnew();\r\n}\r\n"
    assert undo(proposed, healthy, before, after) == b"g() {}\r\nf() {\r\n\t\told();\r\n}\r\n"


@pytest.mark.parametrize(
    ("healthy", "why"),
    [
        (BEFORE, "not found"),
        (AFTER + AFTER, "found 2 times"),
    ],
)
def test_a_block_that_is_not_found_exactly_once_is_refused(proposed, healthy, why):
    assert why in undo(proposed, healthy)


@pytest.mark.parametrize(
    ("before", "after", "why"),
    [
        (b"a\n", b"a\nb\n", "pure addition"),
        (b"a\nb\n", b"a\n", "pure deletion"),
        (b"import a\nx\n", b"import b\nx\n", "import-only"),
    ],
)
def test_groups_outside_the_route_refuse_the_whole_change(proposed, before, after, why):
    assert why in undo(proposed, after, before, after)


def test_one_unmappable_group_refuses_all(proposed):
    after = AFTER.replace(b"return 1", b"return 2")
    assert "not found" in undo(proposed, AFTER, BEFORE, after)


@pytest.mark.parametrize(
    ("before", "after", "healthy", "why"),
    [
        ({}, {"m.py": b"a\n"}, {"m.py": b"a\n"}, "added by the change"),
        ({"m.py": b"a\n"}, {}, {}, "deleted by the change"),
        ({"m.py": b"a\n"}, {"m.py": b"b\n"}, {"n.py": b"b\n"}, "not on the base"),
    ],
)
def test_files_that_come_or_go_are_outside_the_route(proposed, before, after, healthy, why):
    [answer] = proposed(UniqueBlock(), before, after, healthy)
    assert why in answer
