import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from change2task.patch.counts import count_file
from change2task.patch.unified import MalformedPatch, parse_patch
from change2task.vcs.errors import PatchDoesNotApply
from change2task.vcs.repository import Repository
from change2task.vcs.trees import EXECUTABLE, FILE, SYMLINK, Entry, Tree
from tests.support.patches import touched
from tests.support.repos import Executable, Moved, RepoBuilder, Submodule, Symlink

NUMBERS = b"".join(b"line %d\n" % number for number in range(1, 41))


def changed(data, old, new):
    assert old in data
    return data.replace(old, new)


def test_every_kind_of_change_is_applied_and_taken_back(source, opened):
    old = source.commit(
        {
            "text": NUMBERS,
            "crlf": b"a\r\nb\r\n",
            "mixed": b"a\r\nb\nc\r",
            "no newline": b"end",
            "bin\xff".encode("latin-1"): bytes(range(256)) * 40,
            "mode": b"#!/bin/sh\n",
            "link": Symlink(b"text"),
            "module": Submodule("1" * 40),
            "was/here": NUMBERS,
            "gone": b"x\n",
            "empty": b"",
        }
    )
    new = source.commit(
        {
            "text": changed(NUMBERS, b"line 7\n", b"LINE 7\n"),
            "crlf": b"a\r\nB\r\n",
            "mixed": b"a\r\nb\r\nc\r",
            "no newline": b"end\n",
            "bin\xff".encode("latin-1"): bytes(range(255, -1, -1)) * 40,
            "mode": Executable(b"#!/bin/sh\n"),
            "link": Symlink(b"mode"),
            "module": Submodule("2" * 40),
            "is/there now": Moved("was/here"),
            "gone": None,
            "empty": None,
            "also empty": b"",
            "sür\n": b"\xff\xfe",
        }
    )
    repo = opened(Repository.open(source.path))
    patch = repo.diff(old, new)
    assert repo.apply(old, patch) == source.tree(new)
    assert repo.apply(new, patch, reverse=True) == source.tree(old)
    assert parse_patch(patch).render() == patch


def test_an_empty_patch_changes_nothing(source, opened):
    commit = source.commit({"a": b"1"})
    repo = opened(Repository.open(source.path))
    assert repo.apply(commit, b"") == repo.apply(commit, b"\n") == source.tree(commit)


def test_attributes_in_the_tree_never_change_a_byte(source, opened):
    attributes = b"* text=auto eol=crlf ident working-tree-encoding=UTF-16 filter=lfs diff=x merge=union -diff\n"
    old = source.commit({".gitattributes": attributes, "a": b"$Id$\r\none\r\ntwo\n", "b": NUMBERS})
    new = source.commit({"a": b"$Id$\r\none\r\nTWO\n", "b": changed(NUMBERS, b"line 3\n", b"3\r\n")})
    repo = opened(Repository.open(source.path))
    patch = repo.diff(old, new)
    assert b"GIT binary patch" not in patch
    assert repo.apply(old, patch) == source.tree(new)
    assert repo.apply(new, patch, reverse=True) == source.tree(old)
    assert repo.merge_tree(old, new, old).tree == source.tree(new)


def test_whitespace_is_neither_mended_nor_ignored(source, opened):
    old = source.commit({"a": b"x\ny \n"})
    new = source.commit({"a": b"x  \t\ny \n\n\n"})
    repo = opened(Repository.open(source.path))
    patch = repo.diff(old, new)
    assert repo.apply(old, patch) == source.tree(new)
    other = source.commit({"a": b"x\ny\n"})
    with pytest.raises(PatchDoesNotApply):
        repo.apply(other, patch)


def test_a_refusal_names_file_line_and_hunk(source, opened):
    old = source.commit({"src/a b.py": NUMBERS, "ok": b"1\n"})
    twice = changed(changed(NUMBERS, b"line 5\n", b"5\n"), b"line 30\n", b"30\n")
    new = source.commit({"src/a b.py": twice, "ok": b"2\n"})
    later = source.commit({"src/a b.py": changed(twice, b"\n30\n", b"\nthirty\n")})
    repo = opened(Repository.open(source.path))
    with pytest.raises(PatchDoesNotApply) as caught:
        repo.apply(later, repo.diff(old, new), reverse=True)
    (refusal,) = caught.value.refusals
    assert (refusal.path, refusal.line, refusal.hunk) == (b"src/a b.py", 27, 2)
    assert "src/a b.py:27 (hunk 2)" in str(caught.value)


def test_a_file_that_is_not_there_is_named(source, opened):
    old = source.commit({"a": b"1\n", 'q"é': b"1\n"})
    new = source.commit({"a": b"2\n", 'q"é': b"2\n"})
    moved = source.commit({"b": Moved("a"), "r": Moved('q"é')})
    repo = opened(Repository.open(source.path))
    with pytest.raises(PatchDoesNotApply) as caught:
        repo.apply(moved, repo.diff(old, new))
    assert {refusal.path for refusal in caught.value.refusals} == {b"a", 'q"é'.encode()}


def test_less_context_may_be_asked_for(source, opened):
    old = source.commit({"a": NUMBERS})
    new = source.commit({"a": changed(NUMBERS, b"line 20\n", b"twenty\n")})
    near = changed(changed(NUMBERS, b"line 18\n", b"eighteen\n"), b"line 20\n", b"twenty\n")
    later = source.commit({"a": near})
    repo = opened(Repository.open(source.path))
    patch = repo.diff(old, new)
    with pytest.raises(PatchDoesNotApply):
        repo.apply(later, patch, reverse=True)
    undone = repo.apply(later, patch, reverse=True, context=1)
    assert repo.blob(repo.tree(undone)[b"a"].oid) == changed(near, b"twenty\n", b"line 20\n")


