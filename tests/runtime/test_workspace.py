from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from change2task.runtime.bubblewrap import BubblewrapSandbox, Features
from change2task.runtime.errors import Cancelled
from change2task.runtime.hostroot import HostRoot
from change2task.runtime.plain import PlainSandbox
from change2task.runtime.sandbox import Sandbox
from change2task.runtime.workspace import Workspace, Workspaces

# Never started here: only its layout is asked for.
APART = BubblewrapSandbox(
    Path("/usr/bin/bwrap"),
    Features(sized_tmpfs=True, disable_userns=True),
    HostRoot(folders=(), links={}, always={}, networked={}),
)
NAMES = ("work", "home", "results", "plan", "tmp")


@pytest.fixture(params=["apart", "in place"])
def sandbox(request: pytest.FixtureRequest, tmp_path: Path) -> Sandbox:
    return APART if request.param == "apart" else PlainSandbox(tmp_path / "base")


def folders(workspace: Workspace) -> list[Path]:
    return [getattr(workspace, name) for name in NAMES]


class TestFreshWorkspace:
    def test_every_folder_exists_and_is_empty(self, sandbox: Sandbox, tmp_path: Path) -> None:
        with Workspaces(tmp_path / "cache", sandbox) as workspaces, workspaces.fresh() as workspace:
            assert [list(folder.iterdir()) for folder in folders(workspace)] == [[]] * 5

    def test_nothing_of_one_run_is_found_by_the_next(self, sandbox: Sandbox, tmp_path: Path) -> None:
        with Workspaces(tmp_path / "cache", sandbox) as workspaces:
            with workspaces.fresh() as workspace:
                for folder in folders(workspace):
                    (folder / "left").mkdir()
                    folder.chmod(0)
            with workspaces.fresh() as workspace:
                assert [list(folder.iterdir()) for folder in folders(workspace)] == [[]] * 5

    def test_nothing_is_left_afterwards(self, sandbox: Sandbox, tmp_path: Path) -> None:
        with Workspaces(tmp_path / "cache", sandbox) as workspaces, workspaces.fresh() as workspace:
            (workspace.work / "file").write_text("x")
        assert not any(folder.exists() for folder in folders(workspace))
        assert [path.name for path in (tmp_path / "cache/runs").iterdir()] == ["lock"]

    def test_nothing_is_left_after_an_error_either(self, sandbox: Sandbox, tmp_path: Path) -> None:
        with (
            pytest.raises(RuntimeError, match="in between"),
            Workspaces(tmp_path / "cache", sandbox) as workspaces,
            workspaces.fresh() as workspace,
        ):
            raise RuntimeError("in between")
        assert not workspace.work.exists()

    def test_a_link_put_in_place_of_a_folder_is_not_followed(self, tmp_path: Path) -> None:
        (tmp_path / "outside").mkdir()
        (tmp_path / "outside/file").write_text("kept")
        with Workspaces(tmp_path / "cache", PlainSandbox(tmp_path / "base")) as workspaces:
            with workspaces.fresh() as workspace:
                workspace.work.rmdir()
                workspace.work.symlink_to(tmp_path / "outside")
            with workspaces.fresh() as workspace:
                assert list(workspace.work.iterdir()) == []
        assert (tmp_path / "outside/file").read_text() == "kept"

    def test_the_environment_of_a_base_stays(self, tmp_path: Path) -> None:
        (tmp_path / "base/env").mkdir(parents=True)
        with Workspaces(tmp_path / "cache", PlainSandbox(tmp_path / "base")) as workspaces, workspaces.fresh():
            pass
        assert (tmp_path / "base/env").is_dir()


