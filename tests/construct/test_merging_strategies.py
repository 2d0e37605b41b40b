"""Level 2 beyond the paper's: each strategy on the smallest history that needs it."""

from __future__ import annotations

import pytest

from change2task.construct.resolve.stack import Merged
from change2task.construct.strategies.added_dropped import AddedDropped
from change2task.construct.strategies.history_walk import HistoryWalk
from change2task.construct.strategies.line_ownership import LineOwnership
from change2task.construct.strategies.merging import Merging
from change2task.construct.strategies.older_regions import OlderRegions
from change2task.construct.strategies.older_units import OlderUnits
from change2task.construct.strategies.partial_reversal import PartialReversal
from change2task.construct.strategies.per_file import PerFile
from change2task.construct.strategies.relaxed_context import RelaxedContext
from change2task.construct.strategies.three_way import ThreeWay
from change2task.construct.strategies.unit_merge import UnitMerge
from change2task.construct.strategies.word_merge import WordMerge

BEFORE = b"""import os


def load(path):
    data = open(path).read()
    return data


def size(path):
    return os.path.getsize(path)
"""
AFTER = BEFORE.replace(b"    return data\n", b"    if not data:\n        raise ValueError(path)\n    return data\n")

ALL = [
    RelaxedContext(),
    WordMerge(),
    LineOwnership(),
    UnitMerge(),
    AddedDropped(),
    PerFile(),
    PartialReversal(),
    OlderUnits(),
    OlderRegions(),
]
each = pytest.mark.parametrize("strategy", ALL, ids=lambda strategy: strategy.name)


@each
def test_every_strategy_undoes_what_a_plain_reversal_would(proposed, strategy):
    [files] = proposed(strategy, {"m.py": BEFORE}, {"m.py": AFTER}, {"m.py": AFTER.replace(b"size", b"length")})
    assert files["m.py"] == BEFORE.replace(b"size", b"length")


@each
def test_every_strategy_leaves_other_files_alone(proposed, strategy):
    rest = {"tests/test_m.py": b"new test\n", "CHANGES": b"news\n"}
    [files] = proposed(strategy, {"m.py": BEFORE}, {"m.py": AFTER}, {"m.py": AFTER + b"\n", **rest})
    assert {path: files[path] for path in rest} == rest


@pytest.mark.parametrize("strategy", ALL[1:], ids=lambda strategy: strategy.name)
def test_what_merges_keeps_the_files_line_ends(proposed, strategy):
    modern = AFTER.replace(b"size", b"length").replace(b"\n", b"\r\n")
    [files] = proposed(strategy, {"m.py": BEFORE}, {"m.py": AFTER}, {"m.py": modern})
    assert files["m.py"] == BEFORE.replace(b"size", b"length").replace(b"\n", b"\r\n")


@each
def test_a_file_that_is_gone_is_no_traceback(proposed, strategy):
    [why] = proposed(strategy, {"m.py": BEFORE}, {"m.py": AFTER}, {"k.py": b"k\n"})
    assert "m.py is not on the base" in why


@each
def test_binary_content_changed_since_is_refused_by_name(proposed, strategy):
    [why] = proposed(strategy, {"d.bin": b"\0before"}, {"d.bin": b"\0after"}, {"d.bin": b"\0later"})
    assert "d.bin is binary and was changed since" in why


@each
def test_an_unknown_language_is_merged_or_refused_but_never_a_traceback(proposed, strategy):
    [answer] = proposed(strategy, {"t.tmpl": b"a\nb\nc\n"}, {"t.tmpl": b"a\nB\nc\n"}, {"t.tmpl": b"x\na\nB\nc\n"})
    if strategy.name in {"unit-merge", "older-units"}:
        assert answer == "t.tmpl: no parser for its language"
    else:
        assert answer["t.tmpl"] == b"x\na\nb\nc\n"


def test_relaxed_context_needs_a_single_line_around_the_change(proposed):
    lines = [b"line %d\n" % n for n in range(20)]
    after = [*lines[:10], b"added\n", *lines[10:]]
    modern = [line.replace(b"line 8", b"eight").replace(b"line 11", b"eleven") for line in after]
    [files] = proposed(RelaxedContext(), {"t": b"".join(lines)}, {"t": b"".join(after)}, {"t": b"".join(modern)})
    assert files["t"] == b"".join(line for line in modern if line != b"added\n")


def test_relaxed_context_refuses_a_place_that_is_not_the_only_one(proposed):
    block = b"start\nadded\nend\n"
    [why] = proposed(
        RelaxedContext(),
        {"t": b"a\nstart\nend\nb\n"},
        {"t": b"a\n" + block + b"b\n"},
        {"t": b"x\n" + block + b"y\n" + block},
    )
    assert "fits in 2 places" in why


