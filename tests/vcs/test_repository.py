import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest

from change2task.vcs.errors import InvalidTree, MissingObject, NotARepository, PathNotFound
from change2task.vcs.repository import Repository
from change2task.vcs.trees import EXECUTABLE, FILE, SUBMODULE, SYMLINK, Entry, Tree
from change2task.vcs.walk import Walk
from tests.support.repos import FIRST_COMMIT, Executable, Moved, RepoBuilder, Submodule, Symlink

A_COMMIT = "1" * 40


def test_a_folder_that_is_no_repository_is_said_to_be_none(tmp_path, source):
    below = source.path / "folder"
    below.mkdir()
    with pytest.raises(NotARepository, match="folder"):
        Repository.open(below)  # the repository around it is not taken instead
    with pytest.raises(PathNotFound):
        Repository.open(tmp_path / "nowhere")


def test_bare_and_ordinary_repositories_and_linked_work_trees_are_opened(tmp_path, opened):
    ordinary = RepoBuilder(tmp_path / "ordinary")
    commit = ordinary.commit({"a": b"1"})
    ordinary.git("worktree", "add", "-q", tmp_path / "linked")
    bare = RepoBuilder(tmp_path / "bare.git", bare=True)
    other = bare.commit({"a": b"2"})
    assert opened(Repository.open(ordinary.path)).resolve("main") == commit
    assert opened(Repository.open(tmp_path / "linked")).resolve("main") == commit
    assert opened(Repository.open(bare.path)).resolve("main") == other


def test_a_relative_path_is_taken_from_the_current_folder(source, opened, monkeypatch):
    commit = source.commit({"a": b"1"})
    monkeypatch.chdir(source.path.parent)
    assert opened(Repository.open(source.path.relative_to(source.path.parent))).resolve("main") == commit


def test_revisions_are_resolved_to_whole_commits(source, opened):
    first = source.commit({"a": b"1"})
    second = source.commit({"a": b"2"})
    source.tag("v1", annotated=True)
    source.pull_request(7, first)
    repo = opened(Repository.open(source.path))
    assert [repo.resolve(rev) for rev in ("main", "HEAD", "v1", second[:8])] == [second] * 4
    assert [repo.resolve(rev) for rev in ("main~1", "HEAD^", "refs/pull/7/head", first)] == [first] * 4


@pytest.mark.parametrize(
    "rev",
    [
        "nothing",
        "",
        " ",
        "-x",
        "--help",
        "main:a",
        "main\nmain",
        "a b",
        "\udc80",
        chr(0xD800),
        "0" * 40,
        "HEAD^9",
        "@{",
    ],
)
def test_what_names_no_commit_resolves_to_none(source, opened, rev):
    source.commit({"a": b"1"})
    repo = opened(Repository.open(source.path))
    assert repo.resolve(rev) is None
    assert repo.resolve("main") == source.tip()


def test_why_a_revision_names_no_commit_is_said(source, opened):
    source.commit({"a": b"1"})
    one, other = sorted(source.alike())
    repo = opened(Repository.open(source.path))
    assert repo.resolve(one[:7]) is None
    assert repo.unresolved(one[:7]) == f"begins the ids of 2 commits, {one[:15]}, {other[:15]}; give more digits"
    assert [repo.unresolved(rev) for rev in ("0" * 40, "nothing", "", "--all", source.tree()[:9])] == [
        "names no commit of the repository"
    ] * 5


def test_new_references_are_seen_without_opening_again(source, opened):
    source.commit({"a": b"1"})
    repo = opened(Repository.open(source.path))
    assert repo.resolve("later") is None
    source.switch("later")
    commit = source.commit({"a": b"2"})
    assert repo.resolve("later") == commit
    assert repo.commit(commit).parents == (source.tip("main"),)


def test_a_commit_is_read_with_its_people_times_and_message(source, opened):
    first = source.commit({"a": b"1"}, "  Fix it\nfor good  \n\n\nBecause of this.\n\nCloses #3\n\n")
    info = opened(Repository.open(source.path)).commit(first)
    assert info.subject == "Fix it for good"
    assert info.body == "Because of this.\n\nCloses #3"
    assert info.author_name == "Ada"
    assert info.author_time == datetime.fromtimestamp(FIRST_COMMIT + 86_400, UTC)
    assert info.parents == ()
    assert info.tree == source.tree(first)


