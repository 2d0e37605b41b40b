"""Grading: an answer is judged by hidden checks on files put back, tests are judged the other way round."""

from __future__ import annotations

import pytest

from change2task.corpus.errors import StoreDamaged
from change2task.corpus.submission import PatchUnusable
from change2task.pipeline.grading import grade_patch, lay_trees
from tests.pipeline.conftest import Hand
from tests.support.world import changed

MARK = "tests/test_text.py::test_a_mark_stands_for_what_was_left_out"
TEXT, TESTS = "toolbox/text.py", "tests/test_text.py"


@pytest.mark.parametrize("name", ["fix", "feature", "security", "migration"])
def test_the_restoration_patch_solves_its_task(hand: Hand, name: str) -> None:
    graded = hand.grade(name, hand.restoration(name))
    assert graded.solved, graded
    assert graded.message == "all 1 target checks and all regression checks pass"


@pytest.mark.parametrize("name", ["fix", "migration"])
def test_an_empty_patch_solves_nothing(hand: Hand, name: str) -> None:
    graded = hand.grade(name, b"")
    assert not graded.solved
    assert graded.failed_targets == tuple(check.id for check in hand.variant(name).spec.checks.targets)
    assert graded.counted == ()


def test_another_answer_than_the_authors_solves_the_task_too(hand: Hand) -> None:
    seen = hand.seen("fix", TEXT)
    other = seen.replace(
        "return text[:width]", 'return text if len(text) <= width else "{}~".format(text[: width - 1])'
    )
    assert hand.grade("fix", changed(TEXT, seen, other)).solved


def test_what_breaks_an_older_test_is_no_solution(hand: Hand) -> None:
    seen = hand.seen("fix", TEXT)
    other = seen.replace("return text[:width]", 'return text[: width - 1] + "~"')
    graded = hand.grade("fix", changed(TEXT, seen, other))
    assert not graded.solved
    assert (graded.failed_targets, graded.failed_regression) == ((), ("tests/test_text.py::test_short_text_stays",))


def test_an_edited_hidden_test_is_put_back_and_named(hand: Hand) -> None:
    forged = hand.seen("fix", TESTS) + "\n\ndef test_a_mark_stands_for_what_was_left_out():\n    pass\n"
    graded = hand.grade("fix", changed(TESTS, hand.seen("fix", TESTS), forged))
    assert not graded.solved
    assert graded.failed_targets == (MARK,)
    assert (graded.counted, graded.put_back) == ((), (TESTS,))
    assert TESTS in graded.message


def test_a_removed_test_file_is_put_back_and_does_not_spoil_a_right_answer(hand: Hand) -> None:
    removed = changed(TESTS, hand.seen("fix", TESTS), "")
    graded = hand.grade("fix", hand.restoration("fix") + removed.encode())
    assert graded.solved
    assert (graded.counted, graded.put_back) == ((TEXT,), (TESTS,))


def test_settings_that_would_turn_tests_off_are_put_back(hand: Hand) -> None:
    graded = hand.grade("fix", changed("conftest.py", "", "collect_ignore_glob = ['*']\n"))
    assert not graded.solved
    assert graded.put_back == ("conftest.py",)


@pytest.mark.parametrize(
    "patch",
    [
        "this is no patch",
        "diff --git a/toolbox/text.py b/toolbox/text.py\n--- a/toolbox/text.py\n+++ b/toolbox/text.py\n"
        "@@ -1,3 +1,3 @@\n not\n-there\n+at all\n at all\n",
        changed("../outside", "", "x\n"),
    ],
)
def test_a_patch_that_does_not_apply_is_the_users_fault(hand: Hand, patch: str) -> None:
    with pytest.raises(PatchUnusable, match="does not apply"):
        hand.grade("fix", patch)


GOOD = """
from toolbox.text import shorten


def test_mark():
    assert shorten("abcdef", 4)[-1] == "~"
"""


@pytest.mark.parametrize(
    ("tests", "solved", "message"),
    [
        (GOOD, True, "1 of 1 added tests witness"),
        (GOOD + "\n\ndef test_length():\n    assert len(shorten('abc', 2)) == 2\n", True, "1 of 2 added tests witness"),
        (GOOD.replace("== ", "!= "), False, "do not pass on the restored state"),
        ("def test_nothing():\n    assert True\n", False, "none of the 1 added tests fails in its call phase"),
        ("from toolbox.text import ellipsis\n" + GOOD, False, "the patch adds no test"),
        ("from toolbox import text\nassert text.shorten('abcdef', 4)[-1] == '~'\n" + GOOD, False, "none of the 1"),
        (GOOD.replace("def test_mark():", "import pytest\n\n\n@pytest.fixture\ndef text():\n    assert"
         " shorten('abcdef', 4)[-1] == '~'\n\n\ndef test_mark(text):"), False, "none of the 1"),
        ("import random\n\n\ndef test_luck():\n    assert random.SystemRandom().random() < 0\n", False, "do not pass"),
    ],
    ids=["witness", "witness and bystander", "wrong", "bystander", "import error on both", "import error on the task",
         "set-up error on the task", "never passes"],
)  # fmt: skip
def test_tests_must_tell_the_task_from_the_restored_state(hand: Hand, tests: str, solved: bool, message: str) -> None:
    graded = hand.grade("tests", changed("tests/test_agent.py", "", tests))
    assert (graded.solved, message in graded.message) == (solved, True), graded
    assert graded.counted == ("tests/test_agent.py",)


def test_tests_may_be_added_to_a_file_that_is_there_and_only_they_are_judged(hand: Hand) -> None:
    seen = hand.seen("tests", TESTS)
    graded = hand.grade(
        "tests", changed(TESTS, seen, f"{seen}\n\ndef test_mark():\n    assert shorten('abc', 2) == 'a~'\n")
    )
    assert graded.solved, graded
    assert graded.targets == 1


def test_a_repair_is_no_answer_where_tests_are_asked_for(hand: Hand) -> None:
    graded = hand.grade("tests", hand.restoration("tests"))
    assert not graded.solved
    assert (graded.counted, graded.put_back) == ((), (TEXT,))
    assert graded.message.startswith("the patch adds no test; changes outside the contract were put back")


def test_trees_are_made_again_from_the_patches_and_must_be_those_that_were_verified(hand: Hand) -> None:
    variant = hand.variant("fix")
    trees = variant.spec.trees
    assert lay_trees(hand.store, hand.base.repository, variant).full == trees.healthy
    forged = variant.replacing(spec=variant.spec.replacing(trees=trees.replacing(agent=trees.healthy)))
    with pytest.raises(StoreDamaged, match="hidingPatch does not lead to the tree that was verified"):
        grade_patch(hand.store, hand.base, forged, b"")
