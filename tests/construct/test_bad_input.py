"""Content that no strategy can be expected to undo: a reason each, never a traceback, never half a minute.

Every case goes through the whole ladder. The limit on time is generous, since what is bounded is counts of steps.
"""

from __future__ import annotations

import pytest

from change2task.api.taskcandidate import Profile
from change2task.construct.ladder import climb, strategies
from change2task.construct.models import NotApplicable, Proposal, SourceFile
from change2task.vcs.trees import Entry, Tree

FULL = strategies(Profile.FULL, (1, 2, 3))
within_seconds = pytest.mark.timeout(120)


@pytest.fixture
def climbed(scene):
    """All answers of the ladder to three versions of some files."""

    def run(before, after, healthy, **more):
        assignment = scene.assignment(before, after, healthy, **more).replacing(sources=tuple(healthy))
        answers = list(climb(FULL, scene.repository, assignment))
        assert all(answer.why for answer in answers if isinstance(answer, NotApplicable))
        return [scene.files(a.tree) for a in answers if isinstance(a, Proposal)], [
            a.why for a in answers if isinstance(a, NotApplicable)
        ]

    return run


def lines(count, form=b"value_%d = call(%d)\n"):
    return [form % (n, n * 7) for n in range(count)]


@within_seconds
def test_a_file_of_fifty_thousand_lines_is_undone_where_nothing_clashes(climbed):
    rows = lines(50_000)
    after = [*rows[:25_000], b"added = 1\n", *rows[25_000:]]
    healthy = [*after[:100], b"later = 1\n", *after[100:]]
    made, _ = climbed({"m.py": b"".join(rows)}, {"m.py": b"".join(after)}, {"m.py": b"".join(healthy)})
    assert b"added" not in made[0]["m.py"]


@within_seconds
def test_a_file_of_fifty_thousand_lines_rewritten_since_is_refused(climbed):
    rows = lines(50_000)
    after = [*rows[:25_000], b"added = 1\n", *rows[25_000:]]
    healthy = lines(50_000, b"other_%d(%d)\n")
    made, why = climbed({"m.py": b"".join(rows)}, {"m.py": b"".join(after)}, {"m.py": b"".join(healthy)})
    assert len(made) == 1  # the last resort: the older file as it was
    assert any("50001 lines clash with later work" in reason for reason in why)


@within_seconds
def test_many_scattered_clashes_are_refused_with_their_number(climbed):
    rows = lines(3_000)
    after = [row.replace(b"call", b"made") if n % 5 == 0 else row for n, row in enumerate(rows)]
    healthy = [
        row.replace(b"made", b"entirely_other_%d" % n).replace(b"value", b"x") if n % 5 == 0 else row
        for n, row in enumerate(after)
    ]
    _, why = climbed({"m.py": b"".join(rows)}, {"m.py": b"".join(after)}, {"m.py": b"".join(healthy)})
    assert any("clashes with later work in 600 places" in reason for reason in why)


@within_seconds
def test_minified_code_on_one_line_is_refused_or_merged_in_time(climbed):
    code = b"".join(b"function f%d(a,b){return a+b*%d}" % (n, n) for n in range(20_000))
    after, healthy = code.replace(b"a+b*77}", b"a-b*77}"), code.replace(b"a+b*77}", b"a-b*77}").replace(b"f9(", b"g9(")
    climbed({"m.js": code}, {"m.js": after}, {"m.js": healthy})


@within_seconds
def test_the_same_line_ten_thousand_times_is_no_trap(climbed):
    climbed({"m.txt": b"x\n" * 10_000}, {"m.txt": b"x\n" * 10_003 + b"y\n"}, {"m.txt": b"y\n" * 9_000 + b"x\n" * 9_000})


@within_seconds
def test_deep_nesting_does_not_exhaust_the_stack(climbed):
    deep = b"x = " + b"(" * 3_000 + b"1" + b")" * 3_000 + b"\n"
    made, _ = climbed({"m.py": deep}, {"m.py": deep + b"y = 1\n"}, {"m.py": b"z = 1\n" + deep + b"y = 1\n"})
    assert made[0]["m.py"] == b"z = 1\n" + deep


@pytest.mark.parametrize("language", ["m.py", "m.go", "m.js", "m.ts", "m.rs", "m.java", "m.unknown", "Makefile"])
@pytest.mark.parametrize(
    "junk", [b"", b"\xff\xfe\x00bad", b"\r\r\n\n\r", b"((((", b"'''", b"\xef\xbb\xbf", b"def f(:\n" * 40, b"import ("]
)
def test_junk_in_any_language_is_no_traceback(climbed, language, junk):
    climbed({language: b"a\n" + junk}, {language: junk + b"b\n"}, {language: b"later\n" + junk + b"c\n"})


def test_links_and_submodules_changed_since_are_refused_by_name(scene):
    def tree(mode, content):
        oid = content if mode == 0o160000 else scene.repository.write_blob(content)
        return scene.repository.write_tree(Tree({b"thing": Entry(mode, oid)}))

    for mode, sides in ((0o120000, [b"a", b"b", b"c"]), (0o160000, ["1" * 40, "2" * 40, "3" * 40])):
        before, after, healthy = (tree(mode, side) for side in sides)
        assignment = scene.assignment({}, {}, {}).replacing(
            before_tree=before,
            after_tree=after,
            healthy_tree=healthy,
            files=(SourceFile(before="thing", after="thing", modern="thing"),),
        )
        answers = list(climb(FULL, scene.repository, assignment))
        assert all(isinstance(answer, NotApplicable) for answer in answers)
        assert any("is a link or a submodule and was changed since" in answer.why for answer in answers)


def test_a_folder_in_the_place_of_a_file_that_comes_back_is_refused(climbed):
    made, why = climbed({"a": b"1\n"}, {"k": b"2\n"}, {"a/b": b"3\n", "k": b"2\n"}, moved={"a": None})
    assert made == []
    assert any("folder" in reason or "stands there again" in reason for reason in why)


def test_a_change_that_was_taken_back_leaves_the_healthy_base_itself(climbed):
    made, why = climbed({"m.py": b"a = 1\n"}, {"m.py": b"a = 2\n"}, {"m.py": b"a = 1\n"})
    assert made == []
    assert "same tree as the healthy base itself" in why


def test_a_file_whose_blob_is_missing_is_a_refusal(scene):
    assignment = scene.assignment({"m.py": b"a\n"}, {"m.py": b"b\n"}, {"m.py": b"c\n"})
    gone = scene.repository.write_tree(Tree({b"m.py": Entry(0o100644, "f" * 40)}))
    for strategy in FULL[4:]:
        for answer in strategy.propose(scene.repository, assignment.replacing(healthy_tree=gone)):
            assert isinstance(answer, NotApplicable)
