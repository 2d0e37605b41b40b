"""Trees whose code misses names: what later code needs comes back, what only the change handed on goes."""

from __future__ import annotations

import pytest

from change2task.construct.repair import Undefined, repair

BEFORE = b"import os\n\n\ndef load(path):\n    return os.stat(path)\n"
ADDED = b"\n\ndef check(path):\n    return bool(path)\n"


@pytest.fixture
def repaired(scene):
    """What repair makes of a tree, as files, or None; all files of the base are source."""

    def run(before, after, healthy, task):
        assignment = scene.assignment(before, after, healthy).replacing(sources=tuple(healthy))
        found = repair(scene.repository, assignment, scene.tree(task))
        return None if found is None else scene.files(found.tree)

    return run


def test_a_tree_that_misses_nothing_is_left_alone(repaired):
    assert repaired({"m.py": BEFORE}, {"m.py": BEFORE + ADDED}, {"m.py": BEFORE + ADDED}, {"m.py": BEFORE}) is None


def test_a_function_that_another_file_has_come_to_use_is_kept(repaired):
    user = b"from m import check\n\n\ndef run(path):\n    return check(path)\n"
    after = {"m.py": BEFORE.replace(b"os.stat", b"os.lstat") + ADDED}
    healthy = {**after, "user.py": user}
    files = repaired({"m.py": BEFORE}, after, healthy, {"m.py": BEFORE, "user.py": user})
    assert files == {"m.py": BEFORE + ADDED, "user.py": user}


def test_a_function_the_same_file_still_uses_comes_back_behind_the_one_it_stood_behind(repaired):
    healthy = {"m.py": BEFORE + ADDED + b"\n\ndef run(path):\n    return check(path)\n"}
    task = {"m.py": BEFORE + b"\n\ndef run(path):\n    return check(path)\n"}
    task = {"m.py": task["m.py"].replace(b"os.stat", b"os.lstat")}
    files = repaired({"m.py": BEFORE}, {"m.py": BEFORE + ADDED}, healthy, task)
    assert files["m.py"] == healthy["m.py"].replace(b"os.stat", b"os.lstat")


def test_an_import_that_later_code_needs_comes_back(repaired):
    healthy = {"m.py": b"import os\nimport sys\n\n\ndef load(path):\n    return os.stat(path), sys.path\n"}
    task = {"m.py": b"import os\n\n\ndef load(path):\n    return os.lstat(path), sys.path\n"}
    files = repaired({"m.py": BEFORE}, {"m.py": BEFORE + b"\n"}, healthy, task)
    assert files["m.py"] == b"import os\nimport sys\n\n\ndef load(path):\n    return os.lstat(path), sys.path\n"


def test_a_name_out_of_a_list_of_imports_comes_back_alone(repaired):
    healthy = {"m.py": b"from os import path, stat\n\n\ndef load(p):\n    return path.join(p), stat(p)\n"}
    task = {"m.py": b"from os import stat\n\n\ndef load(p):\n    return path.join(p), stat(p, 1)\n"}
    files = repaired({"m.py": BEFORE}, {"m.py": BEFORE + b"\n"}, healthy, task)
    assert files["m.py"].startswith(b"from os import path\nfrom os import stat\n")


def test_a_name_that_a_file_of_the_change_only_hands_on_is_no_longer_handed_on(repaired):
    init = b'from m import check\nfrom m import load\n\n__all__ = [\n    "check",\n    "load",\n]\n'
    before = {"m.py": BEFORE, "api.py": b"from m import load\n"}
    after = {"m.py": BEFORE + ADDED, "api.py": b"from m import check\nfrom m import load\n"}
    healthy = {"m.py": BEFORE + ADDED, "api.py": init}
    files = repaired(before, after, healthy, {"m.py": BEFORE, "api.py": init})
    assert files == {"m.py": BEFORE, "api.py": b'from m import load\n\n__all__ = [\n    "load",\n]\n'}


def test_a_helper_that_code_from_before_the_change_uses_comes_back_with_it(repaired):
    before = {"m.py": b"def _helper(x):\n    return x\n\n\ndef load(path):\n    return _helper(path)\n"}
    after = {"m.py": b"def _helper(x):\n    return x\n\n\ndef load(path):\n    return _helper(path) or path\n"}
    healthy = {"m.py": b"def load(path):\n    return path\n"}
    files = repaired(before, after, healthy, {"m.py": b"def load(path):\n    return _helper(path)\n"})
    assert files["m.py"] == before["m.py"]


def test_a_method_that_nobody_else_defines_and_later_code_calls_is_kept(repaired):
    before = b"class A:\n    def load(self):\n        return 1\n"
    added = b"\n    def check_all(self):\n        return 2\n"
    user = b"def run(a):\n    return a.check_all()\n"
    healthy = {"m.py": before + added, "user.py": user}
    task = {"m.py": before.replace(b"return 1", b"return 0"), "user.py": user}
    files = repaired({"m.py": before}, {"m.py": before + added}, healthy, task)
    assert files["m.py"] == before.replace(b"return 1", b"return 0") + added


def test_a_name_that_nothing_defines_any_more_is_said_before_anything_runs(repaired):
    task = {"m.py": BEFORE.replace(b"os.stat(path)", b"vanished(path)")}
    with pytest.raises(Undefined, match=r"m.py would use vanished, which nothing defines any more"):
        repaired({"m.py": BEFORE}, {"m.py": BEFORE + b"\n"}, {"m.py": BEFORE}, task)


def test_a_file_that_the_change_added_and_later_code_imports_is_kept(repaired):
    added = b"def check(path):\n    return bool(path)\n"
    user = b"from new import check\n\n\ndef run(path):\n    return check(path)\n"
    healthy = {"new.py": added, "m.py": BEFORE + b"\n", "user.py": user}
    files = repaired(
        {"m.py": BEFORE}, {"m.py": BEFORE + b"\n", "new.py": added}, healthy, {"m.py": BEFORE, "user.py": user}
    )
    assert files == {"new.py": added, "m.py": BEFORE, "user.py": user}
