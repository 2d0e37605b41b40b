"""The store survives whatever happens to the run that writes it, and says what is wrong when it cannot be used."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from change2task.api.metadata import ObjectMeta, Reference
from change2task.api.modernbase import ModernBase, ModernBaseSpec, ModernBaseStatus
from change2task.api.taskcandidate import Change, TaskCandidate, TaskCandidateSpec
from change2task.corpus.errors import NotAStore, StoreBusy, StoreDamaged, StoreTooNew, StoreUnwritable
from change2task.corpus.scratch import readable
from change2task.corpus.store import Store
from tests.support.passes import needs_bwrap
from tests.support.variants import variant


def candidate(name: str = "one", **status) -> TaskCandidate:
    spec = TaskCandidateSpec(base_ref=Reference(name="base"), change=Change(pull_request=603))
    made = TaskCandidate(metadata=ObjectMeta(name=name), spec=spec)
    return made.replacing(status=made.status.replacing(**status)) if status else made


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store.open(tmp_path / "store", create=True)


def test_a_resource_comes_back_with_its_status(store):
    store.put(candidate(accepted=False, message="because: of\n# this"))
    assert store.candidate("one") == candidate(accepted=False, message="because: of\n# this")


def test_absent_resources_are_none_and_names_are_sorted(store):
    for name in ("b", "a"):
        store.put(candidate(name))
    assert store.candidate("c") is None
    assert store.names(TaskCandidate) == ("a", "b")


def made_base(key: str) -> ModernBase:
    spec = ModernBaseSpec.model_validate(
        {"repository": {"url": "https://example.org/pkg"}, "checks": {"command": ["pytest"], "format": "pytest"}}
    )
    return ModernBase(metadata=ObjectMeta(name="base"), spec=spec, status=ModernBaseStatus(base_key=key))


def test_a_base_that_is_replaced_is_kept_while_tasks_rest_on_it(store):
    store.put(variant())
    for key in ("k", "unused", "now", "now"):
        store.put(made_base(key))
    assert [store.base_with_key("base", k) for k in ("now", "k", "unused")] == [made_base("now"), made_base("k"), None]
    store.drop_earlier()
    assert store.base_with_key("base", "k") is not None
    store.remove_variant("tv-x")
    store.drop_earlier()
    assert store.base_with_key("base", "k") is None


@needs_bwrap
def test_a_store_that_cannot_be_written_gets_a_cache_elsewhere_that_lends_what_stands(store, tmp_path):
    assert readable(store, {"XDG_CACHE_HOME": str(tmp_path / "mine")}) is store
    (store.cache / "environments" / "abc").mkdir(parents=True)
    (store.cache / "environments" / ".abc.lock").write_text("")
    script = textwrap.dedent(
        """
        import sys
        from pathlib import Path
        from change2task.corpus.scratch import readable
        from change2task.corpus.store import Store

        lent = readable(Store.open(Path(sys.argv[1]), create=False), {"XDG_CACHE_HOME": sys.argv[2]})
        print(lent.cache, sorted(p.name for p in (lent.cache / "environments").iterdir()))
        """
    )
    line = ["bwrap", "--dev-bind", "/", "/", "--ro-bind", store.path, store.path, "--"]
    line += [sys.executable, "-c", script, str(store.path), str(tmp_path / "mine")]
    done = subprocess.run(line, capture_output=True, text=True, check=True)
    told = done.stdout.splitlines()[-1]
    assert told.startswith(f"{tmp_path / 'mine' / 'change2task'}/")
    assert told.endswith("['abc']")


def test_unchanged_resources_are_not_written_again(store):
    path = store.put(candidate())
    before = path.stat().st_ino
    store.put(candidate())
    assert path.stat().st_ino == before


def test_evidence_is_filed_under_its_digest_and_altered_evidence_is_refused(store):
    digest = store.put_evidence(b"facts")
    assert store.evidence(digest) == b"facts"
    (store.path / "evidence" / digest).write_bytes(b"other facts")
    with pytest.raises(StoreDamaged, match="digest"):
        store.evidence(digest)


def test_missing_evidence_names_its_file(store):
    with pytest.raises(StoreDamaged, match="missing"):
        store.evidence("0" * 64)


def test_two_runs_exclude_each_other_and_the_second_is_told_who_holds_it(store):
    script = textwrap.dedent("""
        import sys
        from pathlib import Path
        from change2task.corpus.store import Store
        with Store.open(Path(sys.argv[1]), create=False).exclusive():
            print("held", flush=True)
            sys.stdin.read()
    """)
    holder = subprocess.Popen(
        [sys.executable, "-c", script, str(store.path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    try:
        assert holder.stdout.readline() == b"held\n"
        with pytest.raises(StoreBusy, match=f"process {holder.pid}"), store.exclusive():
            pass
        os.kill(holder.pid, signal.SIGKILL)
        holder.wait()
        with store.exclusive():
            pass
    finally:
        holder.kill()
        holder.wait()


def test_half_written_files_of_a_killed_run_are_swept_away(store):
    left = store.path / "candidates" / ".tmp-1-abc"
    left.write_text("kind: Task")
    with store.exclusive():
        assert not left.exists()
        assert store.names(TaskCandidate) == ()


def test_a_newer_store_is_refused_and_left_as_it_is(store):
    marker = store.path / "store.yaml"
    marker.write_text("formatVersion: 99\n")
    with pytest.raises(StoreTooNew, match="upgrade"):
        Store.open(store.path, create=True)
    assert marker.read_text() == "formatVersion: 99\n"


def test_a_folder_with_other_content_is_not_taken_over(tmp_path):
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(NotAStore, match="other files"):
        Store.open(tmp_path, create=True)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["thesis.txt"]


def test_reading_commands_do_not_create_a_store(tmp_path):
    with pytest.raises(NotAStore, match="there is no store at"):
        Store.open(tmp_path / "nowhere", create=False)
    assert not (tmp_path / "nowhere").exists()


def test_an_interrupted_creation_can_be_gone_on_with(tmp_path):
    (tmp_path / "bases").mkdir()
    (tmp_path / ".gitignore").write_text("cache/\n")
    assert Store.open(tmp_path, create=True).names(TaskCandidate) == ()


def test_a_full_disk_loses_nothing_that_was_stored(store, monkeypatch):
    store.put(candidate())

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StoreUnwritable, match="No space left"):
        store.put(candidate(message="new"))
    monkeypatch.undo()
    assert store.candidate("one") == candidate()
    assert not list((store.path / "candidates").glob(".tmp-*"))


def test_a_damaged_resource_names_its_file(store):
    path = store.put(candidate())
    path.write_text("kind: TaskCandidate\nmetadata: [")
    with pytest.raises(StoreDamaged, match=str(path)):
        store.candidate("one")


def test_the_store_ignores_what_can_be_made_again_and_nothing_else(store):
    assert "cache/" in (store.path / ".gitignore").read_text().splitlines()
    assert "evidence" not in (store.path / ".gitignore").read_text()
