import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from filelock import FileLock

from change2task.vcs.errors import (
    EmptyRepository,
    MirrorBusy,
    MirrorUnreachable,
    MissingObject,
    NotARepository,
    PathNotFound,
)
from change2task.vcs.mirror import ensure_mirror, mirror_path
from change2task.vcs.repository import Repository
from change2task.vcs.walk import Walk
from change2task.vcs.workbench import Workbench
from tests.support.daemon import git_daemon
from tests.support.repos import Moved, RepoBuilder, Symlink

URL = "https://example.org/ada/engine.git"


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "mirrors"


@pytest.fixture
def served(source):
    """The source behind a git server."""
    with git_daemon(source.path.parent) as address:
        yield f"{address}/source"


@pytest.fixture
def grown(source):
    """Some history with every kind of reference."""
    first = source.commit({"a": b"1\n"}, "First")
    source.tag("v1", annotated=True)
    source.switch("topic/x")
    source.pull_request(5, source.commit({"b": b"1\n"}, "Pulled"))
    source.switch("main")
    source.merge_request(6, first)
    source.ref("refs/pull/5/merge", first)
    source.ref("refs/notes/commits", first)
    source.commit({"a": b"2\n"}, "Second")
    return source


@pytest.fixture(params=["path", "url", "daemon", "bundle"])
def address(request, grown, tmp_path):
    """Every way a source can be given."""
    match request.param:
        case "path":
            return str(grown.path)
        case "url":
            return grown.url
        case "bundle":
            grown.git("bundle", "create", "-q", tmp_path / "x.bundle", "--all", "HEAD")
            return str(tmp_path / "x.bundle")
    return request.getfixturevalue("served")


def test_branches_tags_and_requests_are_mirrored(address, grown, folder, opened):
    mirror = opened(ensure_mirror(URL, address, folder))
    assert mirror.path == mirror_path(URL, folder)
    assert sorted(mirror.refs()) == [
        "refs/heads/main",
        "refs/heads/topic/x",
        "refs/merge-requests/6/head",
        "refs/pull/5/head",
        "refs/tags/v1",
    ]
    assert mirror.refs()["refs/tags/v1"] == grown.tip("v1")
    assert mirror.default_branch() == "main"
    assert not mirror.is_shallow
    assert [info.subject for info in mirror.walk(Walk((grown.tip(),)))] == ["Second", "First"]


def test_a_mirror_is_fetched_once_and_does_not_need_its_source(address, grown, folder, opened):
    ensure_mirror(URL, address, folder).close()
    tip = grown.tip()
    shutil.rmtree(grown.path)
    mirror = opened(ensure_mirror(URL, address, folder, wanted=[tip, "main"]))
    assert mirror.resolve("main") == tip
    assert mirror.blob(mirror.tree(tip)[b"a"].oid) == b"2\n"


def test_changes_of_the_source_come_when_they_are_asked_for(grown, served, folder, opened):
    for number, address in enumerate((grown.url, served)):
        old = grown.tip()
        url = f"{URL}{number}"
        ensure_mirror(url, address, folder).close()
        new = grown.commit({"a": b"%d\n" % number}, "Later")
        assert opened(ensure_mirror(url, address, folder)).resolve("main") == old
        assert opened(ensure_mirror(url, address, folder, wanted=[new])).resolve("main") == new
        grown.git("branch", "-m", "topic/x" if number == 0 else "topic", "topic" if number == 0 else "topic/x")
        refreshed = opened(ensure_mirror(url, address, folder, refresh=True))
        assert ("refs/heads/topic" in refreshed.refs()) == (number == 0)
        assert ("refs/heads/topic/x" in refreshed.refs()) == (number == 1)


def test_a_revision_that_is_nowhere_is_no_error(grown, served, folder, opened):
    for number, address in enumerate((grown.url, served)):
        mirror = opened(ensure_mirror(f"{URL}{number}", address, folder, wanted=["ab" * 20, "no-such-branch"]))
        assert mirror.resolve("ab" * 20) is None


def test_a_commit_that_no_reference_reaches_any_more_is_asked_for_by_its_id(grown, served, folder, opened):
    grown.switch("lost")
    lost = grown.commit({"x": b"1"}, "Lost")
    grown.switch("main")
    grown.git("branch", "-q", "-D", "lost")
    assert opened(ensure_mirror(URL + "1", grown.url, folder, wanted=[lost])).resolve(lost) == lost
    assert opened(ensure_mirror(URL + "2", served, folder, wanted=[lost])).resolve(lost) == lost


