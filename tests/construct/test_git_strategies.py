"""Level 1: git's own reversal, and git's three-way merge with renames followed."""

from __future__ import annotations

from change2task.construct.strategies.exact_reversal import ExactReversal
from change2task.construct.strategies.three_way import ThreeWay

LINES = [f"line {n}\n".encode() for n in range(40)]
BEFORE = b"".join(LINES)
AFTER = BEFORE.replace(b"line 20\n", b"line twenty\nline more\n")


def test_reversal_is_a_reversal_and_never_the_patch_forward(proposed):
    [files] = proposed(ExactReversal(), {"m.py": BEFORE}, {"m.py": AFTER}, {"m.py": AFTER})
    assert files["m.py"] == BEFORE


def test_a_base_that_no_longer_holds_the_change_is_refused(proposed):
    [why] = proposed(ExactReversal(), {"m.py": BEFORE}, {"m.py": AFTER}, {"m.py": BEFORE})
    assert "m.py" in why


def test_files_the_change_does_not_touch_are_left_alone(proposed):
    rest = {"tests/test_m.py": b"new test\n", "CHANGES": b"news\n"}
    [files] = proposed(ExactReversal(), {"m.py": BEFORE}, {"m.py": AFTER}, {"m.py": AFTER, **rest})
    assert {p: files[p] for p in rest} == rest


def test_reversal_is_atomic_when_one_hunk_does_not_fit(proposed):
    after = AFTER.replace(b"line 3\n", b"line three\n")
    healthy = after.replace(b"line twenty\n", b"line 20 again\n")
    [answer] = proposed(ExactReversal(), {"m.py": BEFORE}, {"m.py": after}, {"m.py": healthy})
    assert isinstance(answer, str)


def test_three_way_tolerates_drifted_context(proposed):
    healthy = AFTER.replace(b"line 18\n", b"line eighteen\n").replace(b"line 23\n", b"line 23!\n")
    [refused] = proposed(ExactReversal(), {"m.py": BEFORE}, {"m.py": AFTER}, {"m.py": healthy})
    assert isinstance(refused, str)
    [files] = proposed(ThreeWay(), {"m.py": BEFORE}, {"m.py": AFTER}, {"m.py": healthy})
    assert b"line 20\n" in files["m.py"]
    assert b"line eighteen\n" in files["m.py"]


def test_three_way_follows_a_renamed_file(proposed):
    [files] = proposed(ThreeWay(), {"m.py": BEFORE}, {"m.py": AFTER}, {"pkg/m.py": AFTER}, moved={"m.py": "pkg/m.py"})
    assert files == {"pkg/m.py": BEFORE}


def test_a_conflict_names_the_file(proposed):
    healthy = AFTER.replace(b"line twenty\n", b"line zwanzig\n")
    [why] = proposed(ThreeWay(), {"m.py": BEFORE}, {"m.py": AFTER}, {"m.py": healthy})
    assert why == "conflicts in m.py"


def test_a_file_the_change_added_is_removed_and_one_it_deleted_comes_back(proposed):
    before, after = {"old.py": BEFORE, "k.py": b"k\n"}, {"new.py": b"n\n" * 9, "k.py": b"k\n"}
    for strategy in (ExactReversal(), ThreeWay()):
        [files] = proposed(strategy, before, after, after)
        assert files == before


def test_binary_content_is_reversed_byte_for_byte(proposed):
    before, after = {"data.bin": bytes(range(256))}, {"data.bin": bytes(reversed(range(256)))}
    [files] = proposed(ExactReversal(), before, after, after)
    assert files == before
