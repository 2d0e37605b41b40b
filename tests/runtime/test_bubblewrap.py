from __future__ import annotations

from pathlib import Path

import pytest

from change2task.runtime.bubblewrap import Features, arguments
from change2task.runtime.choose import bubblewrap, choose
from change2task.runtime.hostroot import HostRoot
from change2task.runtime.models import Command, Layout, Limits, Mount
from change2task.runtime.sandbox import Sandbox
from tests.runtime.bench import Bench, SandboxMaker
from tests.runtime.conformance import MIB, SandboxConformance

found = bubblewrap()
pytestmark = pytest.mark.skipif(isinstance(found, str), reason=str(found))

ROOT = HostRoot(
    folders=("/usr", "/lib32"),
    links={"/bin": "usr/bin"},
    always={"/etc/services": "/etc/services"},
    networked={"/etc/resolv.conf": "/run/resolv.conf"},
)


class BubblewrapFixture:
    @pytest.fixture
    def make_sandbox(self, tmp_path: Path) -> SandboxMaker:
        def make(root: Path = tmp_path / "base", **options: int) -> Sandbox:
            return choose(root, only="bubblewrap", **options).sandbox

        return make


class TestBubblewrapSandbox(BubblewrapFixture, SandboxConformance):
    pass


class TestBubblewrapSandboxAlone(BubblewrapFixture):
    def test_the_root_holds_the_system_and_the_layout_only(self, bench: Bench) -> None:
        bench.shell("cd /; echo *")
        allowed = {"bin", "c2t", "dev", "etc", "lib", "lib32", "lib64", "libx32", "proc", "sbin", "tmp", "usr"}
        assert set(bench.printed.split()) - {"root", "home", "opt"} <= allowed  # those three: where Python is installed

    def test_of_a_home_folder_only_the_interpreter_is_visible(self, bench: Bench) -> None:
        bench.shell("find /root /home -maxdepth 4 -not -path '*/lib/*' 2>/dev/null")
        interpreters = [mount.target for mount in bench.command("true").mounts if not mount.target.startswith("/c2t/")]
        for path in bench.printed.split():
            assert path in {"/root", "/home"} or any(
                path.startswith(f"{place}/") or place.startswith(path) for place in interpreters
            )

    def test_of_etc_nothing_secret_is_visible(self, bench: Bench) -> None:
        bench.shell("cd /etc; echo *")
        visible = set(bench.printed.split())
        assert {"passwd", "group", "hosts", "nsswitch.conf"} <= visible
        assert not visible & {"shadow", "gshadow", "sudoers", "ssh", "resolv.conf", "ssl", "machine-id", "environment"}

    def test_the_user_is_an_ordinary_one_with_a_name_and_no_powers(self, bench: Bench) -> None:
        bench.shell("id -u; id -g; id -un; hostname; grep -E 'CapEff|CapPrm|NoNewPrivs' /proc/self/status")
        words = bench.printed.split()
        assert words[:4] == ["1000", "1000", "c2t", "c2t"]
        assert words[4:] == ["CapPrm:", "0" * 16, "CapEff:", "0" * 16, "NoNewPrivs:", "1"]

    def test_settings_of_the_kernel_cannot_be_written(self, bench: Bench) -> None:
        # Opens only; nothing is written even where the sandbox is broken.
        text = (
            "import os\n"
            "for path in ('kernel/core_pattern', 'kernel/hostname', 'vm/drop_caches', 'kernel/modprobe'):\n"
            "    try: os.close(os.open('/proc/sys/' + path, os.O_WRONLY)); print(path)\n"
            "    except OSError: pass\n"
        )
        assert bench.python(text).succeeded
        assert bench.printed == ""

    def test_nothing_but_mounts_and_temporary_folders_can_be_written(self, bench: Bench) -> None:
        bench.shell("for d in / /etc /usr /usr/bin /dev /proc /c2t /root; do touch $d/new 2>/dev/null && echo $d; done")
        assert bench.printed == ""

    def test_temporary_folders_are_bounded(self, bench: Bench) -> None:
        for folder in ("/tmp", "/dev/shm"):
            outcome = bench.shell(f"head -c 20000000 /dev/zero > {folder}/file", disk_bytes=10 * MIB)
            assert outcome.exit_code not in {0, None}
            assert "No space left" in bench.printed or "File too large" in bench.printed

    def test_more_namespaces_cannot_be_made(self, bench: Bench) -> None:
        outcome = bench.python("import ctypes, sys; sys.exit(ctypes.CDLL(None).unshare(0x10000000) == 0)")
        assert outcome.exit_code == 0

    def test_killing_every_process_kills_neither_the_command_nor_anything_else(self, bench: Bench) -> None:
        # Asks first whether it is in a process namespace of its own.
        outcome = bench.shell(
            'test "$(cat /proc/1/comm)" = sh || exit 9\n'
            "sleep 300 & sleep 300 &\n"
            "sh -c 'kill -9 -1'\n"
            "wait; echo alive; exit 7"
        )
        assert (outcome.exit_code, bench.printed.splitlines()[-1]) == (7, "alive")

    def test_a_home_exists_and_is_bounded_where_none_is_mounted(self, bench: Bench) -> None:
        home = bench.layout.home
        command = bench.command("sh", "-c", f"touch {home}/x && head -c 100000000 /dev/zero > {home}/y")
        mounts = tuple(mount for mount in command.mounts if mount.target != home)
        outcome = bench.sandbox.run(command.replacing(mounts=mounts))
        assert outcome.exit_code == 1
        assert "No space left" in bench.printed

    def test_one_run_cannot_see_the_folders_of_another(self, bench: Bench) -> None:
        runs = bench.workspace.work.parent.parent
        outcome = bench.shell(f"ls {runs}")
        assert outcome.exit_code not in {0, None}
        assert runs.is_dir()

    def test_links_in_a_writable_folder_lead_nowhere(self, bench: Bench, tmp_path: Path) -> None:
        (tmp_path / "secret").write_text("secret")
        (bench.workspace.work / "link").symlink_to(tmp_path / "secret")
        bench.shell("cat link; echo written > link")
        assert "secret" not in bench.printed.replace(str(tmp_path), "")
        assert (tmp_path / "secret").read_text() == "secret"