def test_the_default_branch_is_found_whatever_it_is_called(tmp_path, folder, opened):
    for number, (head, branches) in enumerate(
        [("trunk", ["trunk", "main"]), ("gone", ["a", "master"]), ("gone", ["b", "only"])]
    ):
        source = RepoBuilder(tmp_path / f"s{number}", branch=branches[0])
        source.commit({"a": b"1"})
        source.switch(branches[1])
        source.git("symbolic-ref", "HEAD", f"refs/heads/{head}")
        mirror = opened(ensure_mirror(f"{URL}{number}", source.url, folder))
        assert mirror.default_branch() == ["trunk", "master", "b"][number]


def test_what_is_no_repository_is_told_from_what_is_not_there(tmp_path, folder, source, served):
    (tmp_path / "plain").mkdir()
    (tmp_path / "file").write_bytes(b"x" * 100)
    with pytest.raises(PathNotFound, match="nowhere"):
        ensure_mirror(URL, tmp_path / "nowhere", folder)
    with pytest.raises(PathNotFound, match="nowhere"):
        ensure_mirror(URL, f"file://{tmp_path}/nowhere", folder)
    with pytest.raises(PathNotFound, match="elsewhere"):
        ensure_mirror(URL, "file://elsewhere/x", folder)
    for path in (tmp_path / "plain", tmp_path / "file"):
        with pytest.raises(NotARepository):
            ensure_mirror(URL, path, folder)
    for address in (source.url, served):
        with pytest.raises(EmptyRepository, match="example"):
            ensure_mirror(URL, address, folder)
    assert [path for path in folder.iterdir() if not path.name.endswith(".lock")] == []


def test_an_unreachable_address_is_told_without_its_password(folder, served):
    with pytest.raises(MirrorUnreachable) as caught:
        ensure_mirror("https://ada:s3cret@127.0.0.1:1/x.git", "https://ada:s3cret@127.0.0.1:1/x.git", folder)
    assert "s3cret" not in str(caught.value)
    assert "127.0.0.1" in caught.value.detail
    with pytest.raises(MirrorUnreachable):
        ensure_mirror(URL, served + "-not", folder)
    assert "s3cret" not in "".join(path.name for path in folder.iterdir())


@pytest.mark.parametrize(
    "source",
    [
        "ext::sh -c 'touch {marker}'",
        "fd::17",
        "--upload-pack=touch {marker}",
        "-u touch {marker}:x",
        "ssh://-oProxyCommand=touch%20{marker}/x",
        "-oProxyCommand=touch {marker}:x",
        "unknown://host/x",
    ],
)
def test_addresses_that_would_run_something_are_refused(folder, tmp_path, source):
    marker = tmp_path / "marker"
    with pytest.raises((MirrorUnreachable, PathNotFound)):
        ensure_mirror(URL, source.format(marker=marker), folder)
    assert not marker.exists()


def test_a_fetch_that_does_not_end_is_given_up(folder):
    listener = socket.create_server(("127.0.0.1", 0))
    with listener, pytest.raises(MirrorUnreachable, match="no end after 1 seconds"):
        ensure_mirror(URL, f"git://127.0.0.1:{listener.getsockname()[1]}/x", folder, seconds=1)


def test_a_mirror_that_stays_locked_is_told(folder, grown):
    folder.mkdir()
    with FileLock(f"{mirror_path(URL, folder)}.lock"), pytest.raises(MirrorBusy):
        ensure_mirror(URL, grown.url, folder, seconds=0.2)


def test_many_at_once_fetch_once(folder, grown, opened):
    with ThreadPoolExecutor(6) as pool:
        held = list(pool.map(lambda _: opened(ensure_mirror(URL, grown.path, folder)), range(6)))
    assert {mirror.resolve("main") for mirror in held} == {grown.tip()}
    assert len([path for path in folder.iterdir() if path.name.endswith(".git")]) == 1


