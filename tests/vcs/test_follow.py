import shutil

import pytest

from change2task.vcs.errors import NotAnAncestor
from change2task.vcs.repository import Repository
from tests.support.repos import Moved, Symlink


def text(name, count=40):
    return b"".join(b"%s line %d\n" % (name.encode(), number) for number in range(count))


def edited(name, *numbers):
    rows = text(name).splitlines(keepends=True)
    for number in numbers:
        rows[number] = b"edited %d\n" % number
    return b"".join(rows)


@pytest.fixture
def repo(source, opened):
    source.commit({"a.py": text("a"), "b.py": text("b"), "keep.py": text("k")}, "First")
    return lambda: opened(Repository.open(source.path))


def test_a_file_that_stays_keeps_its_name(source, repo):
    start = source.tip()
    source.commit({"keep.py": edited("k", 1)})
    assert repo().follow(b"keep.py", start, source.tip()) == b"keep.py"
    assert repo().follow(b"keep.py", start, start) == b"keep.py"


def test_a_rename_is_followed(source, repo):
    start = source.tip()
    source.commit({"c.py": Moved("a.py")})
    assert repo().follow(b"a.py", start, source.tip()) == b"c.py"
    assert repo().follow(b"b.py", start, source.tip()) == b"b.py"


def test_renames_with_edits_add_up_over_many_commits(source, repo):
    start = source.tip()
    source.commit({"c.py": edited("a", *range(0, 15)), "a.py": None})
    source.commit({"pkg/d.py": edited("a", *range(0, 30)), "c.py": None})
    source.commit({"src/pkg/d.py": edited("a", *range(0, 40)), "pkg/d.py": None})
    tip = source.tip()
    assert repo().renames(start, tip).get(b"a.py") is None  # the two ends alone have nothing in common
    assert repo().follow(b"a.py", start, tip) == b"src/pkg/d.py"


def test_a_name_given_away_and_back_is_followed(source, repo):
    start = source.tip()
    source.commit({"c.py": Moved("a.py")})
    there = source.tip()
    source.commit({"a.py": Moved("c.py")})
    assert repo().follow(b"a.py", start, source.tip()) == b"a.py"
    assert repo().follow(b"c.py", there, source.tip()) == b"a.py"


def test_names_swapped_in_two_steps_are_followed(source, repo):
    start = source.tip()
    source.commit({"x.py": Moved("a.py")})
    source.commit({"a.py": Moved("b.py")})
    source.commit({"b.py": Moved("x.py")})
    assert repo().follow(b"a.py", start, source.tip()) == b"b.py"
    assert repo().follow(b"b.py", start, source.tip()) == b"a.py"


def test_a_folder_that_moves_takes_its_files_along(source, repo):
    files = {f"old/sub/f{number}.py": text(str(number)) for number in range(5)}
    start = source.commit(files)
    source.commit({f"src/new/f{number}.py": Moved(f"old/sub/f{number}.py") for number in range(5)})
    assert repo().follow(b"old/sub/f3.py", start, source.tip()) == b"src/new/f3.py"


def test_a_file_rewritten_while_its_folder_moves_goes_along(source, repo):
    start = source.commit({"old/x.py": text("x"), "old/y.py": text("y"), "old/__init__.py": b""})
    source.commit(
        {
            "new/x.py": Moved("old/x.py"),
            "new/y.py": b"all new\n",
            "old/y.py": None,
            "new/__init__.py": Moved("old/__init__.py"),
        }
    )
    assert repo().follow(b"old/y.py", start, source.tip()) == b"new/y.py"


def test_a_deleted_file_is_lost(source, repo):
    start = source.tip()
    source.commit({"a.py": None, "other.py": text("other")})
    source.commit({"keep.py": edited("k", 3)})
    assert repo().follow(b"a.py", start, source.tip()) is None


def test_a_file_that_was_not_there_is_not_followed(source, repo):
    start = source.tip()
    source.commit({"later.py": text("later")})
    assert repo().follow(b"later.py", start, source.tip()) is None
    assert repo().follow(b"nowhere/at/all", start, source.tip()) is None


def test_a_deletion_that_is_taken_back_is_no_loss(source, repo):
    start = source.tip()
    source.commit({"a.py": None})
    source.commit({"a.py": edited("a", 2)})
    source.commit({"c.py": Moved("a.py")})
    assert repo().follow(b"a.py", start, source.tip()) == b"c.py"


def test_another_file_under_the_same_name_is_another_file(source, repo):
    start = source.tip()
    source.commit({"a.py": None})
    source.commit({"a.py": b"something else\n" * 40})
    assert repo().follow(b"a.py", start, source.tip()) is None


def test_a_link_in_place_of_a_deleted_file_is_another_file(source, repo):
    start = source.tip()
    source.commit({"a.py": None})
    source.commit({"a.py": Symlink(b"keep.py")})
    assert repo().follow(b"a.py", start, source.tip()) is None


