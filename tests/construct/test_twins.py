"""The same lines in several places: a patch is reversed where the change's own lines are now, or not at all."""

from __future__ import annotations

import pytest

from change2task.construct.strategies.exact_reversal import ExactReversal
from change2task.construct.strategies.line_ownership import LineOwnership
from change2task.construct.strategies.relaxed_context import RelaxedContext

GUARD = b"        if self.closed:\n            raise ValueError('closed')\n"


def method(name: str, *, guarded: bool = True, between: bytes = b"") -> bytes:
    above = b"        # One at a time.\n        self.lock()\n        self.count += 1\n"
    below = b"        self.flush()\n        self.count -= 1\n        self.unlock()\n"
    head = b"    def %s(self):\n" % name.encode()
    return head + above + between + (GUARD if guarded else b"") + below + b"        return '%s'\n\n" % name.encode()


def stream(*methods: bytes) -> bytes:
    return b"class Stream:\n" + b"".join(methods)


TEXT = b"a\nb\nc\nd\ny\n"
READ, WRITE, CLOSE, SEND = map(method, ("read", "write", "close", "send"))
BARE = method("write", guarded=False)
BEFORE, AFTER = stream(READ, BARE, CLOSE), stream(READ, WRITE, CLOSE)


def entry(number: int, colour: bytes = b"red") -> bytes:
    return b'  {\n    "id": %d,\n    "a": 1,\n    "b": 2,\n    "c": 3,\n    "colour": "%s",\n    "d": 4,\n' % (
        number,
        colour,
    ) + (b'    "e": 5,\n    "f": 6\n  },\n')


def test_a_twin_that_came_to_stand_at_the_changes_old_number_is_not_taken_for_it(proposed):
    [why] = proposed(ExactReversal(), {"s.py": BEFORE}, {"s.py": AFTER}, {"s.py": stream(SEND, READ, WRITE, CLOSE)})
    assert why == "s.py: git takes other lines than those the change's became, of those at 14"


def test_what_follows_lines_undoes_the_change_whose_twin_git_takes(proposed):
    [files] = proposed(LineOwnership(), {"s.py": BEFORE}, {"s.py": AFTER}, {"s.py": stream(SEND, READ, WRITE, CLOSE)})
    assert files == {"s.py": stream(SEND, READ, BARE, CLOSE)}


@pytest.mark.parametrize(
    "modern",
    [
        (READ, WRITE, CLOSE, SEND),
        (READ, WRITE, SEND, CLOSE),
        (method("read", between=b"        self.seen()\n"), WRITE, CLOSE, SEND),
    ],
    ids=["twin below", "twin just below", "a line more above"],
)
def test_a_change_among_twins_is_undone_where_it_still_stands(proposed, modern):
    [files] = proposed(ExactReversal(), {"s.py": BEFORE}, {"s.py": AFTER}, {"s.py": stream(*modern)})
    assert files == {"s.py": stream(*(BARE if one is WRITE else one for one in modern))}


@pytest.mark.parametrize("strategy", [ExactReversal(), RelaxedContext()], ids=lambda strategy: strategy.name)
def test_the_last_twin_is_not_the_change_when_the_changes_own_lines_were_rewritten(proposed, strategy):
    grown = WRITE.replace(b"'closed'", b"'no longer open'")
    before, after = stream(READ, BARE), stream(READ, WRITE)
    [why] = proposed(strategy, {"s.py": before}, {"s.py": after}, {"s.py": stream(READ, grown)})
    assert isinstance(why, str)
    assert "line 1" in why


def test_a_method_that_moved_leaves_its_place_to_no_twin(proposed):
    modern = stream(WRITE, READ, SEND, CLOSE)
    [why] = proposed(ExactReversal(), {"s.py": BEFORE}, {"s.py": AFTER}, {"s.py": modern})
    assert isinstance(why, str)
    assert "s.py" in why