class TestSideBySide:
    def test_runs_with_paths_of_their_own_go_on_together(self, tmp_path: Path) -> None:
        with (
            Workspaces(tmp_path / "cache", APART) as workspaces,
            workspaces.fresh() as one,
            workspaces.fresh() as other,
        ):
            assert not set(folders(one)) & set(folders(other))

    def test_runs_at_one_real_path_wait_for_each_other(self, tmp_path: Path) -> None:
        order: list[str] = []
        with Workspaces(tmp_path / "cache", PlainSandbox(tmp_path / "base")) as workspaces:

            def second() -> None:
                with workspaces.fresh():
                    order.append("second")

            with workspaces.fresh():
                thread = threading.Thread(target=second)
                thread.start()
                thread.join(timeout=0.5)
                order.append("first")
            thread.join()
        assert order == ["first", "second"]

    def test_runs_of_different_bases_do_not_wait(self, tmp_path: Path) -> None:
        with (
            Workspaces(tmp_path / "cache", PlainSandbox(tmp_path / "one")) as one,
            Workspaces(tmp_path / "cache", PlainSandbox(tmp_path / "other")) as other,
            one.fresh(),
            other.fresh() as workspace,
        ):
            assert workspace.work.is_dir()

    def test_waiting_can_be_cancelled(self, tmp_path: Path) -> None:
        cancel = threading.Event()
        with Workspaces(tmp_path / "cache", PlainSandbox(tmp_path / "base")) as workspaces, workspaces.fresh():
            threading.Timer(0.1, cancel.set).start()
            with pytest.raises(Cancelled), workspaces.fresh(cancel):
                pytest.fail("two runs share one path")


class TestSweeping:
    def test_folders_of_killed_runs_are_removed(self, tmp_path: Path) -> None:
        program = (
            "import os, sys; from pathlib import Path\n"
            "from change2task.runtime.workspace import Workspaces\n"
            "from tests.runtime.test_workspace import APART\n"
            "with Workspaces(Path(sys.argv[1]), APART) as spaces, spaces.fresh() as space:\n"
            "    (space.work / 'file').write_text('x'); os.kill(os.getpid(), 9)\n"
        )
        subprocess.run([sys.executable, "-c", program, tmp_path / "cache"], check=False, cwd=Path(__file__).parents[2])
        assert len(list((tmp_path / "cache/runs").iterdir())) == 2
        with Workspaces(tmp_path / "cache", APART):
            assert len(list((tmp_path / "cache/runs").iterdir())) == 2
        assert [path.name for path in (tmp_path / "cache/runs").iterdir()] == ["lock"]

    def test_folders_of_living_runs_stay(self, tmp_path: Path) -> None:
        with (
            Workspaces(tmp_path / "cache", APART) as first,
            first.fresh() as workspace,
            Workspaces(tmp_path / "cache", APART),
        ):
            assert workspace.work.is_dir()


class TestMounts:
    def test_the_plan_is_read_only_and_the_rest_is_not(self, sandbox: Sandbox, tmp_path: Path) -> None:
        with Workspaces(tmp_path / "cache", sandbox) as workspaces, workspaces.fresh() as workspace:
            writable = {mount.target: mount.writable for mount in workspace.mounts(sandbox.layout)}
        layout = sandbox.layout
        assert writable[layout.plan] is False
        assert {writable[layout.work], writable[layout.home], writable[layout.results]} == {True}

    def test_a_temporary_folder_is_mounted_only_where_the_sandbox_has_none(self, tmp_path: Path) -> None:
        plain = PlainSandbox(tmp_path / "base")
        for sandbox, expected in ((APART, False), (plain, True)):
            with Workspaces(tmp_path / "cache", sandbox) as workspaces, workspaces.fresh() as workspace:
                targets = [mount.target for mount in workspace.mounts(sandbox.layout)]
            assert (sandbox.layout.tmp in targets) is expected


def test_a_folder_that_cannot_be_emptied_is_said_with_its_entry(tmp_path: Path) -> None:
    work = tmp_path / "base/work"
    work.mkdir(parents=True)
    (work / "fixed").write_text("x")
    if subprocess.run(["chattr", "+i", work / "fixed"], capture_output=True, check=False).returncode != 0:
        pytest.skip("files cannot be made immutable here: it takes root and a file system that knows how")
    try:
        from change2task.runtime.errors import SandboxError

        with (
            Workspaces(tmp_path / "cache", PlainSandbox(tmp_path / "base")) as workspaces,
            pytest.raises(SandboxError, match=r"work still holds fixed .*remove it by hand"),
            workspaces.fresh(),
        ):
            pytest.fail("a workspace that is not fresh was handed out")
    finally:
        subprocess.run(["chattr", "-i", work / "fixed"], check=True)
    assert os.path.lexists(work)
