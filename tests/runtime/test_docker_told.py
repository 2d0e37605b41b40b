"""What an engine is told and what is made of its answers: no engine is needed for any of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from change2task.runtime.docker.container import SETUP, Role, configuration
from change2task.runtime.docker.engine import Engine, Facts
from change2task.runtime.docker.growing import changed
from change2task.runtime.docker.sandbox import isolation, user
from change2task.runtime.errors import SandboxError
from change2task.runtime.models import Command, Layout, Limits, Mount

MIB = 1 << 20
FULL = Facts(
    version="29.0", memory=True, swap=True, pids=True, seccomp=True, rootless=False, remapped=False, root="/var/lib"
)
WEAK = FULL.replacing(memory=False, swap=False, pids=False, seccomp=False)
COMMAND = Command(
    argv=("pytest", "-q"),
    env={"PATH": "/usr/bin", "TZ": "UTC"},
    cwd="/c2t/work",
    mounts=(
        Mount(source=Path("/store/plan"), target="/c2t/plan"),
        Mount(source=Path("/store/work"), target="/c2t/work", writable=True),
    ),
    limits=Limits(seconds=1, memory_bytes=1000 * MIB, disk_bytes=100 * MIB, processes=10),
)


def told(command: Command = COMMAND, role: Role | None = None, facts: Facts = FULL) -> dict[str, Any]:
    return configuration(
        command,
        image="sha256:abc",
        volumes=("/data/",),
        role=role or Role(user="1000:1000"),
        facts=facts,
        layout=Layout.fixed(),
        network="bridge",
        labels={"change2task.dev/owner": "me"},
        mark="mark: no folder",
    )


def test_all_that_a_command_sees_and_may_spend() -> None:
    size = 100 * MIB
    temporary = "rw,exec,nosuid,nodev,mode=1777,size="
    assert told() == {
        "Image": "sha256:abc",
        "Hostname": "c2t",
        "User": "1000:1000",
        "WorkingDir": "/",
        "Entrypoint": ["/usr/bin/env", "-i", "--", "PATH=/usr/bin", "TZ=UTC"],
        "Cmd": [
            *("/bin/sh", "-c"),
            'exec 2>&1; cd "$2" 2>/dev/null || { echo "$1"; exit 125; }; unset OLDPWD; shift 2; exec "$@"',
            *("sh", "mark: no folder", "/c2t/work", "pytest", "-q"),
        ],
        "Tty": False,
        "OpenStdin": False,
        "AttachStdout": True,
        "AttachStderr": True,
        "Healthcheck": {"Test": ["NONE"]},
        "Labels": {"change2task.dev/owner": "me"},
        "HostConfig": {
            "NetworkMode": "none",
            "IpcMode": "private",
            "ReadonlyRootfs": True,
            "CapDrop": ["ALL"],
            "CapAdd": [],
            "SecurityOpt": ["no-new-privileges"],
            "Memory": 1000 * MIB,
            "MemorySwap": 1000 * MIB,
            "PidsLimit": 10 * 32 + 128,
            "Ulimits": [
                {"Name": "core", "Soft": 0, "Hard": 0},
                {"Name": "nofile", "Soft": 4096, "Hard": 4096},
                {"Name": "fsize", "Soft": size + 65536, "Hard": size + 65536},
            ],
            "Mounts": [
                {"Type": "bind", "Source": "/store/plan", "Target": "/c2t/plan", "ReadOnly": True},
                {"Type": "bind", "Source": "/store/work", "Target": "/c2t/work", "ReadOnly": False},
            ],
            "Tmpfs": {
                "/tmp": f"{temporary}{size}",
                "/c2t/home": f"{temporary}{64 * MIB}",
                "/data": f"{temporary}{64 * MIB}",
            },
            "ShmSize": size,
            "Init": False,
            "LogConfig": {"Type": "none"},
            "RestartPolicy": {"Name": "no"},
            "UsernsMode": "",
        },
    }


def test_only_a_command_that_asks_for_the_network_gets_one() -> None:
    assert told(COMMAND.replacing(network=True))["HostConfig"]["NetworkMode"] == "bridge"


def test_setup_is_root_with_what_installers_need_and_may_write_the_image() -> None:
    document = told(role=SETUP)
    assert document["User"] == "0:0"
    assert document["HostConfig"]["ReadonlyRootfs"] is False
    assert document["HostConfig"]["CapDrop"] == ["ALL"]
    assert document["HostConfig"]["CapAdd"] == ["CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "SETGID", "SETUID"]
    assert document["HostConfig"]["SecurityOpt"] == ["no-new-privileges"]


def test_a_mounted_home_is_no_temporary_folder() -> None:
    home = Mount(source=Path("/store/home"), target="/c2t/home", writable=True)
    assert "/c2t/home" not in told(COMMAND.replacing(mounts=(home,)))["HostConfig"]["Tmpfs"]


def test_an_engine_that_maps_users_is_asked_not_to() -> None:
    assert told(facts=FULL.replacing(remapped=True))["HostConfig"]["UsernsMode"] == "host"


def test_limits_that_an_engine_does_not_know_are_not_asked_of_it() -> None:
    host = told(facts=WEAK)["HostConfig"]
    assert (host["Memory"], host["MemorySwap"], host["PidsLimit"]) == (0, 0, 0)


class TestFacts:
    def test_are_read_from_the_engines_description(self) -> None:
        info = {
            "ServerVersion": "29.0",
            "MemoryLimit": True,
            "SwapLimit": False,
            "PidsLimit": True,
            "SecurityOptions": ["name=apparmor", "name=seccomp,profile=default", "name=userns", "name=cgroupns"],
            "DockerRootDir": "/var/lib/docker",
        }
        facts = Facts.of(info)
        assert (facts.memory, facts.swap, facts.pids, facts.seccomp) == (True, False, True, True)
        assert (facts.rootless, facts.remapped) == (False, True)

    def test_what_an_engine_does_not_say_it_cannot_do(self) -> None:
        assert Facts.of({}) == WEAK.replacing(version="", root="")

    @pytest.mark.parametrize("option", ["name=seccomp,profile=unconfined", "name=apparmor"])
    def test_an_engine_without_a_filter_of_system_calls_is_told(self, option: str) -> None:
        assert not Facts.of({"SecurityOptions": [option]}).seccomp


class TestIsolation:
    def test_limits_that_the_kernel_cannot_keep_are_declared_not_kept(self) -> None:
        found = isolation(WEAK, "bridge")
        assert (found.memory, found.process_count) == (False, False)
        said = " ".join(found.not_enforced)
        assert "memory: this engine's kernel cannot limit it" in said
        assert "number of processes: this engine's kernel cannot limit it" in said
        assert "no system calls" in said

    def test_swap_that_is_not_counted_is_said(self) -> None:
        assert "swap is not counted" in " ".join(isolation(FULL.replacing(swap=False), "bridge").not_enforced)
        assert "swap" not in " ".join(isolation(FULL, "bridge").not_enforced)

    def test_the_network_of_setup_steps_is_named(self) -> None:
        assert "'builds'" in " ".join(isolation(FULL, "builds").not_enforced)


@pytest.mark.parametrize(
    ("facts", "uid", "expected"),
    [
        (FULL, 0, "1000:1000"),
        (FULL, 501, "501:20"),
        (FULL.replacing(rootless=True), 501, "0:0"),
    ],
)
def test_commands_run_as_whoever_can_own_this_programs_folders(facts: Facts, uid: int, expected: str) -> None:
    assert user(facts, uid, 20) == expected


class TestAnEngineThatIsNotThere:
    def test_is_said_with_its_address_and_the_ways_out(self, tmp_path: Path) -> None:
        with pytest.raises(SandboxError) as caught:
            Engine.connect({"DOCKER_HOST": f"unix://{tmp_path}/docker.sock"})
        said = str(caught.value)
        assert f"unix://{tmp_path}/docker.sock" in said
        assert "No such file or directory" in said
        for way_out in ("docker.io", "DOCKER_HOST", "--runtime process"):
            assert way_out in said

    def test_an_address_that_means_nothing_is_said_too(self) -> None:
        with pytest.raises(SandboxError, match="nonsense"):
            Engine.connect({"DOCKER_HOST": "nonsense://x"})


class TestChanges:
    def test_new_paths_are_told_by_their_topmost_folder(self) -> None:
        found = changed({"/opt": 0, "/opt/x": 1, "/opt/x/a": 1, "/opt/x/a/f": 1, "/opt/y": 1}, ())
        assert (found.added, found.modified, found.anything) == (("/opt/x", "/opt/y"), (), True)

    def test_folders_on_the_way_to_a_change_are_no_change(self) -> None:
        found = changed({"/etc": 0, "/etc/profile": 0}, ())
        assert (found.added, found.modified) == ((), ("/etc/profile",))

    def test_targets_of_mounts_and_the_way_to_them_are_no_change(self) -> None:
        found = changed(
            {"/c2t": 1, "/c2t/work": 1, "/c2t/tools": 1, "/c2t/tools/uv": 1}, ("/c2t/work", "/c2t/tools/uv")
        )
        assert not found.anything

    def test_what_lies_beside_a_mount_is_one(self) -> None:
        assert changed({"/c2t": 1, "/c2t/work": 1, "/c2t/other": 1, "/c2t/other/f": 1}, ("/c2t/work",)).added == (
            "/c2t/other",
        )

    def test_what_was_removed_is_a_change_and_nothing_to_look_at(self) -> None:
        found = changed({"/etc": 0, "/etc/issue": 2}, ())
        assert (found.added, found.modified, found.anything) == ((), (), True)

    def test_nothing_is_nothing(self) -> None:
        assert changed({}, ("/c2t/work",)) == ((), (), False)