def test_a_killed_fetch_leaves_no_mirror_and_is_cleared_away(folder, grown, opened):
    listener = socket.create_server(("127.0.0.1", 0))
    address = f"git://127.0.0.1:{listener.getsockname()[1]}/x"
    program = (
        "import sys; from pathlib import Path; from change2task.vcs.mirror import ensure_mirror;"
        "ensure_mirror(sys.argv[1], sys.argv[2], Path(sys.argv[3]))"
    )
    fetching = subprocess.Popen([sys.executable, "-c", program, URL, address, str(folder)], stdout=subprocess.DEVNULL)
    with listener:
        listener.settimeout(60)
        connection, _ = listener.accept()  # it has begun
        with connection:
            os.kill(fetching.pid, signal.SIGKILL)
            fetching.wait()
    left_over = [path for path in folder.iterdir() if path.name.startswith(".")]
    assert left_over
    assert not mirror_path(URL, folder).exists()
    mirror = opened(ensure_mirror(URL, grown.path, folder))
    assert mirror.resolve("main") == grown.tip()
    assert not left_over[0].exists()


def test_two_urls_never_share_a_mirror(folder):
    urls = [
        "https://a/x",
        "https://b/x",
        "https://a/x.git",
        "git@a:x",
        "https://a/../../x",
        "",
        "https://a/" + "n" * 300,
    ]
    paths = {mirror_path(url, folder) for url in urls}
    assert len(paths) == len(urls)
    assert {path.parent for path in paths} == {folder}
    assert max(len(path.name) for path in paths) < 100


def test_a_mirror_outlives_repacking_and_loss_of_its_source(grown, folder, opened):
    mirror = opened(ensure_mirror(URL, grown.path, folder))
    grown.commit({"a": b"3\n"})
    grown.git("gc", "-q", "--prune=now")
    assert mirror.blob(mirror.tree("main")[b"a"].oid) == b"2\n"
    refreshed = opened(ensure_mirror(URL, grown.path, folder, refresh=True))
    shutil.rmtree(grown.path)
    assert refreshed.blob(refreshed.tree("main")[b"a"].oid) == b"3\n"


def test_writing_to_a_mirror_never_reaches_its_source(grown, folder, opened):
    grown.git("gc", "-q")
    mirror = opened(ensure_mirror(URL, grown.path, folder))
    blob = mirror.write_blob(b"new")
    with Repository.open(grown.path) as original:
        assert original.find(blob) is None


def test_objects_that_the_source_borrows_come_along(grown, tmp_path, folder, opened):
    clone = tmp_path / "a clone"
    grown.git("clone", "-q", "--shared", "--no-checkout", grown.path, clone)
    twice = tmp_path / "twice"
    grown.git("clone", "-q", "--shared", "--no-checkout", clone, twice)
    mirror = opened(ensure_mirror(URL, twice, folder))
    shutil.rmtree(grown.path)
    shutil.rmtree(clone)
    assert mirror.blob(mirror.tree("main")[b"a"].oid) == b"2\n"
    assert mirror.resolve("origin/topic/x") is None
    assert mirror.resolve("origin/main") == mirror.resolve("main")


def test_a_cut_history_is_recognised(grown, served, folder, tmp_path, opened):
    grown.git("clone", "-q", "--depth=1", grown.url, tmp_path / "shallow")
    copied = opened(ensure_mirror(URL + "1", tmp_path / "shallow", folder))
    assert copied.is_shallow
    assert [info.subject for info in copied.walk(Walk((grown.tip(),)))] == ["Second"]
    assert len(copied.tree("main")) == 1
    fetched = opened(ensure_mirror(URL + "2", served, folder, depth=1))
    assert fetched.is_shallow
    deepened = opened(ensure_mirror(URL + "2", served, folder))
    assert not deepened.is_shallow
    assert len(list(deepened.walk(Walk((grown.tip(),))))) == 2


def test_a_source_that_misses_a_blob_is_mirrored_without_it(grown, folder, opened):
    big = grown.commit({"big": b"x" * 100_000})
    oid = grown.git("rev-parse", "HEAD:big").decode().strip()
    (grown.path / ".git/objects" / oid[:2] / oid[2:]).unlink()
    mirror = opened(ensure_mirror(URL, grown.path, folder))
    assert mirror.resolve("main") == big
    with pytest.raises(MissingObject, match=oid):
        mirror.blob(oid)
    assert mirror.blob(mirror.tree("main")[b"a"].oid) == b"2\n"


