"""The parts of a restoration that can be left out: which there are, and what is left without each."""

from __future__ import annotations

from change2task.construct.parts import Part, parts_of
from change2task.vcs.trees import Entry, Tree
from tests.construct.conftest import Scene

FAR = b"".join(b"line_%d = %d\n" % (n, n) for n in range(12))
TASK = b"def one():\n    return 0\n\n\n" + FAR + b"\n\ndef two():\n    return 0\n"
HEALTHY = TASK.replace(b"return 0", b"return 1", 1).replace(b"def two():\n    return 0", b"def two():\n    return 2")


def found(scene: Scene, task: dict[str, bytes], healthy: dict[str, bytes]) -> list[Part]:
    return parts_of(scene.repository, scene.tree(task), scene.tree(healthy))


def told(parts: list[Part]) -> list[tuple[str, str, int, str]]:
    return [(part.kind, part.path, part.line, part.name) for part in parts]


def test_a_change_of_one_hunk_is_one_part_and_what_is_left_without_it_is_the_task_state(scene: Scene) -> None:
    task, healthy = {"a.py": b"x = 0\n"}, {"a.py": b"x = 1\n"}
    [part] = found(scene, task, healthy)
    assert (part.kind, part.without) == ("file", scene.tree(task))


def test_each_hunk_is_left_out_with_the_others_in_place(scene: Scene) -> None:
    first, second = found(scene, {"a.py": TASK}, {"a.py": HEALTHY})
    assert told([first, second]) == [("hunk", "a.py", 2, ""), ("hunk", "a.py", 20, "")]
    assert scene.files(first.without)["a.py"] == HEALTHY.replace(b"return 1", b"return 0")
    assert scene.files(second.without)["a.py"] == HEALTHY.replace(b"return 2", b"return 0")


def test_a_hunk_alone_is_what_the_task_state_becomes_by_it(scene: Scene) -> None:
    first, *_ = found(scene, {"a.py": TASK}, {"a.py": HEALTHY})
    assert first.alone is not None
    assert scene.files(first.alone)["a.py"] == TASK.replace(b"return 0", b"return 1", 1)


def test_each_file_is_left_out_a_new_one_and_one_that_is_gone_too(scene: Scene) -> None:
    task, healthy = {"a.py": b"x = 0\n", "gone.py": b"y = 0\n"}, {"a.py": b"x = 1\n", "new.py": b"z = 1\n"}
    parts = found(scene, task, healthy)
    assert [(part.kind, part.path) for part in parts] == [("file", "a.py"), ("file", "gone.py"), ("file", "new.py")]
    assert [sorted(scene.files(part.without)) for part in parts] == [
        ["a.py", "new.py"],
        ["a.py", "gone.py", "new.py"],
        ["a.py"],
    ]


def test_functions_that_share_a_hunk_are_left_out_one_by_one(scene: Scene) -> None:
    task = b"def one():\n    return 0\n\n\ndef two():\n    return 0\n"
    healthy = b"def one():\n    return 1\n\n\ndef two():\n    return 2\n"
    parts = found(scene, {"a.py": task}, {"a.py": healthy})
    assert told(parts) == [("function", "a.py", 1, "one"), ("function", "a.py", 5, "two")]
    assert scene.files(parts[0].without)["a.py"] == healthy.replace(b"return 1", b"return 0")


def test_what_no_check_can_notice_is_no_part(scene: Scene) -> None:
    task = b"# Old words\n" + FAR + b"x = 0\n" + FAR + b'def f():\n    """Old."""\n'
    healthy = b"# New words\n" + FAR + b"x = 1\n" + FAR + b'def f():\n    """New."""\n'
    assert told(found(scene, {"a.py": task}, {"a.py": healthy})) == [("hunk", "a.py", 14, "")]


def test_binary_files_and_changed_modes_are_parts_of_their_own(scene: Scene) -> None:
    task, healthy = {"a.bin": b"\0old", "b.py": b"x = 0\n"}, {"a.bin": b"\0new", "b.py": b"x = 1\n"}
    first, _ = found(scene, task, healthy)
    assert (first.path, scene.files(first.without)["a.bin"]) == ("a.bin", b"\0old")


def test_lines_without_an_end_and_names_that_need_quotes_are_left_out_as_they_stand(scene: Scene) -> None:
    task, healthy = {'ä "b".py': b"x = 0", "c.py": b"y = 0"}, {'ä "b".py': b"x = 1", "c.py": b"y = 1"}
    parts = found(scene, task, healthy)
    assert [scene.files(part.without)['ä "b".py'] for part in parts] == [b"x = 1", b"x = 0"]


def test_a_hunk_goes_to_its_own_lines_where_others_look_alike(scene: Scene) -> None:
    def table(three: int, head: bytes = b"") -> bytes:
        blocks = b"".join(
            b"    if n == %d:\n        x = 1\n        x += 1\n        x -= %d\n        x *= 1\n        return x\n"
            % (n, three if n == 3 else 5)
            for n in range(9)
        )
        return b"import os\n" + head + b"\n\ndef f(n):\n" + blocks

    task, healthy = table(5), table(7, b"".join(b"UNUSED_%d = os\n" % n for n in range(12)))
    parts = [part for part in found(scene, {"a.py": task}, {"a.py": healthy}) if part.kind == "hunk"]
    assert [scene.files(part.without)["a.py"] for part in parts] == [
        table(7),
        table(5, b"".join(b"UNUSED_%d = os\n" % n for n in range(12))),
    ]


def test_lines_end_where_git_says_so(scene: Scene) -> None:
    task = b"x = 'a\rb'\r\n" + FAR + b"y = 0\r\n\x0c" + FAR + b"z = 0"
    healthy = task.replace(b"x = 'a", b"x = 'c").replace(b"y = 0", b"y = 1").replace(b"z = 0", b"z = 1")
    parts = [part for part in found(scene, {"a.txt": task}, {"a.txt": healthy}) if part.kind == "hunk"]
    assert [scene.files(part.without)["a.txt"] for part in parts] == [
        healthy.replace(b"x = 'c", b"x = 'a"),
        healthy.replace(b"y = 1", b"y = 0"),
        healthy.replace(b"z = 1", b"z = 0"),
    ]


def test_a_submodule_and_a_mode_are_parts_and_a_coding_is_no_comment(scene: Scene) -> None:
    def tree(mode: int, module: str, coding: bytes) -> str:
        write = scene.repository.write_blob
        return scene.repository.write_tree(
            Tree(
                {
                    b"run.sh": Entry(mode, write(b"echo\n")),
                    b"vendor.js": Entry(0o160000, module * 40),
                    b"a.py": Entry(0o100644, write(b"# coding: %s\nx = 1\n" % coding)),
                }
            )
        )

    parts = parts_of(scene.repository, tree(0o100644, "3", b"latin-1"), tree(0o100755, "4", b"utf-8"))
    assert sorted(part.path for part in parts) == ["a.py", "run.sh", "vendor.js"]