def table(*entries: bytes) -> bytes:
    return b"[\n" + b"".join(entries) + b"]\n"


@pytest.mark.parametrize("changed", range(9))
def test_in_a_table_of_equal_blocks_the_changed_one_is_undone_or_none(proposed, changed):
    rows = [entry(number) for number in range(10)]
    older = [entry(n, b"blue") if n == changed else row for n, row in enumerate(rows)]
    files = {"t.json": table(*older)}, {"t.json": table(*rows)}
    [same] = proposed(ExactReversal(), *files, {"t.json": table(*rows, entry(10))})
    assert same == {"t.json": table(*older, entry(10))}
    # Every row has moved by one, so that git would take the row before.
    moved = {"t.json": table(entry(99), *rows)}
    [why] = proposed(ExactReversal(), *files, moved)
    assert "git takes other lines" in why
    [right] = proposed(LineOwnership(), *files, moved)
    assert right == {"t.json": table(entry(99), *older)}


def test_the_last_block_is_left_to_who_follows_lines_when_its_like_was_put_behind_it(proposed):
    """Whose the lines before the new number are, the old last block's or the new one's, the text does not say."""
    rows = [entry(number) for number in range(3)]
    older = [*rows[:2], entry(2, b"blue")]
    files = {"t.json": table(*older)}, {"t.json": table(*rows)}, {"t.json": table(*rows, entry(3))}
    [why] = proposed(ExactReversal(), *files)
    assert isinstance(why, str)
    [right] = proposed(LineOwnership(), *files)
    assert right == {"t.json": table(*older, entry(3))}


def test_a_block_put_among_blocks_like_it_in_every_byte_is_refused(proposed):
    row = b"start\na\nb\nc\nred\nd\ne\nf\nend\n"
    older = row * 4 + row.replace(b"red", b"blue") + row * 5
    [why] = proposed(ExactReversal(), {"t": older}, {"t": row * 10}, {"t": row * 11})
    assert why.startswith("t: git takes other lines") or "does not tell which" in why


def test_lines_that_stand_once_are_undone_wherever_they_moved(proposed):
    once = BARE.replace(b"flush", b"sync"), WRITE.replace(b"flush", b"sync")
    before, after = stream(READ, once[0], CLOSE), stream(READ, once[1], CLOSE)
    [files] = proposed(ExactReversal(), {"s.py": before}, {"s.py": after}, {"s.py": stream(once[1], SEND, READ, CLOSE)})
    assert files == {"s.py": stream(once[0], SEND, READ, CLOSE)}


def test_each_hunk_of_a_file_is_held_to_its_own_place(proposed):
    plain = b"# Two.\n\n\n\ndef plain():\n    return 1\n\n\n\n\n"
    older = plain.replace(b"1", b"0") + BEFORE
    [files] = proposed(ExactReversal(), {"s.py": older}, {"s.py": plain + AFTER}, {"s.py": plain + AFTER + SEND})
    assert files == {"s.py": older + SEND}
    twin = plain + stream(SEND, READ, WRITE, CLOSE)
    [why] = proposed(ExactReversal(), {"s.py": older}, {"s.py": plain + AFTER}, {"s.py": twin})
    assert why == "s.py: git takes other lines than those the change's became, of those at 3, 24"


def test_a_last_line_without_an_end_is_undone_as_it_stands(proposed):
    [files] = proposed(ExactReversal(), {"t": TEXT + b"x"}, {"t": TEXT + b"y"}, {"t": b"new\n" * 9 + TEXT + b"y"})
    assert files == {"t": b"new\n" * 9 + TEXT + b"x"}


def test_a_file_that_the_change_emptied_is_filled_again(proposed):
    [files] = proposed(ExactReversal(), {"e": b"a\n", "k": b"k\n"}, {"e": b"", "k": b"k\n"}, {"e": b"", "k": b"k\n"})
    assert files == {"e": b"a\n", "k": b"k\n"}
