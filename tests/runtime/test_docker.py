"""Containers as sandboxes: the common promises, and what is only true of them."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from change2task.runtime.choose import choose
from change2task.runtime.docker import owner
from change2task.runtime.docker.engine import Engine
from change2task.runtime.docker.sandbox import DockerSandbox
from change2task.runtime.errors import SandboxError
from change2task.runtime.models import Command, Limits, Mount
from change2task.runtime.sandbox import Sandbox
from tests.runtime.bench import Bench, Interpreter, SandboxMaker
from tests.runtime.conformance import MIB, SandboxConformance
from tests.support import engine

pytestmark = pytest.mark.docker


class DockerFixture:
    @pytest.fixture
    def make_sandbox(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SandboxMaker:
        # Through the environment, because one test has another program make the sandbox.
        monkeypatch.setenv("CHANGE2TASK_DOCKER_IMAGE", engine.test_image())
        monkeypatch.setenv("CHANGE2TASK_DOCKER_NETWORK", "host")

        def make(root: Path = tmp_path / "base", **options: int) -> Sandbox:
            return choose(root, only="docker", **options).sandbox

        return make

    @pytest.fixture
    def interpreter(self) -> Interpreter:
        return Interpreter(engine.PYTHON)


class TestDockerSandbox(DockerFixture, SandboxConformance):
    pass


class TestDockerSandboxAlone(DockerFixture):
    def test_the_user_is_no_root_and_has_no_powers_and_system_calls_are_filtered(self, bench: Bench) -> None:
        bench.shell(
            "id -u; cat /proc/sys/kernel/hostname; grep -E 'CapEff|CapPrm|CapBnd|NoNewPrivs|Seccomp:' /proc/self/status"
        )
        words = bench.printed.split()
        assert words[0] != "0"
        assert words[1] == "c2t"
        none = "0" * 16
        assert words[2:] == ["CapPrm:", none, "CapEff:", none, "CapBnd:", none, "NoNewPrivs:", "1", "Seccomp:", "2"]

    def test_the_command_is_the_first_process(self, bench: Bench) -> None:
        assert bench.shell("test $$ = 1").succeeded

    def test_killing_every_process_kills_neither_the_command_nor_anything_else(self, bench: Bench) -> None:
        outcome = bench.shell("test $$ = 1 || exit 9; sleep 300 & sh -c 'kill -9 -1'; wait; echo alive; exit 7")
        assert (outcome.exit_code, bench.printed.splitlines()[-1]) == (7, "alive")

    def test_nothing_but_mounts_and_temporary_folders_can_be_written(self, bench: Bench) -> None:
        bench.shell("for d in / /etc /usr /var/tmp /dev /proc /c2t /root; do touch $d/x 2>/dev/null && echo $d; done")
        assert bench.printed == ""

    def test_settings_of_the_kernel_cannot_be_written(self, bench: Bench) -> None:
        bench.shell(
            "for f in kernel/core_pattern kernel/hostname vm/drop_caches; do test -w /proc/sys/$f && echo $f; done"
        )
        assert bench.printed == ""

    def test_temporary_folders_are_bounded(self, bench: Bench) -> None:
        for folder in ("/tmp", "/dev/shm"):
            outcome = bench.shell(f"head -c 20000000 /dev/zero > {folder}/file", disk_bytes=10 * MIB)
            assert outcome.exit_code not in {0, None}
            assert "No space left" in bench.printed or "File too large" in bench.printed

    def test_a_home_exists_and_is_bounded_where_none_is_mounted(self, bench: Bench) -> None:
        home = bench.layout.home
        command = bench.command("sh", "-c", f"touch {home}/x && head -c 100000000 /dev/zero > {home}/y")
        mounts = tuple(mount for mount in command.mounts if mount.target != home)
        assert bench.sandbox.run(command.replacing(mounts=mounts)).exit_code == 1
        assert "No space left" in bench.printed

    def test_memory_that_a_child_is_killed_for_ends_the_command_too(self, bench: Bench) -> None:
        child = "import os, time\nif os.fork(): time.sleep(300)\nheld = b'x' * (600 << 20)"
        outcome = bench.python(child, memory_bytes=100 * MIB)
        assert (outcome.stopped_by, outcome.exit_code, outcome.signal) == ("memory", None, None)

    def test_what_this_program_laid_out_can_be_written_and_what_a_command_wrote_can_be_removed(
        self, bench: Bench
    ) -> None:
        deep = bench.workspace.work / "src/deep"
        deep.mkdir(parents=True)
        (deep / "file").write_text("old")
        outcome = bench.shell("echo new > src/deep/file && mkdir made && chmod 0 made")
        assert (outcome.exit_code, (deep / "file").read_text()) == (0, "new\n")

    def test_links_are_not_followed_when_folders_are_given_to_the_user(self, bench: Bench, tmp_path: Path) -> None:
        secret = tmp_path / "secret"
        secret.write_text("secret")
        (bench.workspace.work / "link").symlink_to(secret)
        bench.shell("true")
        assert secret.stat().st_uid == os.geteuid()

    def test_nothing_is_left_on_the_engine(self, bench: Bench) -> None:
        bench.shell("exit 3")
        bench.shell("sleep 60", seconds=0.2)
        mine = {"label": f"{owner.LABEL}={owner.this_program()}"}
        assert Engine.connect().client.containers(all=True, filters=mine) == []

    def test_a_command_without_an_image_is_refused_with_the_way_out(self, bench: Bench) -> None:
        with pytest.raises(SandboxError, match=r"spec\.environment\.image.*CHANGE2TASK_DOCKER_IMAGE"):
            DockerSandbox(Engine.connect()).run(bench.command("true"))

    def test_an_image_that_is_gone_is_a_fault_of_the_machine(self, bench: Bench) -> None:
        outcome = bench.sandbox.run(bench.command("true").replacing(image="change2task-base:nothere"))
        assert outcome.exit_code is None
        assert "change2task-base:nothere is not on the Docker engine" in (outcome.infrastructure or "")

    def test_a_network_that_is_not_there_is_a_fault_of_the_machine(self, bench: Bench) -> None:
        sandbox = DockerSandbox(Engine.connect(), image=engine.test_image(), network="no-such-network")
        outcome = sandbox.run(bench.command("true", network=True))
        assert "no-such-network" in (outcome.infrastructure or "")

    def test_a_container_that_someone_else_removes_is_a_fault_of_the_machine(self, bench: Bench) -> None:
        os.mkfifo(bench.workspace.results / "started")

        def remove() -> None:
            (bench.workspace.results / "started").read_text()
            client = Engine.connect().client
            [mine] = client.containers(filters={"label": f"{owner.LABEL}={owner.this_program()}"})
            client.remove_container(mine["Id"], force=True)

        other = threading.Thread(target=remove)
        other.start()
        outcome = bench.shell(f"echo > {bench.layout.results}/started; sleep 300")
        other.join()
        assert outcome.exit_code is None
        assert "ended or removed by someone else" in (outcome.infrastructure or "")

    def test_a_volume_that_the_image_declares_is_bounded_and_fresh(self, bench: Bench) -> None:
        client = Engine.connect().client
        made = client.create_container(engine.test_image(), ["true"])["Id"]
        image = client.commit(made, changes=["VOLUME /data"])["Id"]
        client.remove_container(made)
        try:
            command = bench.command("sh", "-c", "touch /data/x && head -c 100000000 /dev/zero > /data/y")
            outcome = bench.sandbox.run(command.replacing(image=image))
            assert outcome.exit_code == 1
            assert "No space left" in bench.printed
        finally:
            client.remove_image(image)


class TestContainersOfDeadPrograms(DockerFixture):
    def container(self, label: str) -> str:
        client = Engine.connect().client
        made: str = client.create_container(engine.test_image(), ["true"], labels={owner.LABEL: label})["Id"]
        return made

    def there(self, container: str) -> bool:
        client = Engine.connect().client
        there = bool(client.containers(all=True, filters={"id": container}))
        if there:
            client.remove_container(container)
        return there

    def dead_program(self) -> str:
        text = "from change2task.runtime.docker.owner import this_program; print(this_program())"
        return subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True).stdout.strip()

    def test_are_removed_when_a_sandbox_is_made(self, make_sandbox: SandboxMaker) -> None:
        container = self.container(self.dead_program())
        make_sandbox()
        assert not self.there(container)

    @pytest.mark.parametrize("label", ["", "somebody", "boot.namespace.1.x"])
    def test_containers_that_are_not_ours_stay(self, make_sandbox: SandboxMaker, label: str) -> None:
        container = self.container(label)
        make_sandbox()
        assert self.there(container)

    def test_containers_of_living_programs_stay(self, make_sandbox: SandboxMaker) -> None:
        container = self.container(owner.this_program())
        make_sandbox()
        assert self.there(container)

    def test_a_program_of_another_process_namespace_is_not_judged(self) -> None:
        boot, _, pid, started = self.dead_program().split(".")
        assert not owner.dead(f"{boot}.1.{pid}.{started}", running=False)

    def test_after_a_restart_of_the_machine_what_does_not_run_is_dead(self) -> None:
        assert owner.dead("another-boot.1.1.1", running=False)
        assert not owner.dead("another-boot.1.1.1", running=True)


def program_for(user: int) -> str | None:
    """A Python of this version that another user may run too; those in a home folder are nobody else's."""
    for program in (sys.executable, f"/usr/bin/python3.{sys.version_info.minor}"):
        with contextlib.suppress(OSError):
            if subprocess.run([program, "-c", ""], user=user, check=False, cwd="/").returncode == 0:
                return program
    return None


