from __future__ import annotations

from pathlib import Path

import pytest

from change2task.runtime.choose import choose
from change2task.runtime.errors import SandboxError
from change2task.runtime.models import Mount
from change2task.runtime.sandbox import Sandbox
from tests.runtime.bench import Bench, SandboxMaker
from tests.runtime.conformance import SandboxConformance


class PlainFixture:
    @pytest.fixture
    def make_sandbox(self, tmp_path: Path) -> SandboxMaker:
        def make(root: Path = tmp_path / "base", **options: int) -> Sandbox:
            return choose(root, only="plain", **options).sandbox

        return make


class TestPlainSandbox(PlainFixture, SandboxConformance):
    pass


class TestPlainSandboxAlone(PlainFixture):
    def test_refuses_a_mount_that_should_appear_elsewhere(self, bench: Bench, tmp_path: Path) -> None:
        with pytest.raises(SandboxError, match="install bubblewrap"):
            bench.shell("true", mounts=(Mount(source=tmp_path, target="/c2t/elsewhere"),))

    def test_a_command_that_ends_its_supervisor_is_a_crash_and_leaves_little(self, bench: Bench) -> None:
        # Asks first whether the parent really is the supervisor: it must never hit anything else.
        text = (
            "import os, subprocess, sys, time\n"
            "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(300)', sys.argv[1]])\n"
            "open(sys.argv[2], 'w').close()\n"
            "parent = os.getppid()\n"
            "assert b'supervise.py' in open(f'/proc/{parent}/cmdline', 'rb').read()\n"
            "time.sleep(1)\n"
            "os.kill(parent, 9)\n"
            "time.sleep(300)\n"
        )
        outcome = bench.python(text, bench.token, str(bench.workspace.results / "x"))
        assert (outcome.signal, outcome.exit_code, outcome.infrastructure) == (9, None, None)
        assert bench.survivors() == []

    def test_a_command_that_stops_its_supervisor_is_ended_all_the_same(self, bench: Bench) -> None:
        text = (
            "import os, signal, time\n"
            "parent = os.getppid()\n"
            "assert b'supervise.py' in open(f'/proc/{parent}/cmdline', 'rb').read()\n"
            "os.kill(parent, signal.SIGSTOP)\n"
            "time.sleep(300)\n"
        )
        outcome = bench.python(text, bench.token, seconds=1)
        assert outcome.stopped_by == "deadline"
        assert bench.survivors() == []

    def test_a_command_may_remove_its_own_folders(self, bench: Bench) -> None:
        outcome = bench.shell(f"cd /; rm -rf {bench.layout.work} {bench.layout.results}; sleep 0.2; exit 3")
        assert (outcome.exit_code, outcome.infrastructure) == (3, None)

    def test_variables_of_the_command_do_not_reach_its_supervisor(self, bench: Bench) -> None:
        command = bench.command("/bin/true")
        outcome = bench.sandbox.run(command.replacing(env={"PYTHONHOME": "/nonexistent", "PYTHONPATH": "/nonexistent"}))
        assert outcome.exit_code == 0
