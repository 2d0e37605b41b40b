"""Plain processes of a user without rights: what they can no longer do to the program that runs them."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from tempfile import mkdtemp

import psutil
import pytest

from change2task.runtime.errors import SandboxError
from change2task.runtime.lowered import USER, LoweredSandbox
from change2task.runtime.models import Command, Limits, Mount, Outcome
from change2task.runtime.sandbox import Sandbox
from tests.runtime.bench import Bench, SandboxMaker
from tests.runtime.conformance import SandboxConformance

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="giving rights up takes root, as in a container")


@pytest.fixture
def root() -> Iterator[Path]:
    """A folder that any user can reach, as the root of a container is."""
    folder = Path(mkdtemp(prefix="c2t-lowered-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


def run(root: Path, line: str) -> tuple[Outcome, str]:
    sandbox = LoweredSandbox(root)
    work = Path(sandbox.layout.work)
    work.mkdir(exist_ok=True)
    log = root / "log"
    command = Command(
        argv=("/bin/sh", "-c", line), env={"PATH": "/usr/bin:/bin"}, cwd=str(work),
        mounts=(Mount(source=work, target=str(work), writable=True),), limits=Limits(seconds=20), log=log,
    )  # fmt: skip
    outcome = sandbox.run(command)
    return outcome, log.read_text()


def lives(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


@needs_root
def test_it_writes_what_it_may_and_nothing_that_is_root_s(root: Path) -> None:
    (root / "reward").write_text("0")
    outcome, told = run(root, f"id -u; echo 1 >made && echo 1 >{root}/reward")
    assert told.splitlines()[0] == str(USER)
    assert not outcome.succeeded
    assert (root / "work/made").read_text() == "1\n"
    assert (root / "reward").read_text() == "0"


@needs_root
def test_it_cannot_signal_the_program_that_runs_it(root: Path) -> None:
    outcome, told = run(root, f"kill -9 {os.getpid()}")
    assert not outcome.succeeded
    assert "not permitted" in told.lower()


@needs_root
def test_what_it_leaves_behind_is_ended(root: Path) -> None:
    outcome, told = run(root, "setsid sh -c 'sleep 600' >/dev/null 2>&1 & echo $!")
    assert outcome.succeeded
    assert not lives(int(told))


def test_without_root_it_is_refused_with_what_it_takes(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(SandboxError, match="takes root and setpriv"):
        LoweredSandbox(root)


@needs_root
@pytest.mark.consumers
class TestLoweredSandbox(SandboxConformance):
    """What every sandbox guarantees. Only verifiers of exports use this one, so it is tried with them."""

    @pytest.fixture
    def make_sandbox(self, root: Path) -> SandboxMaker:
        def make(root: Path = root / "base", **options: int) -> Sandbox:
            return LoweredSandbox(root, **options)

        return make

    # Root's own files are out of reach, which is more than the sandbox declares: others' may not be.

    def test_files_of_the_host_are_out_of_sight_as_declared(self, bench: Bench, tmp_path: Path) -> None:
        secret = tmp_path / "secret"
        secret.write_text("secret")
        bench.shell(f"cat {secret}")
        assert "secret" not in bench.printed.replace(str(secret), "")

    def test_files_of_the_host_cannot_be_written_as_declared(self, bench: Bench, tmp_path: Path) -> None:
        bench.shell(f"echo 1 >{tmp_path}/made")
        assert not (tmp_path / "made").exists()

    def test_read_only_mounts_cannot_be_written_as_declared(self, bench: Bench) -> None:
        (bench.workspace.plan / "word").write_text("planned")
        bench.shell(f"cd {bench.layout.plan}; chmod 777 . word; echo other > word; touch new; rm -f word")
        assert [(path.name, path.read_text()) for path in bench.workspace.plan.iterdir()] == [("word", "planned")]