class TestArguments:
    def command(self, **changes: object) -> Command:
        command = Command(
            argv=("pytest", "-q"),
            env={"PATH": "/usr/bin", "TZ": "UTC"},
            cwd="/c2t/work",
            mounts=(
                Mount(source=Path("/store/env/site"), target="/c2t/env/site"),
                Mount(source=Path("/store/work"), target="/c2t/work", writable=True),
                Mount(source=Path("/store/env"), target="/c2t/env"),
            ),
            limits=Limits(seconds=1, memory_bytes=1000 * MIB, disk_bytes=100 * MIB),
        )
        return command.replacing(**changes)

    def words(self, command: Command, *, sized_tmpfs: bool = True, disable_userns: bool = True) -> str:
        return " ".join(
            arguments(
                command,
                program="/usr/bin/bwrap",
                features=Features(sized_tmpfs=sized_tmpfs, disable_userns=disable_userns),
                root=ROOT,
                layout=Layout.fixed(),
                status_fd=7,
                files={"/etc/passwd": 8},
            )
        )

    def test_say_what_a_command_sees(self) -> None:
        assert self.words(self.command()) == (
            "/usr/bin/bwrap --unshare-all --unshare-user --uid 1000 --gid 1000 --disable-userns "
            "--hostname c2t --die-with-parent --new-session --as-pid-1 --json-status-fd 7 "
            "--ro-bind /usr /usr --ro-bind /lib32 /lib32 --symlink usr/bin /bin "
            "--ro-bind /etc/services /etc/services "
            "--perms 0444 --file 8 /etc/passwd "
            "--proc /proc --dev /dev "
            "--perms 1777 --size 104857600 --tmpfs /dev/shm "
            "--perms 1777 --size 104857600 --tmpfs /tmp "
            "--perms 1777 --size 67108864 --tmpfs /c2t/home "
            "--ro-bind /store/env /c2t/env --ro-bind /store/env/site /c2t/env/site "
            "--bind /store/work /c2t/work "
            "--remount-ro /proc --remount-ro /dev --remount-ro / "
            "--chdir /c2t/work --clearenv --setenv PATH /usr/bin --setenv TZ UTC "
            "-- /bin/sh -c ulimit -c 0; "
            'ulimit -f "$1"; ulimit -n "$2" 2>/dev/null || :; shift 2; exec "$@" sh 204928 4096 pytest -q'
        )

    def test_open_the_network_and_what_it_needs_only_when_asked(self) -> None:
        closed, opened = self.words(self.command()), self.words(self.command(network=True))
        assert "--share-net" not in closed
        assert "resolv.conf" not in closed
        assert "--share-net" in opened
        assert "--ro-bind /run/resolv.conf /etc/resolv.conf" in opened

    def test_leave_out_what_an_older_bubblewrap_does_not_know(self) -> None:
        words = self.words(self.command(), sized_tmpfs=False, disable_userns=False)
        assert "--size" not in words
        assert "--disable-userns" not in words
