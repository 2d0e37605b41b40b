"""A repository that tries everything to run a program when it is merely read."""

import os
import subprocess
import time

import pytest

from change2task.vcs.errors import MissingObject, NotARepository
from change2task.vcs.materialise import materialise
from change2task.vcs.mirror import ensure_mirror
from change2task.vcs.repository import Repository
from change2task.vcs.walk import Walk
from change2task.vcs.workbench import Workbench
from tests.support.repos import RepoBuilder, Submodule

HOOKS = (
    "applypatch-msg",
    "pre-applypatch",
    "post-applypatch",
    "pre-commit",
    "pre-merge-commit",
    "prepare-commit-msg",
    "commit-msg",
    "post-commit",
    "pre-rebase",
    "post-checkout",
    "post-merge",
    "pre-push",
    "pre-receive",
    "update",
    "proc-receive",
    "post-receive",
    "post-update",
    "reference-transaction",
    "push-to-checkout",
    "pre-auto-gc",
    "post-rewrite",
    "post-index-change",
    "sendemail-validate",
    "fsmonitor-watchman",
)
ATTRIBUTES = b"* filter=trap diff=trap merge=trap ident text eol=crlf working-tree-encoding=UTF-16\n"
NUMBERS = b"".join(b"line %d\n" % number for number in range(40))


@pytest.fixture
def marker(tmp_path):
    return tmp_path / "marker"


@pytest.fixture
def trap(tmp_path, marker):
    """A program that leaves a mark; it also copies its input, as a filter would."""
    program = tmp_path / "trap"
    program.write_text(f"#!/bin/sh\necho \"$0 $*\" >> '{marker}'\ncat 2>/dev/null\nexit 0\n")
    program.chmod(0o755)
    return program


@pytest.fixture
def hostile(tmp_path, trap, marker):
    """A repository with every known trap set."""
    made = RepoBuilder(tmp_path / "hostile")
    made.commit({".gitattributes": ATTRIBUTES, "a": NUMBERS, "b": b"1\r\n", "lib": Submodule("1" * 40)}, "First")
    modules = f'[submodule "lib"]\n\tpath = lib\n\turl = ext::sh -c "touch {marker}"\n\tupdate = !touch {marker}\n'
    made.commit({".gitmodules": modules, "a": NUMBERS.replace(b"line 3\n", b"3\n")}, "Second")
    made.commit({"a": NUMBERS.replace(b"line 30\n", b"30\n").replace(b"line 3\n", b"3\n"), "b": b"2\r\n"}, "Third")
    made.pull_request(1)
    git_dir = made.path / ".git"
    hooks = git_dir / "hooks"
    hooks.mkdir(exist_ok=True)
    for name in HOOKS:
        (hooks / name).symlink_to(trap)
    (git_dir / "info").mkdir(exist_ok=True)
    (git_dir / "info/attributes").write_bytes(ATTRIBUTES)
    run = str(trap)
    settings = {
        "core.hooksPath": str(hooks),
        "core.fsmonitor": run,
        "core.sshCommand": run,
        "core.gitProxy": run,
        "core.pager": run,
        "core.editor": run,
        "core.askPass": run,
        "core.alternateRefsCommand": run,
        "core.attributesFile": str(git_dir / "info/attributes"),
        "core.worktree": str(tmp_path / "victim"),
        "core.autocrlf": "true",
        "diff.external": run,
        "diff.trap.command": run,
        "diff.trap.textconv": run,
        "filter.trap.clean": run,
        "filter.trap.smudge": run,
        "filter.trap.process": run,
        "filter.trap.required": "true",
        "merge.trap.driver": f"{run} %A",
        "merge.default": "trap",
        "uploadpack.packObjectsHook": run,
        "gpg.program": run,
        "log.showSignature": "true",
        "merge.verifySignatures": "true",
        "credential.helper": f"!{run}",
        "remote.origin.url": f"ext::{run}",
        "remote.origin.uploadpack": run,
        "remote.origin.promisor": "true",
        "extensions.partialClone": "origin",
        "core.repositoryFormatVersion": "1",
        "protocol.allow": "always",
        "protocol.ext.allow": "always",
        "trace2.normalTarget": str(marker),
        "alias.diff-tree": f"!{run}",
        "alias.frobnicate": f"!{run}",
        "gc.auto": "1",
        "gc.recentObjectsHook": run,
        "sequence.editor": run,
        "interactive.diffFilter": run,
        "pager.log": run,
        "receive.procReceiveRefs": "refs",
        "submodule.recurse": "true",
        "fetch.recurseSubmodules": "true",
        "diff.submodule": "log",
        "maintenance.auto": "true",
    }
    for name, value in settings.items():
        made.git("config", name, value)
    (tmp_path / "victim").mkdir()
    return made


