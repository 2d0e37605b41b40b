"""Functions of the change that have moved since, and that nobody uses once it is undone."""

from __future__ import annotations

import pytest

from change2task.construct.leftover import without_leftovers
from change2task.construct.repair import repair
from change2task.syntax.languages import Language

BEFORE = b"def load(path):\n    return open(path)\n"
ADDED = b'def _disabled():\n    value = os.environ["OFF"]\n    return value in {"1", "true"}\n'
AFTER = (
    BEFORE.replace(b"    return open", b"    if _disabled():\n        return None\n    return open") + b"\n\n" + ADDED
)
MOVED = ADDED + b"\n\n" + BEFORE


def left(text: bytes, *others: str) -> tuple[bytes, tuple[str, ...]]:
    return without_leftovers(Language.PYTHON, b"m.py", (BEFORE, AFTER), text, lambda name: name in others)


def test_what_moved_and_nobody_uses_any_more_goes():
    assert left(MOVED) == (BEFORE, ("_disabled",))


@pytest.mark.parametrize(
    "text",
    [
        MOVED + b"\n\ndef later():\n    return _disabled()\n",
        MOVED.replace(ADDED, b"def _disabled():\n    return ask(another, way, altogether, [1, 2, 3])\n"),
        MOVED.replace(b"_disabled", b"_enabled"),
    ],
    ids=["used", "another", "other name"],
)
def test_what_is_used_or_is_another_stays(text):
    assert left(text) == (text, ())


def test_what_another_file_uses_stays():
    assert left(MOVED, "_disabled") == (MOVED, ())


def test_what_stood_before_the_change_is_not_the_changes():
    assert without_leftovers(Language.PYTHON, b"m.py", (MOVED, AFTER), MOVED, lambda name: False) == (MOVED, ())


def test_a_tree_that_still_holds_it_is_repaired(scene):
    healthy = {"m.py": ADDED + b"\n\n" + AFTER.replace(b"\n\n" + ADDED, b""), "other.py": b"x = 1\n"}
    assignment = scene.assignment({"m.py": BEFORE}, {"m.py": AFTER}, healthy).replacing(sources=tuple(healthy))
    found = repair(scene.repository, assignment, scene.tree({**healthy, "m.py": MOVED}))
    assert scene.files(found.tree)["m.py"] == BEFORE
    assert found.missed == "m.py still holds _disabled, which the change added and nothing uses now"