def test_word_merge_undoes_a_change_of_a_line_that_later_work_changed_elsewhere(proposed):
    before, after = b"def f(a, b=1):\n    return a\n", b"def f(a, b=2):\n    return a\n"
    modern = b"def f(a: int, b=2) -> int:\n    return a\n"
    [why] = proposed(ThreeWay(), {"m.py": before}, {"m.py": after}, {"m.py": modern})
    assert "conflicts" in why
    [files] = proposed(WordMerge(), {"m.py": before}, {"m.py": after}, {"m.py": modern})
    assert files["m.py"] == b"def f(a: int, b=1) -> int:\n    return a\n"


def test_line_ownership_follows_the_changes_lines_to_what_they_became(proposed):
    modern = AFTER.replace(
        b"    if not data:\n        raise ValueError(path)\n    return data\n",
        b"    if not data.strip():\n        raise ValueError(f'{path} is empty')\n    return data.strip()\n",
    )
    [why] = proposed(WordMerge(), {"m.py": BEFORE}, {"m.py": AFTER}, {"m.py": modern})
    assert "clash with later work" in why
    [files] = proposed(LineOwnership(), {"m.py": BEFORE}, {"m.py": AFTER}, {"m.py": modern})
    assert files["m.py"] == BEFORE.replace(b"return data\n", b"return data.strip()\n")


def test_line_ownership_never_tears_a_statement_in_two(proposed):
    after = BEFORE.replace(
        b"    return data\n", b"    if strict and not data:\n        raise ValueError(path)\n    return data\n"
    )
    modern = after.replace(
        b"    if strict and not data:\n", b"    if (\n        strict\n        and path\n        and not data\n    ):\n"
    ).replace(b"data = open", b"data: str = open")
    [files] = proposed(LineOwnership(), {"m.py": BEFORE}, {"m.py": after}, {"m.py": modern})
    assert files["m.py"] == BEFORE.replace(b"data = open", b"data: str = open")


def test_unit_merge_follows_functions_that_moved_past_each_other(proposed):
    head, load, size = AFTER.split(b"\n\n\n")
    modern = b"\n\n\n".join([head, size.rstrip(b"\n"), load.replace(b"open(path)", b"open(path, 'rb')")]) + b"\n"
    [files] = proposed(UnitMerge(), {"m.py": BEFORE}, {"m.py": AFTER}, {"m.py": modern})
    assert files["m.py"] == modern.replace(b"    if not data:\n        raise ValueError(path)\n", b"")


def test_unit_merge_finds_a_function_under_its_new_name(proposed):
    modern = AFTER.replace(b"def load(path)", b"def load_text(path)").replace(b"import os\n", b"import os\nimport re\n")
    [files] = proposed(UnitMerge(), {"m.py": BEFORE}, {"m.py": AFTER}, {"m.py": modern})
    assert files["m.py"] == modern.replace(b"    if not data:\n        raise ValueError(path)\n", b"")


def test_unit_merge_takes_a_function_away_that_the_change_added_however_it_grew(proposed):
    added = b"\n\ndef check(path):\n    return path\n"
    grown = b"\n\ndef check(path, *, strict=False):\n    for part in path.split():\n        yield part, strict, path\n"
    [files] = proposed(UnitMerge(), {"m.py": BEFORE}, {"m.py": BEFORE + added}, {"m.py": BEFORE + grown})
    assert files["m.py"] == BEFORE


@pytest.mark.parametrize(
    ("path", "before", "after", "modern", "expected"),
    [
        (
            "m.go",
            b"package m\n\nfunc A(x int) int {\n\treturn x\n}\n",
            b"package m\n\nfunc A(x int) int {\n\tif x < 0 {\n\t\treturn 0\n\t}\n\treturn x\n}\n",
            b"package m\n\nfunc B() {}\n\nfunc A(x int) int {\n\tif x < 0 {\n\t\treturn 0\n\t}\n\treturn x + base\n}\n",
            b"package m\n\nfunc B() {}\n\nfunc A(x int) int {\n\treturn x + base\n}\n",
        ),
        (
            "m.js",
            b"class A {\n  f(x) {\n    return x;\n  }\n}\n",
            b"class A {\n  f(x) {\n    if (!x) throw new Error();\n    return x;\n  }\n}\n",
            b"class A {\n  f(x, y) {\n    if (!x) throw new Error();\n    return x + y;\n  }\n}\n",
            b"class A {\n  f(x, y) {\n    return x + y;\n  }\n}\n",
        ),
    ],
)
def test_units_are_those_of_every_language_with_a_parser(proposed, path, before, after, modern, expected):
    [files] = proposed(UnitMerge(), {path: before}, {path: after}, {path: modern})
    assert files[path] == expected


