"""Three versions of a file made into a fourth: the healthy file without the change."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from change2task.construct.resolve.align import align
from change2task.construct.resolve.clash import Clash, Settled
from change2task.construct.resolve.diff3 import stretches
from change2task.construct.resolve.dropped import dropped
from change2task.construct.resolve.elsewhere import elsewhere
from change2task.construct.resolve.gone import gone
from change2task.construct.resolve.imported import imported
from change2task.construct.resolve.menus import ALL, LINES, WORDS
from change2task.construct.resolve.owned import owned, stated
from change2task.construct.resolve.stack import Unmergeable, merge
from change2task.construct.resolve.whitespace import whitespace
from change2task.construct.resolve.worded import worded
from change2task.construct.resolve.words import words
from change2task.syntax.languages import Language

# A small alphabet, so that lines repeat and alignments are doubtful.
LINE = st.sampled_from([b"a\n", b"b\n", b"c = a\n", b"\n", b"  a\n", b"}\n", b"return c\n", b"import a\n"])
LINES_OF_TEXT = st.lists(LINE, max_size=14)
BYTES = st.binary(max_size=60)


def clash(base, ours, theirs, language=Language.PYTHON, **more):
    split = [tuple(line + b"\n" for line in side.split(b"\n")) if side else () for side in (base, ours, theirs)]
    return Clash(*split, language, **more)


def lines_of(answer):
    return b"".join(answer.lines)


@given(LINES_OF_TEXT, LINES_OF_TEXT)
def test_matches_are_equal_ascending_and_do_not_overlap(one, other):
    end = second_end = 0
    for match in align(one, other):
        assert match.one >= end
        assert match.other >= second_end
        end, second_end = match.one + match.length, match.other + match.length
        assert one[match.one : end] == other[match.other : second_end]


@given(LINES_OF_TEXT, LINES_OF_TEXT, LINES_OF_TEXT)
def test_the_stretches_of_each_side_are_that_side(base, ours, theirs):
    found = list(stretches(base, ours, theirs))
    assert [line for part in found for line in part.base] == base
    assert [line for part in found for line in part.ours] == ours
    assert [line for part in found for line in part.theirs] == theirs


@given(LINES_OF_TEXT, LINES_OF_TEXT)
def test_a_file_untouched_since_the_change_becomes_as_it_was(base, theirs):
    assert merge(b"".join(base), b"".join(base), b"".join(theirs), ()).content == b"".join(theirs)


@given(LINES_OF_TEXT, LINES_OF_TEXT)
def test_a_change_of_nothing_changes_nothing(base, ours):
    assert merge(b"".join(base), b"".join(ours), b"".join(base), ()).content == b"".join(ours)


@given(st.lists(st.integers(0, 39), max_size=4), st.lists(st.integers(0, 39), max_size=4))
def test_edits_of_different_lines_are_merged_as_if_made_one_after_the_other(by_change, by_later):
    base = [b"line %d\n" % n for n in range(0, 40)]
    theirs, ours, both = list(base), list(base), list(base)
    for n in by_change:
        theirs[n] = both[n] = b"before %d\n" % n
    for n in by_later:
        ours[n] = b"later %d\n" % n
        both[n] = b"later %d\n" % n
    near = any(abs(a - b) < 2 for a in by_change for b in by_later)
    if not near:
        assert merge(b"".join(base), b"".join(ours), b"".join(theirs), ()).content == b"".join(both)


@given(BYTES, BYTES, BYTES, st.sampled_from([None, *Language]))
def test_no_bytes_make_a_merge_raise_anything_else(base, ours, theirs, language):
    for resolvers in (WORDS, LINES, ALL):
        with contextlib.suppress(Unmergeable):
            merge(base, ours, theirs, resolvers, language=language)
        merge(base, ours, theirs, resolvers, language=language, otherwise="ours")


@given(LINES_OF_TEXT, LINES_OF_TEXT, LINES_OF_TEXT)
def test_the_same_versions_merge_to_the_same_bytes_every_time(base, ours, theirs):
    sides = b"".join(base), b"".join(ours), b"".join(theirs)
    first = merge(*sides, ALL, language=Language.PYTHON, otherwise="ours")
    assert merge(*sides, ALL, language=Language.PYTHON, otherwise="ours") == first


@given(BYTES)
def test_words_joined_are_the_text(text):
    assert b"".join(words(text)) == text


def test_steps_used_up_leave_the_rest_unmatched_instead_of_taking_forever():
    one, other = [b"x", b"y"] * 3000, [b"y", b"y", b"x"] * 3000
    assert sum(match.length for match in align(one, other, steps=1000)) < 6000


def test_two_edits_of_different_words_of_a_line_are_merged_by_words():
    found = worded(clash(b"def f(a, b=2):", b"def f(a: int, b=2):", b"def f(a, b=1):"))
    assert lines_of(found) == b"def f(a: int, b=1):\n"


def test_two_edits_of_the_same_word_are_not():
    assert worded(clash(b"b = 2", b"b = 3", b"b = 1")) is None


def test_code_that_later_work_only_moved_deeper_is_put_back_as_deep():
    found = whitespace(clash(b"x = new()\ny = 1", b"    x = new()\n    y = 1", b"x = old()\ny = 1"))
    assert lines_of(found) == b"    x = old()\n    y = 1\n"


def test_what_later_work_took_away_stays_away():
    assert lines_of(gone(clash(b"x = new()", b"", b"x = old()"))) == b""


def test_imports_of_today_stay_and_those_the_change_removed_come_back():
    found = imported(clash(b"import a\nimport new", b"import a\nimport new\nimport later", b"import a\nimport old"))
    assert lines_of(found) == b"import a\nimport new\nimport later\nimport old\n"


def test_a_name_taken_out_of_a_list_comes_back_by_an_import_of_its_own():
    found = imported(clash(b"from m import a", b"from m import a, z", b"from m import a, b as c"))
    assert lines_of(found) == b"from m import a, z\nfrom m import b as c\n"


def test_a_clash_that_is_not_of_imports_alone_is_left_to_others():
    assert imported(clash(b"import a\nx = 1", b"import b", b"")) is None


def test_a_line_of_the_change_is_followed_to_what_it_became_and_the_older_one_takes_its_place():
    found = owned(
        clash(
            b"total = sum(values)\nreturn round(total, digits)",
            b"total = sum(values, start=0.0)\nlog(total)\nreturn round(total, digits, mode=mode)",
            b"total = sum(values)\nreturn total",
        )
    )
    assert lines_of(found) == b"total = sum(values, start=0.0)\nlog(total)\nreturn total\n"


def test_lines_of_later_work_between_them_stay():
    found = owned(
        clash(
            b"check(value)\nfinish(value)",
            b"check(value, strict=True)\nfinish(value, later=1)",
            b"finish(value)",
        )
    )
    assert lines_of(found) == b"finish(value, later=1)\n"


def test_older_lines_put_back_follow_the_depth_of_the_lines_around_them():
    found = owned(
        clash(
            b"value = load(path)\nreturn value.upper()",
            b"        value = load(path, x)\n        return value.upper(locale)",
            b"value = load(path)\nprint(1)",
        )
    )
    assert lines_of(found) == b"        value = load(path, x)\n        print(1)\n"


def test_lines_that_are_nowhere_to_be_found_are_not_guessed_at():
    assert owned(clash(b"alpha(beta)\ngamma(delta)", b"one(two)\nthree(four)", b"old()")) is None


def test_a_line_over_a_block_comes_back_over_that_block_only():
    base = b"if names:\n    remove(names)"
    theirs = b"if names and confirm():\n    remove(names)"
    same = owned(clash(base, b"if names[1:]:\n    remove(names, force)", theirs))
    assert lines_of(same).startswith(b"if names and confirm():\n")
    assert (
        owned(clash(base, b"if not names:\n    return\nremove(names, force)", b"if sure():\n    remove(names)")) is None
    )


def test_what_stood_under_a_line_that_goes_goes_with_it():
    base = b"start()\nif strict:\n    check(value)\nend(a)"
    ours = b"start(1)\nif strict:\n    check(value)\n    log(later)\nend(b, c)"
    assert lines_of(owned(clash(base, ours, b"start()\nend(a)"))) == b"start(1)\nend(b, c)\n"


def test_older_lines_use_the_names_of_today():
    base = b"def f(ctx):\n    a = ctx.new\n    return a\n\n\ndef g(ctx):\n    return ctx.b\n"
    ours = base.replace(b"ctx", b"context").replace(b"a = context.new", b"a = context.new or other")
    theirs = base.replace(b"    a = ctx.new\n", b"    a = make(ctx)\n")
    merged = merge(base, ours, theirs, LINES, language=Language.PYTHON)
    assert b"    a = make(context)\n" in merged.content


def test_a_line_broken_over_several_since_is_followed_as_one_statement():
    broken = clash(
        b"if pattern and not match(pattern, issue):",
        b"if (\n    pattern\n    and issue\n    and not match(pattern, issue)\n):",
        b"if pattern and (\n    not match(pattern, stem(name))\n):",
    )
    assert owned(broken) is None
    assert lines_of(stated(broken)) == b"if pattern and (\n    not match(pattern, stem(name))\n):\n"


def test_added_lines_that_later_work_put_elsewhere_go_from_there():
    found = elsewhere(clash(b"# hint\na bool\nb []int", b"b []int\na bool", b"# hint\na bool", Language.GO))
    assert lines_of(found) == b"a bool\n"
    assert elsewhere(clash(b"a\nb", b"b\nc\nb", b"a")) is None


def test_an_answer_that_would_tear_brackets_apart_is_passed_over():
    def torn(found):
        return Settled((b"f(\n",), "torn")

    sides = b"a\nf(x)\n", b"a\nf(x, y)\n", b"a\nf()\n"
    with pytest.raises(Unmergeable):
        merge(*sides, (torn,))
    assert merge(*sides, (torn, lambda found: Settled(found.theirs, "older"))).content == b"a\nf()\n"


def test_what_the_change_only_added_goes_with_what_it_became():
    found = dropped(clash(b"if strict:\n    check(value)", b"if strict and ready:\n    check(value, now)", b""))
    assert lines_of(found) == b""


def test_but_not_where_something_else_stands_there_today():
    assert dropped(clash(b"if strict:\n    check(value)", b"for a in b:\n    c(d)", b"")) is None


@pytest.mark.parametrize(("mark", "newline"), [(b"", b"\r\n"), (b"\xef\xbb\xbf", b"\n"), (b"\xef\xbb\xbf", b"\r\n")])
def test_line_ends_and_byte_order_marks_of_today_never_clash_and_stay(mark, newline):
    base, theirs = b"a\nnew\nb\n", b"a\nold\nb\n"
    ours = mark + b"a\nnew\nb\nlater\n".replace(b"\n", newline)
    assert merge(base, ours, theirs, ()).content == mark + b"a\nold\nb\nlater\n".replace(b"\n", newline)


def test_a_missing_final_newline_never_clashes_and_stays_missing():
    assert merge(b"a\nnew\n", b"later\na\nnew", b"a\nold\n", ()).content == b"later\na\nold"


def test_a_clash_names_the_line_after_the_change():
    with pytest.raises(Unmergeable, match="line 2 after the change: 1 lines clash with later work"):
        merge(b"a\nnew\nb\n", b"a\nother\nb\n", b"a\nold\nb\n", ())


def test_a_file_with_too_many_lines_is_refused_with_the_bound():
    many = b"x\n" * 70_000
    with pytest.raises(Unmergeable, match="more than 60000 lines"):
        merge(many, many + b"y\n", b"z\n" + many, ALL)
