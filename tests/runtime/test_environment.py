from __future__ import annotations

from pathlib import Path

from change2task.runtime.environment import Environment
from change2task.runtime.models import Layout, Mount

LAYOUT = Layout.fixed()


class TestEnvironment:
    def test_is_mounted_read_only_with_its_toolchain(self) -> None:
        tool = Mount(source=Path("/opt/go"), target="/opt/go")
        environment = Environment(folder=Path("/store/env"), toolchain=(tool,))
        assert environment.mounts(LAYOUT) == (tool, Mount(source=Path("/store/env"), target="/c2t/env"))

    def test_is_writable_while_it_is_built(self) -> None:
        (mount,) = Environment(folder=Path("/store/env")).mounts(LAYOUT, writable=True)
        assert mount.writable

    def test_gives_a_command_a_whole_neutral_environment(self) -> None:
        environment = Environment(folder=Path("/store/env"), path=("/c2t/env/bin",), variables={"CI": "1"})
        assert environment.command_env(LAYOUT) == {
            "PATH": "/c2t/env/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
            "HOME": "/c2t/home",
            "TMPDIR": "/tmp",
            "LANG": "C.UTF-8",
            "TZ": "UTC",
            "CI": "1",
        }

    def test_its_own_variables_win(self) -> None:
        environment = Environment(folder=Path("/store/env"), variables={"TZ": "Asia/Tokyo"})
        assert environment.command_env(LAYOUT)["TZ"] == "Asia/Tokyo"


class TestLeftovers:
    def test_are_laid_into_the_work_folder_beside_what_is_there(self, tmp_path: Path) -> None:
        leftovers, work = tmp_path / "leftovers", tmp_path / "work"
        (leftovers / "node_modules/left").mkdir(parents=True)
        (leftovers / "src/pkg.egg-info").mkdir(parents=True)
        (leftovers / "src/mine.py").write_text("leftover")
        (leftovers / "link").symlink_to("node_modules")
        (work / "src").mkdir(parents=True)
        (work / "src/mine.py").write_text("state")
        Environment(folder=tmp_path, leftovers=leftovers).lay_leftovers(work)
        assert (work / "node_modules/left").is_dir()
        assert (work / "src/pkg.egg-info").is_dir()
        assert (work / "src/mine.py").read_text() == "state"
        assert (work / "link").readlink() == Path("node_modules")

    def test_never_follow_a_link_of_the_state(self, tmp_path: Path) -> None:
        leftovers, work, outside = tmp_path / "leftovers", tmp_path / "work", tmp_path / "outside"
        (leftovers / "build").mkdir(parents=True)
        (leftovers / "build/file").write_text("x")
        work.mkdir()
        outside.mkdir()
        (work / "build").symlink_to(outside)
        Environment(folder=tmp_path, leftovers=leftovers).lay_leftovers(work)
        assert list(outside.iterdir()) == []

    def test_none_are_no_work(self, tmp_path: Path) -> None:
        Environment(folder=tmp_path).lay_leftovers(tmp_path / "work")
        assert not (tmp_path / "work").exists()