def raw_commit(source, head, message):
    tree = source.tree()
    data = b"tree " + tree.encode() + b"\n" + head + b"\n" + message
    return source.git("hash-object", "-t", "commit", "-w", "--literally", "--stdin", stdin=data).decode().strip()


def test_strange_encodings_dates_and_headers_do_not_stop_reading(source, opened):
    source.commit({"a": b"1"})
    repo = opened(Repository.open(source.path))
    who = b"author A <a> 1 +0530\ncommitter A <a> 1 +0530\n"
    latin = repo.commit(raw_commit(source, who + b"encoding ISO-8859-1\n", b"caf\xe9\n"))
    assert latin.subject == "café"
    assert latin.author_time.utcoffset() == timedelta(hours=5, minutes=30)
    assert repo.commit(raw_commit(source, who, b"caf\xe9 \xff\n")).subject == "caf\ufffd \ufffd"
    assert repo.commit(raw_commit(source, who + b"encoding no-such-thing\n", b"x\n")).subject == "x"
    wild = b"author A <a> 99999999999999999 +9999\ncommitter nobody\n"
    assert repo.commit(raw_commit(source, wild, b"x\n")).author_time == datetime(1970, 1, 1, tzinfo=UTC)
    signed = who + b"gpgsig -----BEGIN\n line\n \n parent " + A_COMMIT.encode() + b"\n"
    assert repo.commit(raw_commit(source, signed, b"x\n")).parents == ()


def test_a_tree_holds_files_links_modes_and_submodules_by_their_bytes(source, opened):
    commit = source.commit(
        {
            b"plain": b"1",
            b"sub dir/run": Executable(b"2"),
            b"link": Symlink(b"../outside"),
            b"vendored": Submodule(A_COMMIT),
            b'caf\xe9\n"': b"3",
        }
    )
    repo = opened(Repository.open(source.path))
    tree = repo.tree(commit)
    assert {path: entry.mode for path, entry in tree.items()} == {
        b"plain": FILE,
        b"sub dir/run": EXECUTABLE,
        b"link": SYMLINK,
        b"vendored": SUBMODULE,
        b'caf\xe9\n"': FILE,
    }
    assert tree[b"vendored"].oid == A_COMMIT
    assert repo.blob(tree[b"link"].oid) == b"../outside"
    assert list(repo.blobs([tree[b"plain"].oid, tree[b"sub dir/run"].oid])) == [b"1", b"2"]


def test_a_tree_written_again_has_the_same_id(source, opened):
    names = ["a", "a.b", "a-b", "a/b", "a0", "A", "é", "z/y/x", "z/y.x"]
    commit = source.commit({name: name for name in names if name != "a"})
    repo = opened(Repository.open(source.path))
    assert repo.write_tree(repo.tree(commit)) == source.tree(commit)
    assert repo.write_tree(Tree({})) == repo.empty_tree == "4b825dc642cb6eb9a060e54bf8d69288fbee4904"


def test_what_is_written_is_read_by_git(source, opened):
    source.commit({"a": b"1"})
    repo = opened(Repository.open(source.path))
    blob = repo.write_blob(b"new\0content\r\n")
    tree = repo.edit("main", {b"deep/er/file": Entry(EXECUTABLE, blob), b"a": None})
    commit = repo.write_commit(tree, [source.tip()], "made", epoch=5)
    assert source.git("show", f"{commit}:deep/er/file") == b"new\0content\r\n"
    assert source.git("ls-tree", "-r", "--name-only", commit) == b"deep/er/file\n"
    source.git("fsck", "--strict", commit)
    assert repo.write_commit(tree, [source.tip()], "made", epoch=5) == commit


def test_trees_that_git_cannot_hold_are_refused(source, opened):
    source.commit({"a": b"1"})
    repo = opened(Repository.open(source.path))
    entry = Entry(FILE, repo.write_blob(b""))
    for path in (b"", b"/a", b"a//b", b"a/", b"a\0b", b"x/" * 300 + b"x"):
        with pytest.raises(InvalidTree):
            repo.write_tree(Tree({path: entry}))
    with pytest.raises(InvalidTree, match="file as well as a folder"):
        repo.write_tree(Tree({b"a": entry, b"a/b": entry}))
    with pytest.raises(InvalidTree, match="mode"):
        repo.write_tree(Tree({b"a": Entry(0o040000, entry.oid)}))