@pytest.fixture
def home_of_4242() -> Iterator[Path]:
    # pytest's own folders are closed to other users.
    with tempfile.TemporaryDirectory() as folder:
        os.chown(folder, 4242, 4242)
        yield Path(folder)


@pytest.mark.skipif(os.geteuid() != 0, reason="becoming another user takes root")
def test_an_ordinary_user_runs_commands_as_itself(home_of_4242: Path) -> None:
    home = home_of_4242
    image = engine.test_image()
    python = program_for(4242)
    if python is None:
        pytest.skip("no Python of this version can be run by another user")
    socket = Path(os.environ.get("DOCKER_HOST", "unix:///var/run/docker.sock").removeprefix("unix://"))
    command = Command(
        argv=("sh", "-c", "id -u; touch made; mkdir -p a/b; chmod 0 a"),
        env={"PATH": "/usr/bin:/bin"},
        cwd="/c2t/work",
        mounts=(Mount(source=home, target="/c2t/work", writable=True),),
        image=image,
        limits=Limits(seconds=60),
        log=home / "log",
    )
    program = (
        "import sys\n"
        "from change2task.runtime.docker.sandbox import DockerSandbox\n"
        "from change2task.runtime.models import Command\n"
        "print(DockerSandbox.connect().run(Command.model_validate_json(sys.argv[1])).succeeded)\n"
    )
    ended = subprocess.run(
        [python, "-c", program, command.model_dump_json()],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "HOME": str(home)},
        user=4242,
        group=socket.stat().st_gid,
        extra_groups=[],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.stdout == "True\n", ended.stderr
    assert (home / "log").read_text() == "4242\n"
    assert (home / "made").stat().st_uid == 4242