def test_added_dropped_takes_rewritten_additions_away(proposed):
    base = b"a = 1\nb = 2\n"
    after = b"a = 1\nif a > limit:\n    warn(a, limit)\n    halt(a)\nb = 2\n"
    modern = b"a = 1\nlog(limit)\nstop(a > limit, 7)\nb = 2\n"
    [why] = proposed(LineOwnership(), {"m.txt": base}, {"m.txt": after}, {"m.txt": modern})
    assert "clash" in why
    [files] = proposed(AddedDropped(), {"m.txt": base}, {"m.txt": after}, {"m.txt": modern})
    assert files["m.txt"] == base


def test_per_file_lets_each_file_have_its_own_way(proposed):
    moved = AFTER.split(b"\n\n\n")
    modern = {
        "m.py": b"\n\n\n".join([moved[0], moved[2].rstrip(b"\n"), moved[1].replace(b"open(path)", b"open(path, 'rb')")])
        + b"\n",
        "t.tmpl": b"x {{ a | later }} {{ new }}\n",
    }
    before, after = (
        {"m.py": BEFORE, "t.tmpl": b"x {{ a }} {{ old }}\n"},
        {"m.py": AFTER, "t.tmpl": b"x {{ a }} {{ new }}\n"},
    )
    [why] = proposed(UnitMerge(), before, after, modern)
    assert why == "t.tmpl: no parser for its language"
    [files] = proposed(PerFile(), before, after, modern)
    assert files["t.tmpl"] == b"x {{ a | later }} {{ old }}\n"
    assert b"ValueError" not in files["m.py"]


def test_partial_reversal_leaves_what_clashes_and_undoes_the_rest(proposed):
    lines = [b"line %d\n" % n for n in range(30)]
    after, modern = list(lines), list(lines)
    after[3], after[20] = b"alpha beta\n", b"gamma delta\n"
    modern[3], modern[20] = b"something else entirely\n", b"gamma delta\n"
    [files] = proposed(PartialReversal(), {"t": b"".join(lines)}, {"t": b"".join(after)}, {"t": b"".join(modern)})
    assert files["t"] == b"".join([*lines[:3], modern[3], *lines[4:]])


def test_partial_reversal_of_nothing_is_no_proposal(proposed):
    [why] = proposed(PartialReversal(), {"t": b"a\nold\nb\n"}, {"t": b"a\nnew\nb\n"}, {"t": b"a\nother thing\nb\n"})
    assert why.startswith("nothing can be undone")


def test_older_units_put_a_function_back_whole_where_it_does_not_merge(proposed):
    modern = AFTER.replace(
        b"    data = open(path).read()\n    if not data:\n        raise ValueError(path)\n", b"    data = 7\n"
    )
    modern = modern.replace(b"getsize(path)", b"getsize(path, later)")
    [why] = proposed(UnitMerge(), {"m.py": BEFORE}, {"m.py": AFTER.replace(b"read()", b"read(1)")}, {"m.py": modern})
    assert "load" in why
    [files] = proposed(OlderUnits(), {"m.py": BEFORE}, {"m.py": AFTER.replace(b"read()", b"read(1)")}, {"m.py": modern})
    assert files["m.py"] == BEFORE.replace(b"getsize(path)", b"getsize(path, later)")


def test_older_regions_put_the_older_lines_back_where_nothing_else_is_known(proposed):
    [files] = proposed(
        OlderRegions(), {"t": b"a\nold\nb\n"}, {"t": b"a\nnew\nb\n"}, {"t": b"later\na\nother thing\nb\n"}
    )
    assert files["t"] == b"later\na\nold\nb\n"


def test_a_result_that_no_longer_parses_is_refused(proposed):
    broken = Merging("broken", 2, lambda versions: Merged(b"def f(:\n", (), 0))
    [why] = proposed(broken, {"m.py": BEFORE}, {"m.py": AFTER}, {"m.py": AFTER + b"\n"})
    assert why.startswith("m.py, line 1: ")
    assert why.endswith("does not parse once the change is undone")


def test_without_a_history_there_is_no_walk(proposed):
    [why] = proposed(HistoryWalk(), {"m.py": BEFORE}, {"m.py": AFTER}, {"m.py": AFTER})
    assert why == "no history is known between the change and the base"