def test_a_reference_to_nothing_is_left_out(grown, folder, opened):
    ref = grown.path / ".git/refs/pull/9/head"
    ref.parent.mkdir(parents=True)
    ref.write_text("ab" * 20 + "\n")
    mirror = opened(ensure_mirror(URL, grown.path, folder))
    assert "refs/pull/9/head" not in mirror.refs()
    assert mirror.resolve("main") == grown.tip()


def test_a_blobless_clone_is_read_without_fetching_what_it_lacks(grown, tmp_path, folder, opened):
    grown.git("config", "uploadpack.allowFilter", "true")
    clone = tmp_path / "partial"
    grown.git("clone", "-q", "--no-checkout", "--filter=blob:none", grown.url, clone)
    for repo in (opened(ensure_mirror(URL, clone, folder)), opened(Repository.open(clone))):
        began = time.monotonic()
        with pytest.raises(MissingObject):
            repo.blob(repo.tree("main")[b"a"].oid)
        with pytest.raises(MissingObject):
            repo.diff("main~1", "main")
        assert time.monotonic() - began < 10
        assert repo.changed_paths("main~1", "main")[0].path == b"a"


def test_links_among_the_objects_are_not_taken_over(grown, tmp_path, folder, opened):
    secret = tmp_path / "secret"
    secret.write_bytes(b"secret")
    fake = grown.path / ".git/objects/ab" / ("cd" * 19)
    fake.parent.mkdir(exist_ok=True)
    fake.symlink_to(secret)
    pack = grown.path / ".git/objects/pack" / f"pack-{'ab' * 20}.pack"
    pack.symlink_to(secret)
    pack.with_suffix(".idx").symlink_to(secret)
    mirror = opened(ensure_mirror(URL, grown.path, folder))
    held = [path for path in mirror.path.rglob("*") if not path.is_dir()]
    assert not any(path.is_symlink() or path.read_bytes() == b"secret" for path in held)


def test_a_workbench_writes_beside_its_mirror(grown, folder, tmp_path, opened):
    mirror = opened(ensure_mirror(URL, grown.path, folder))
    before = sorted(mirror.path.rglob("*"))
    bench = opened(Workbench(mirror, tmp_path / 'a "bench"\té'))
    tip = bench.resolve("main")
    patch = bench.diff("main~1", "main")
    tree = bench.apply(tip, patch, reverse=True)
    made = bench.write_commit(tree, [tip], "made")
    assert bench.resolve(made) == made
    assert bench.resolve("refs/pull/5/head") == grown.tip("refs/pull/5/head")
    assert bench.merge_tree(tip, tip, tree).tree == tree
    assert bench.blob(bench.tree(made)[b"a"].oid) == b"1\n"
    assert mirror.find(made) is None
    assert sorted(mirror.path.rglob("*")) == before
    again = opened(Workbench(mirror, tmp_path / 'a "bench"\té'))
    assert again.commit(made).tree == tree


def test_a_workbench_of_a_workbench_sees_both(grown, folder, tmp_path, opened):
    mirror = opened(ensure_mirror(URL, grown.path, folder))
    one = opened(Workbench(mirror, tmp_path / "one"))
    blob = one.write_blob(b"one")
    two = opened(Workbench(one, tmp_path / "two"))
    assert two.blob(blob) == b"one"
    assert two.blob(two.tree("main")[b"a"].oid) == b"2\n"


def test_a_path_may_be_relative(grown, tmp_path, monkeypatch, opened):
    monkeypatch.chdir(tmp_path)
    mirror = opened(ensure_mirror(URL, "source", Path("mirrors")))
    assert mirror.resolve("main") == grown.tip()


def test_odd_names_of_branches_and_files_are_mirrored(source, folder, opened):
    commit = source.commit({b"caf\xe9": b"1", "l": Symlink(b"x"), "b": b"1"}, "Odd")
    source.commit({"c": Moved("b")})
    source.git("update-ref", "refs/heads/zweig-ü-\U0001f600", commit)
    mirror = opened(ensure_mirror(URL, source.url, folder))
    assert mirror.resolve("refs/heads/zweig-ü-\U0001f600") == commit
    assert b"caf\xe9" in mirror.tree(commit)