def test_a_copy_leaves_the_original_its_name(source, repo):
    start = source.tip()
    source.commit({"copy.py": text("a")})
    assert repo().follow(b"a.py", start, source.tip()) == b"a.py"


def test_a_rename_on_a_merged_branch_is_followed_along_the_main_line(source, repo):
    start = source.tip()
    source.switch("move")
    source.commit({"c.py": Moved("a.py")})
    source.switch("main")
    source.commit({"b.py": edited("b", 1)})
    source.merge("move")
    assert repo().follow(b"a.py", start, source.tip()) == b"c.py"


def test_a_change_on_a_side_branch_is_followed_through_its_merge(source, repo):
    source.switch("feature")
    change = source.commit({"new.py": text("new")})
    source.commit({"newer.py": Moved("new.py")})
    source.switch("main")
    source.commit({"c.py": Moved("a.py")})
    source.merge("feature")
    source.commit({"pkg/newer.py": Moved("newer.py")})
    assert repo().follow(b"new.py", change, source.tip()) == b"pkg/newer.py"
    assert repo().follow(b"a.py", change, source.tip()) == b"c.py"


def test_an_octopus_merge_is_passed(source, repo):
    for name in ("one", "two"):
        source.switch(name, at=source.tip("main"))
        source.commit({f"{name}.py": text(name)})
    change = source.tip("two")
    source.switch("main")
    source.merge("one", "two")
    source.commit({"moved.py": Moved("two.py")})
    assert repo().follow(b"two.py", change, source.tip()) == b"moved.py"


def test_commits_that_are_not_on_one_line_are_refused(source, repo):
    start = source.tip()
    source.switch("elsewhere")
    other = source.commit({"x": b"1"})
    source.switch("main")
    end = source.commit({"y": b"1"})
    with pytest.raises(NotAnAncestor, match=other):
        repo().follow(b"a.py", other, end)
    with pytest.raises(NotAnAncestor):
        repo().follow(b"a.py", end, start)


def test_odd_names_are_followed(source, repo):
    odd = b'tab\there/caf\xe9 "x".py'
    start = source.commit({odd: text("odd")})
    source.commit({"plain.py": Moved(odd)})
    source.commit({b"\xff\n": Moved("plain.py")})
    assert repo().follow(odd, start, source.tip()) == b"\xff\n"


def test_a_blob_that_is_missing_on_the_way_costs_only_its_own_similarity(source, repo):
    start = source.tip()
    source.commit({"c.py": Moved("a.py")})
    source.commit({"big.bin": text("big", 4000)})
    source.commit({"keep.py": edited("k", 1)})
    source.commit({"big.bin": None, "large.bin": text("big", 3900), "d.py": Moved("c.py")})
    source.commit({"e.py": edited("a", 7), "d.py": None})
    oid = source.git("rev-parse", "HEAD~2:big.bin").decode().strip()
    (source.path / ".git/objects" / oid[:2] / oid[2:]).unlink()
    with pytest.raises(AssertionError, match=oid):
        source.git("diff-tree", "-r", "-M", "HEAD~2", "HEAD~1")
    assert repo().follow(b"a.py", start, source.tip()) == b"e.py"


def test_what_is_known_of_a_line_serves_every_path_on_it(source, repo):
    files = {f"f{number}.py": text(str(number)) for number in range(30)}
    start = source.commit(files)
    for number in range(30):
        source.commit({f"g{number}.py": Moved(f"f{number}.py")})
    held = repo()
    end = source.tip()
    assert held.follow(b"f0.py", start, end) == b"g0.py"
    shutil.rmtree(source.path)
    assert [held.follow(f"f{number}.py".encode(), start, end) for number in range(30)] == [
        f"g{number}.py".encode() for number in range(30)
    ]


def test_a_trail_holds_each_version_of_a_file_under_its_names(source, repo):
    start = source.tip()
    first = source.commit({"a.py": edited("a", 1)})
    source.commit({"keep.py": edited("k", 1)})
    moved = source.commit({"pkg/a.py": Moved("a.py")})
    last = source.commit({"pkg/a.py": edited("a", 1, 2)})
    trail = repo().trail(b"a.py", start, source.tip())
    assert [(v.commit, v.path) for v in trail] == [
        (start, b"a.py"),
        (first, b"a.py"),
        (moved, b"pkg/a.py"),
        (last, b"pkg/a.py"),
    ]
    assert repo().blob(trail[-1].entry.oid) == edited("a", 1, 2)


def test_a_trail_ends_where_the_file_was_deleted(source, repo):
    start = source.tip()
    source.commit({"a.py": None})
    source.commit({"keep.py": edited("k", 1)})
    assert [v.commit for v in repo().trail(b"a.py", start, source.tip())] == [start]


def test_a_trail_of_a_file_that_was_not_there_is_empty(source, repo):
    assert repo().trail(b"none.py", source.tip(), source.tip()) == ()
    assert len(repo().trail(b"a.py", source.tip(), source.tip())) == 1
