"""D, G and T lead where they say, byte for byte, and hidden tests are gone from the agent's tree."""

from __future__ import annotations

import pytest

from change2task.construct.hiding import NotHidable, hide
from change2task.construct.patches import derive

TEST_FILE = b"""import pkg
from pkg import brand_new, old


def test_old():
    assert old() == 1


def test_new():
    assert brand_new() == 2
"""


def test_the_three_patches_are_inverse_to_each_other_for_odd_bytes(scene):
    odd = {"a b/\u00e9.py": b"\xff\xfe x\r\ny", "m.py": b"no final newline", "bin": bytes(range(256))}
    healthy = scene.tree({**odd, "t.py": TEST_FILE})
    task = scene.tree({**odd, "m.py": b"other\n", "bin": b"\0\1", "t.py": TEST_FILE})
    agent = scene.tree({**odd, "m.py": b"other\n", "bin": b"\0\1", "t.py": b"x = 1\n"})
    patches = derive(scene.repository, healthy, task, agent)
    assert scene.repository.apply(task, patches.restoration) == healthy
    assert scene.repository.apply(agent, patches.hiding, reverse=True) == task


def test_a_hidden_test_goes_with_the_import_only_it_needs(scene):
    tree = scene.tree({"t.py": TEST_FILE})
    outcome = hide(scene.repository, tree, {"t.py": frozenset({"test_new"})}, {})
    text = scene.files(outcome.tree)["t.py"]
    assert b"brand_new" not in text
    assert b"test_old" in text
    assert b"from pkg import old" in text


def test_a_language_without_a_parser_is_put_back_whole(scene):
    earlier = scene.repository.write_blob(b"earlier\n")
    tree = scene.tree({"t.rb": b"later\n", "u.rb": b"later\n"})
    hidden = {"t.rb": frozenset({"x"}), "u.rb": frozenset({"y"})}
    outcome = hide(scene.repository, tree, hidden, {"t.rb": earlier, "u.rb": None})
    assert scene.files(outcome.tree) == {"t.rb": b"earlier\n"}


@pytest.mark.parametrize(
    ("path", "names", "earlier", "why"),
    [
        ("t.py", {"test_gone"}, {}, "test_gone is not written in it"),
        ("t.py", {"test_new", "TestChild::test_inherited"}, {}, "TestChild::test_inherited is not written in it"),
        ("absent.py", {"x"}, {}, "not in the task state"),
        ("t.rb", {"x"}, {}, "no parser"),
    ],
)
def test_what_cannot_be_hidden_says_why(scene, path, names, earlier, why):
    tree = scene.tree({"t.py": TEST_FILE, "t.rb": b"x\n"})
    with pytest.raises(NotHidable, match=why):
        hide(scene.repository, tree, {path: frozenset(names)}, earlier)