@pytest.fixture
def hostile_environment(monkeypatch, trap, marker, tmp_path):
    """The variables that steer git, as a caller might have them set."""
    for name in (
        "GIT_SSH",
        "GIT_SSH_COMMAND",
        "GIT_EXTERNAL_DIFF",
        "GIT_PROXY_COMMAND",
        "GIT_ASKPASS",
        "SSH_ASKPASS",
        "GIT_PAGER",
        "PAGER",
        "GIT_EDITOR",
        "EDITOR",
    ):
        monkeypatch.setenv(name, str(trap))
    for name in ("GIT_TRACE", "GIT_TRACE2", "GIT_TRACE_PACKET"):
        monkeypatch.setenv(name, str(marker))
    for name in (
        "GIT_DIR",
        "GIT_WORK_TREE",
        "GIT_OBJECT_DIRECTORY",
        "GIT_COMMON_DIR",
        "GIT_EXEC_PATH",
        "GIT_INDEX_FILE",
    ):
        monkeypatch.setenv(name, str(tmp_path / "elsewhere"))
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "core.fsmonitor")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", str(trap))
    monkeypatch.setenv("GIT_CONFIG_PARAMETERS", f"'core.fsmonitor'='{trap}'")
    home = tmp_path / "home"
    home.mkdir()
    (home / ".gitconfig").write_text(
        f'[core]\n\tfsmonitor = {trap}\n[diff]\n\texternal = {trap}\n[url "ext::{trap}"]\n\tinsteadOf = /\n'
    )
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home))


def use(repo, tmp_path):
    """Everything that is ever done with a repository."""
    first, second, third = (repo.resolve(rev) for rev in ("main~2", "main~1", "main"))
    assert repo.default_branch() == "main"
    assert "refs/pull/1/head" in repo.refs()
    patch = repo.diff(second, third)
    assert patch.count(b"diff --git") == 2
    assert b"GIT binary patch" not in patch
    tree = repo.tree_of(third)
    assert repo.apply(second, patch) == tree
    assert repo.apply(third, patch, reverse=True, three_way=True) == repo.tree_of(second)
    merged = repo.merge_tree(second, third, first)
    assert merged.tree is None or b"a" in repo.tree(merged.tree)
    assert repo.numstat(second, third)[b"a"].added == 1
    assert repo.changed_paths(first, third)
    assert repo.renames(first, third) == {}
    assert repo.follow(b"a", first, third) == b"a"
    infos = list(repo.walk(Walk((third,))))
    assert [info.subject for info in infos] == ["Third", "Second", "First"]
    assert len(list(repo.walk_changes(infos, similarity=50))) == 3
    assert len(repo.patch_ids(infos)) == 3
    assert repo.patch_id(second, third)
    assert repo.merge_base(first, third) == first
    materialise(repo, repo.tree(third), tmp_path)
    assert (tmp_path / "b").read_bytes() == b"2\r\n"
    assert repo.write_tree(repo.tree(third)) == tree


def test_the_traps_work_where_nobody_is_careful(hostile, marker, tmp_path):
    subprocess.run(
        ["git", "--work-tree", str(tmp_path / "victim"), "-c", "protocol.ext.allow=always", "diff", "HEAD"],
        cwd=hostile.path,
        env={"PATH": os.environ["PATH"], "HOME": str(tmp_path)},
        capture_output=True,
        check=False,
    )
    assert marker.exists()


