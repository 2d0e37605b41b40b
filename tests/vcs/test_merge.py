from change2task.vcs.repository import Repository
from tests.support.repos import Executable, Moved, Submodule

NUMBERS = b"".join(b"line %d\n" % number for number in range(1, 41))


def with_line(number, new, data=NUMBERS):
    return data.replace(b"line %d\n" % number, new)


def test_a_change_is_undone_on_a_file_that_was_renamed_and_edited_since(source, opened):
    before = source.commit({"old/a.py": NUMBERS, "b.py": b"x\n"})
    after = source.commit({"old/a.py": with_line(10, b"fixed\n")})
    healthy = source.commit({"new/a.py": with_line(10, b"fixed\n", with_line(30, b"later\n")), "old/a.py": None})
    repo = opened(Repository.open(source.path))
    result = repo.merge_tree(after, healthy, before)
    assert result.conflicts == ()
    merged = repo.tree(result.tree)
    assert set(merged) == {b"new/a.py", b"b.py"}
    assert repo.blob(merged[b"new/a.py"].oid) == with_line(30, b"later\n")


def test_a_file_comes_back_into_the_folder_that_moved(source, opened):
    files = {f"old/{name}.py": with_line(1, name.encode() + b"\n") for name in "abcd"}
    before = source.commit({**files, "old/gone.py": b"gone\n" * 30})
    after = source.commit({"old/gone.py": None})
    healthy = source.commit({f"new/{name}.py": Moved(f"old/{name}.py") for name in "abcd"})
    repo = opened(Repository.open(source.path))
    result = repo.merge_tree(after, healthy, before)
    assert result.tree is not None
    assert b"new/gone.py" in repo.tree(result.tree)


def test_conflicts_are_told_with_all_three_sides(source, opened):
    base = source.commit({"a b\xff".encode(): NUMBERS, "c": NUMBERS, "ok": b"1\n"})
    ours = source.commit({"a b\xff".encode(): with_line(5, b"ours\n"), "c": None, "ok": b"2\n"})
    source.switch("theirs", at=base)
    theirs = source.commit({"a b\xff".encode(): with_line(5, b"theirs\n"), "c": with_line(5, b"theirs\n")})
    repo = opened(Repository.open(source.path))
    result = repo.merge_tree(base, ours, theirs)
    assert result.tree is None
    assert result.conflicts == ("a b\xff".encode(), b"c")
    text, gone = result.details
    assert [repo.blob(side.oid).count(b"line") for side in (text.base, text.ours, text.theirs)] == [40, 39, 39]
    assert text.kind == "contents"
    assert (gone.ours, gone.kind) == (None, "modify/delete")
    marked = repo.blob(repo.tree(result.marked_tree)["a b\xff".encode()].oid)
    assert b"<<<<<<<" in marked
    assert b"|||||||" in marked
    assert repo.blob(repo.tree(result.marked_tree)[b"ok"].oid) == b"2\n"


def test_binary_files_modes_and_submodules_conflict_without_a_crash(source, opened):
    base = source.commit({"bin": b"\0" * 50, "m": Submodule("1" * 40), "run": b"x\n"})
    ours = source.commit({"bin": b"\0a" * 50, "m": Submodule("2" * 40), "run": Executable(b"x\n")})
    source.switch("theirs", at=base)
    theirs = source.commit({"bin": b"\0b" * 50, "m": Submodule("3" * 40), "run": b"y\n"})
    repo = opened(Repository.open(source.path))
    result = repo.merge_tree(base, ours, theirs)
    assert result.conflicts == (b"bin", b"m")
    run = repo.tree(result.marked_tree)[b"run"]
    assert (run.mode, repo.blob(run.oid)) == (0o100755, b"y\n")


def test_bytes_are_merged_as_they_are(source, opened):
    data = with_line(3, b"line 3\r\n", NUMBERS).removesuffix(b"\n")
    base = source.commit({"a": data})
    ours = source.commit({"a": data.replace(b"line 20\n", b"\xff\r\n")})
    source.switch("theirs", at=base)
    theirs = source.commit({"a": data.replace(b"line 3\r\n", b"3\r\n")})
    repo = opened(Repository.open(source.path))
    merged = repo.tree(repo.merge_tree(base, ours, theirs).tree)
    assert repo.blob(merged[b"a"].oid) == data.replace(b"line 20\n", b"\xff\r\n").replace(b"line 3\r\n", b"3\r\n")


def test_equal_sides_merge_to_themselves(source, opened):
    base = source.commit({"a": b"1\n"})
    other = source.commit({"a": b"2\n"})
    repo = opened(Repository.open(source.path))
    assert repo.merge_tree(base, other, other).tree == source.tree(other)
    assert repo.merge_tree(base, base, other).tree == source.tree(other)
    assert repo.merge_tree(base, base, base).tree == source.tree(base)
    assert repo.merge_tree(repo.empty_tree, base, base).tree == source.tree(base)