def test_three_way_falls_back_on_the_recorded_blobs(source, opened):
    old = source.commit({"a": NUMBERS})
    new = source.commit({"a": changed(NUMBERS, b"line 20\n", b"twenty\n")})
    far = changed(changed(NUMBERS, b"line 18\n", b"eighteen\n"), b"line 20\n", b"twenty\n")
    later = source.commit({"a": far})
    conflict = source.commit({"a": changed(NUMBERS, b"line 20\n", b"XX\n")})
    repo = opened(Repository.open(source.path))
    patch = repo.diff(old, new)
    undone = repo.apply(later, patch, reverse=True, three_way=True)
    assert repo.blob(repo.tree(undone)[b"a"].oid) == changed(far, b"twenty\n", b"line 20\n")
    with pytest.raises(PatchDoesNotApply) as caught:
        repo.apply(conflict, patch, reverse=True, three_way=True)
    assert caught.value.refusals[0].path == b"a"


@pytest.mark.parametrize(
    "patch",
    [
        b"--- a/../x\n+++ b/../x\n@@ -0,0 +1 @@\n+x\n",
        b"diff --git a/.git/hooks/x b/.git/hooks/x\nnew file mode 100755\nindex 0000000..1111111\n"
        b"--- /dev/null\n+++ b/.git/hooks/x\n@@ -0,0 +1 @@\n+x\n",
        b"diff --git a/l/x b/l/x\nnew file mode 100644\nindex 0000000..1111111\n"
        b"--- /dev/null\n+++ b/l/x\n@@ -0,0 +1 @@\n+x\n",
        b"not a patch\n",
    ],
)
def test_hostile_patches_are_refused(source, opened, patch):
    commit = source.commit({"a": b"1\n", "l": Symlink(b"/tmp")})
    with pytest.raises(PatchDoesNotApply):
        opened(Repository.open(source.path)).apply(commit, patch)


names = st.sampled_from([b"a", b"b c", b"d/e", b"d/\xff\n", 'ü"'.encode(), b"x\ty", b"d/deep/er"])
lines = st.lists(
    st.sampled_from([b"a\n", b"b\n", b"\n", b"c\r\n", b"- x\n", b"+++ b/a\n", b"-- \n", b"@@ -1 +1 @@\n", b"\xff\n"])
)
texts = st.builds(lambda parts, tail: b"".join(parts) + tail, lines, st.sampled_from([b"", b"end", b"\r", b"\0"]))
files = st.tuples(st.sampled_from([FILE, EXECUTABLE, SYMLINK]), texts).filter(lambda f: f[0] != SYMLINK or f[1])
contents = st.dictionaries(names, files, max_size=5)


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    builder = RepoBuilder(tmp_path_factory.mktemp("bench"))
    builder.commit({"a": b"1"})
    with Repository.open(builder.path) as repo:
        yield repo


def written(repo, held):
    return repo.write_tree(Tree({path: Entry(mode, repo.write_blob(data)) for path, (mode, data) in held.items()}))


@settings(max_examples=40, deadline=None)
@given(old=contents, new=contents, context=st.integers(0, 4))
def test_whatever_git_prints_is_read_counted_printed_and_applied(bench, old, new, context):
    before, after = written(bench, old), written(bench, new)
    data = bench.diff(before, after, context=context)
    patch = parse_patch(data)
    assert patch.render() == data
    assert touched(patch) == {change.path for change in bench.changed_paths(before, after)}
    counted = bench.numstat(before, after)
    for change in bench.changed_paths(before, after):
        if change.status != "retyped":  # git counts nothing there
            (file,) = (file for file in patch.files if file.path == change.path)
            theirs = counted[change.path]
            ours = None if file.binary else (len(count_file(file).added_lines), len(count_file(file).removed_lines))
            assert ours == (None if theirs.added is None else (theirs.added, theirs.removed))
    if context:
        assert bench.apply(before, data) == after
        assert bench.apply(after, data, reverse=True) == before


@settings(max_examples=50, deadline=None)
@given(
    old=contents,
    new=contents,
    edits=st.lists(
        st.tuples(st.sampled_from(["drop", "twice", "swap", "cut"]), st.integers(0, 400), st.integers(0, 80)),
        max_size=4,
    ),
)
def test_a_damaged_patch_that_is_still_read_touches_only_what_it_says(bench, old, new, edits):
    before, after = written(bench, old), written(bench, new)
    rows = bench.diff(before, after).splitlines(keepends=True)
    for kind, place, other in edits:
        if rows:
            here, there = place % len(rows), other % len(rows)
            match kind:
                case "drop":
                    del rows[here]
                case "twice":
                    rows.insert(there, rows[here])
                case "swap":
                    rows[here], rows[there] = rows[there], rows[here]
                case "cut":
                    rows[here] = rows[here][: other % (len(rows[here]) + 1)]
    data = b"".join(rows)
    try:
        said = touched(parse_patch(data))
        result = bench.apply(before, data)
    except (MalformedPatch, PatchDoesNotApply):
        return
    assert {change.path for change in bench.changed_paths(before, result)} <= said