def test_a_tree_that_unfolds_without_end_is_refused(source, opened):
    blob = source.git("hash-object", "-w", "--stdin", stdin=b"x").decode().strip()
    below = source.git("mktree", stdin=f"100644 blob {blob}\tf\n".encode()).decode().strip()
    for _ in range(12):
        lines = "".join(f"040000 tree {below}\td{number}\n" for number in range(10))
        below = source.git("mktree", stdin=lines.encode()).decode().strip()
    with pytest.raises(InvalidTree, match="entries"):
        opened(Repository.open(source.path)).tree(below)


def test_one_entry_is_found_without_the_rest(source, opened):
    source.commit({"a/b/c": b"1", "d": b"2"})
    repo = opened(Repository.open(source.path))
    assert repo.entry("main", b"a/b/c") == repo.tree("main")[b"a/b/c"]
    assert repo.entry("main", b"a/b") is None
    assert repo.entry("main", b"d/x") is None


def test_objects_that_are_not_there_are_named(source, opened):
    source.commit({"a": b"1"})
    repo = opened(Repository.open(source.path))
    missing = "ab" * 20
    with pytest.raises(MissingObject, match=missing):
        repo.blob(missing)
    with pytest.raises(MissingObject, match="not a whole object id"):
        repo.blob("main")
    with pytest.raises(MissingObject, match="it is a commit, not a blob"):
        repo.blob(source.tip())
    with pytest.raises(MissingObject):
        repo.tree(missing)
    with pytest.raises(MissingObject):
        repo.diff(missing, "main")
    assert repo.find(missing) is None
    assert repo.blob(repo.tree("main")[b"a"].oid) == b"1"


def test_a_missing_or_damaged_blob_is_an_error_of_its_own_everywhere(source, opened):
    old = source.commit({"big": b"line\n" * 1000, "small": b"1"})
    new = source.commit({"big": b"line\n" * 999 + b"other\n", "small": b"2"})
    with Repository.open(source.path) as repo:
        oid = repo.tree(old)[b"big"].oid
        small = repo.diff(old, new, paths=[b"small"])
    (source.path / ".git/objects" / oid[:2] / oid[2:]).unlink()
    repo = opened(Repository.open(source.path))
    with pytest.raises(MissingObject, match=oid):
        repo.diff(old, new)
    with pytest.raises(MissingObject, match=oid):
        repo.numstat(old, new)
    assert len(repo.changed_paths(old, new)) == 2
    assert repo.diff(old, new, paths=[b"small"]) == small
    assert repo.apply(repo.tree_of(new), small, reverse=True)
    infos = list(repo.commits([new, old]))
    assert repo.patch_ids(infos) == {}
    (source.path / ".git/objects" / oid[:2] / oid[2:]).write_bytes(b"rubbish")
    with pytest.raises(MissingObject):
        repo.blob(oid)
    assert repo.blob(repo.tree(old)[b"small"].oid) == b"1"


def test_a_diff_is_what_git_prints(source, opened):
    old = source.commit({"a": b"1\n2\n", "b": b"\0", "gone": b"x", "was": b"same\n" * 9, "run": b"", "c d\té": b"q\n"})
    new = source.commit(
        {"a": b"1\r\n2", "b": b"\0\0", "gone": None, "is": Moved("was"), "run": Executable(b""), "c d\té": b"r\n"}
    )
    repo = opened(Repository.open(source.path))
    words = ["-c", "core.quotePath=false", "diff", "--binary", "--full-index", "--no-renames"]
    assert repo.diff(old, new) == source.git(*words, old, new)
    assert repo.diff(old, new, context=0) == source.git(*words, "-U0", old, new)
    assert repo.diff(old, new, paths=[b"a", b"gone"]) == source.git(*words, old, new, "--", "a", "gone")
    assert repo.diff(old, new, paths=[]) == b""
    assert repo.diff(repo.empty_tree, new) == source.git(*words, repo.empty_tree, new)