def test_a_hostile_repository_is_opened_and_used_without_running_anything(hostile, opened, marker, tmp_path):
    use(opened(Repository.open(hostile.path)), tmp_path / "out")
    assert not marker.exists()
    assert list((tmp_path / "victim").iterdir()) == []


@pytest.mark.parametrize("how", ["path", "url"])
def test_a_hostile_repository_is_mirrored_and_used_without_running_anything(hostile, opened, marker, tmp_path, how):
    source = hostile.path if how == "path" else hostile.url
    opened(ensure_mirror("https://example.org/hostile", source, tmp_path / "mirrors"))
    mirror = opened(ensure_mirror("https://example.org/hostile", source, tmp_path / "mirrors", refresh=True))
    use(mirror, tmp_path / "out")
    use(opened(Workbench(mirror, tmp_path / "bench")), tmp_path / "out 2")
    assert not marker.exists()
    assert list((tmp_path / "victim").iterdir()) == []
    settings = (mirror.path / "config").read_text()
    assert str(tmp_path) not in settings


def test_nothing_of_the_callers_environment_gets_in(hostile, hostile_environment, opened, marker, tmp_path):
    use(opened(Repository.open(hostile.path)), tmp_path / "out")
    mirror = opened(ensure_mirror("https://example.org/hostile", hostile.path, tmp_path / "mirrors"))
    use(mirror, tmp_path / "out 2")
    assert not marker.exists()


@pytest.mark.parametrize("remote", ["ext", "path"])
def test_a_missing_object_is_never_fetched_from_a_hostile_remote(hostile, opened, marker, tmp_path, remote):
    if remote == "path":
        hostile.git("config", "remote.origin.url", str(hostile.path))
    oid = hostile.git("rev-parse", "main:a").decode().strip()
    (hostile.path / ".git/objects" / oid[:2] / oid[2:]).unlink()
    mirror = opened(ensure_mirror("https://example.org/hostile", hostile.path, tmp_path / "mirrors"))
    began = time.monotonic()
    for number, repo in enumerate((opened(Repository.open(hostile.path)), mirror)):
        for name, words in (
            ("blob", (oid,)),
            ("diff", ("main~1", "main")),
            ("numstat", ("main~1", "main")),
            ("merge_tree", ("main~1", "main", "main~2")),
        ):
            with pytest.raises(MissingObject):
                getattr(repo, name)(*words)
        with pytest.raises(MissingObject):
            materialise(repo, repo.tree("main"), tmp_path / f"out {number}")
        assert repo.resolve("0" * 39 + "1") is None
    assert time.monotonic() - began < 20
    assert not marker.exists()


def test_replacements_and_grafts_are_ignored(source, opened):
    first = source.commit({"a": b"1"}, "True first")
    second = source.commit({"a": b"2"}, "True second")
    other = source.commit({"a": b"evil"}, "Evil", root=True)
    source.git("update-ref", "refs/heads/main", second)
    source.git("replace", second, other)
    source.git(
        "replace",
        source.git("rev-parse", f"{first}:a").decode().strip(),
        source.git("rev-parse", f"{other}:a").decode().strip(),
    )
    (source.path / ".git/info").mkdir(exist_ok=True)
    (source.path / ".git/info/grafts").write_text(f"{second} {other}\n")
    repo = opened(Repository.open(source.path))
    assert repo.commit(second).subject == "True second"
    assert repo.blob(repo.tree(first)[b"a"].oid) == b"1"
    assert repo.resolve("main~1") == first
    assert [info.oid for info in repo.walk(Walk((second,), first_parent=True))] == [second, first]


def test_a_repository_of_a_kind_git_does_not_know_is_refused(source):
    source.commit({"a": b"1"})
    source.git("config", "core.repositoryFormatVersion", "1")
    source.git("config", "extensions.somethingNew", "true")
    with pytest.raises(NotARepository, match=r"(?i)somethingnew"):
        Repository.open(source.path)


def test_a_damaged_configuration_is_refused(source):
    source.commit({"a": b"1"})
    (source.path / ".git/config").write_text("[core\nrubbish")
    with pytest.raises(NotARepository, match="bad config"):
        Repository.open(source.path)