def test_paths_of_a_diff_are_names_and_no_patterns(source, opened):
    old = source.commit({"*": b"1", "a": b"1", ":(top)x": b"1", "-v": b"1"})
    new = source.commit({"*": b"2", "a": b"2", ":(top)x": b"2", "-v": b"2"})
    repo = opened(Repository.open(source.path))
    assert repo.diff(old, new, paths=[b"*"]).count(b"diff --git") == 1
    assert repo.diff(old, new, paths=[b":(top)x", b"-v"]).count(b"diff --git") == 2


def test_thousands_of_paths_of_a_diff_fit(source, opened):
    files = {f"folder/with/a/long/name/{number:05}": b"1" for number in range(2000)}
    old = source.commit(files)
    new = source.commit(dict.fromkeys(files, b"2"))
    repo = opened(Repository.open(source.path))
    assert repo.diff(old, new, paths=[name.encode() for name in files]) == repo.diff(old, new)


def test_changed_paths_are_told_without_renames(source, opened):
    old = source.commit({"m": b"1", "d/gone": b"1", "x": b"1", "t": b"1", "same/a": b"1", "f": b"1"})
    new = source.commit(
        {
            "m": b"2",
            "d/gone": None,
            "x": Executable(b"1"),
            "t": Symlink(b"m"),
            "new/a": b"2",
            "f": None,
            "f/below": b"1",
        }
    )
    repo = opened(Repository.open(source.path))
    assert [(c.path, c.status) for c in repo.changed_paths(old, new)] == [
        (b"d/gone", "deleted"),
        (b"f", "deleted"),
        (b"f/below", "added"),
        (b"m", "modified"),
        (b"new/a", "added"),
        (b"t", "retyped"),
        (b"x", "modified"),
    ]
    assert [change.status for change in repo.changed_paths(None, new)] == ["added"] * len(repo.tree(new))
    assert repo.changed_paths(old, old) == ()
    counts = repo.numstat(old, new)
    assert (counts[b"m"].added, counts[b"m"].removed) == (1, 1)


def test_renames_between_trees_are_found(source, opened):
    text = b"".join(b"line %d\n" % number for number in range(50))
    old = source.commit({"a.py": text, "b.py": text.upper(), "gone": b"x"})
    new = source.commit({"c.py": Moved("a.py"), "gone": None, "pkg/b.py": text.upper() + b"more\n", "b.py": None})
    repo = opened(Repository.open(source.path))
    assert repo.renames(old, new) == {b"a.py": b"c.py", b"b.py": b"pkg/b.py"}
    assert repo.renames(old, new, similarity=100) == {b"a.py": b"c.py"}


@pytest.fixture
def history(source):
    """A line of merges, with an octopus and two roots."""
    commits = {"root": source.commit({"a": b"1\n"})}
    source.switch("side")
    commits["side"] = source.commit({"b": b"1\n"}, "Side")
    source.switch("other", at=commits["root"])
    commits["other"] = source.commit({"c": b"1\n"}, "Other")
    source.switch("main")
    commits["direct"] = source.commit({"a": b"2\n"}, "Direct")
    commits["octopus"] = source.merge("side", "other", message="Octopus")
    source.switch("orphan")
    commits["orphan"] = source.commit({"z": b"1\n"}, "Orphan", root=True)
    source.switch("main")
    return commits


def test_history_is_walked_along_first_parents_and_in_whole(source, history, opened):
    repo = opened(Repository.open(source.path))
    tip = source.tip("main")
    line = [info.oid for info in repo.walk(Walk((tip,), first_parent=True))]
    assert line == [history["octopus"], history["direct"], history["root"]]
    assert [i.oid for i in repo.walk(Walk((tip,), excluded=(history["root"],), first_parent=True))] == line[:-1]
    everything = {info.oid for info in repo.walk(Walk((tip,)))}
    assert everything == {history[name] for name in ("root", "side", "other", "direct", "octopus")}
    assert [info.subject for info in repo.walk(Walk((tip,), merges=True))] == ["Octopus"]
    assert len(repo.commit(tip).parents) == 3
    assert [info.oid for info in repo.walk(Walk((tip,), paths=(b"b",)))] == [history["side"]]
    oldest = list(repo.walk(Walk((tip,), oldest_first=True, most=1)))
    assert oldest[0].oid == tip
    since = repo.commit(history["direct"]).committer_time
    assert history["root"] not in {info.oid for info in repo.walk(Walk((tip,), since=since))}


def test_each_commit_is_told_with_its_changes(source, history, opened):
    repo = opened(Repository.open(source.path))
    empty = source.commit({}, "Nothing")
    infos = [*repo.walk(Walk((empty,), first_parent=True)), repo.commit(history["orphan"])]
    told = {info.oid: [change.path for change in changes] for info, changes in repo.walk_changes(infos)}
    assert list(told) == [info.oid for info in infos]
    assert told == {
        empty: [],
        history["octopus"]: [b"b", b"c"],
        history["direct"]: [b"a"],
        history["root"]: [b"a"],
        history["orphan"]: [b"z"],
    }
    assert list(repo.walk_changes([])) == []


def test_merge_bases(source, history, opened):
    repo = opened(Repository.open(source.path))
    assert repo.merge_base(history["side"], history["direct"]) == history["root"]
    assert repo.merge_base(history["orphan"], history["direct"]) is None
    with pytest.raises(MissingObject):
        repo.merge_base("ab" * 20, history["root"])


def test_references_and_the_default_branch(source, history, opened):
    source.tag("v1", history["root"], annotated=True)
    source.merge_request(3, history["side"])
    repo = opened(Repository.open(source.path))
    refs = repo.refs()
    assert refs["refs/tags/v1"] == history["root"]
    assert refs["refs/merge-requests/3/head"] == history["side"]
    assert repo.default_branch() == "main"
    source.git("symbolic-ref", "HEAD", "refs/heads/unborn")
    assert repo.default_branch() is None
    source.git("update-ref", "--no-deref", "HEAD", history["root"])
    source.git("checkout", "-q", "--detach", history["root"])
    assert repo.default_branch() is None


def test_patch_ids_are_the_same_for_the_same_change_elsewhere(source, opened):
    source.commit({"a": b"".join(b"%d\n" % n for n in range(30))})
    source.switch("pull")
    change = source.commit({"a": b"".join(b"%d\n" % n for n in range(29)) + b"new\n"}, "Change")
    source.switch("main")
    source.commit({"a": b"top\n" + b"".join(b"%d\n" % n for n in range(30))}, "Earlier lines move")
    squashed = source.squash("pull", "Change (#1)")
    nothing = source.commit({}, "Nothing")
    repo = opened(Repository.open(source.path))
    one = repo.patch_id(repo.commit(change).parents[0], change)
    assert one == repo.patch_id(repo.commit(squashed).parents[0], squashed)
    many = repo.patch_ids(repo.commits([nothing, change, squashed]))
    assert many == {change: one, squashed: one}
    assert repo.patch_id(squashed, nothing) is None


def test_a_repository_is_used_from_many_threads(source, opened):
    contents = {f"f{number}": (b"%d\n" % number) * 500 for number in range(200)}
    source.commit(contents)
    repo = opened(Repository.open(source.path))
    tree = repo.tree("main")

    def read(number):
        path = f"f{number % 200}".encode()
        assert repo.resolve("main") == source_tip
        return repo.objects.get(tree[path].oid, "blob") == contents[path.decode()]

    source_tip = source.tip()
    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(read, range(800)))


def test_no_process_is_left_after_closing(source):
    source.commit({"a": b"1"})
    before = set(children())
    with Repository.open(source.path) as repo:
        assert repo.blob(repo.tree("main")[b"a"].oid) == b"1"
        walk = repo.walk_oids(Walk((source.tip(),)))
        next(walk)
        assert len(set(children()) - before) >= 2
        walk.close()
    assert set(children()) <= before
    assert repo.resolve("main") == source.tip()
    repo.close()


def children():
    said = subprocess.run(["ps", "-o", "pid=,comm=", "--ppid", str(os.getpid())], capture_output=True, check=False)
    return [line.split()[0] for line in said.stdout.splitlines() if line.split()[1] == b"git"]


def test_sha256_repositories_are_read_and_written(tmp_path, opened):
    source = RepoBuilder(tmp_path / "sha256", object_format="sha256")
    old = source.commit({"a/b": b"1\n", "run": Executable(b"x")})
    new = source.commit({"a/b": b"2\n"})
    repo = opened(Repository.open(source.path))
    assert len(new) == 64
    assert repo.write_tree(repo.tree(old)) == source.tree(old)
    patch = repo.diff(old, new)
    assert repo.apply(old, patch) == source.tree(new)
    assert repo.merge_tree(old, new, old).tree == source.tree(new)
