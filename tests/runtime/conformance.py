"""What every sandbox guarantees. A sandbox joins by a subclass with a fixture `make_sandbox`.

Where a sandbox may decline a guarantee, the test asserts that what happens is exactly what its Isolation declares:
a guarantee given and not kept fails, and so does one kept and not given.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import textwrap
import threading
import uuid
from pathlib import Path

import pytest

from change2task.runtime.models import Isolation, Mount
from tests.runtime.bench import Bench, SandboxMaker

MIB = 1 << 20
# Leaves the session, forks twice, closes everything: no parent, terminal or pipe leads to it any more.
DAEMON = """
import os, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.closerange(0, 100)
        os.execv(sys.executable, [sys.executable, "-I", "-S", "-c", "import time; time.sleep(300)", sys.argv[1]])
    os._exit(0)
os.wait()
"""


class SandboxConformance:
    # --- how a command ends

    @pytest.mark.parametrize("code", [0, 1, 3, 100, 255])
    def test_tells_the_exit_code(self, bench: Bench, code: int) -> None:
        outcome = bench.shell(f"exit {code}")
        assert (outcome.exit_code, outcome.signal, outcome.stopped_by, outcome.infrastructure) == (
            code,
            None,
            None,
            None,
        )

    def test_tells_a_missing_program_by_exit_code_127(self, bench: Bench) -> None:
        outcome = bench.sandbox.run(bench.command("no-such-program"))
        assert (outcome.exit_code, outcome.infrastructure) == (127, None)

    def test_tells_a_file_that_cannot_be_run_by_exit_code_126(self, bench: Bench) -> None:
        outcome = bench.sandbox.run(bench.command("/etc/passwd"))
        assert outcome.exit_code == 126

    def test_tells_the_signal_that_ended_a_child_of_the_shell(self, bench: Bench) -> None:
        outcome = bench.shell("sh -c 'kill -9 $$'")
        assert (outcome.exit_code, outcome.signal) == (None, signal.SIGKILL)

    def test_tells_a_crash_of_the_command_itself(self, bench: Bench) -> None:
        outcome = bench.python("import ctypes; ctypes.string_at(0)")
        assert (outcome.exit_code, outcome.signal) == (None, signal.SIGSEGV)

    def test_a_folder_that_does_not_exist_inside_is_a_fault_of_the_machine(self, bench: Bench) -> None:
        outcome = bench.sandbox.run(bench.command("true").replacing(cwd="/no/such/folder"))
        assert outcome.exit_code is None
        assert "/no/such/folder" in (outcome.infrastructure or "")

    def test_a_mount_that_does_not_exist_is_a_fault_of_the_machine(self, bench: Bench, tmp_path: Path) -> None:
        lost = tmp_path / "lost"
        outcome = bench.shell("true", mounts=(Mount(source=lost, target=str(lost)),))
        assert str(lost) in (outcome.infrastructure or "")

    def test_a_log_that_cannot_be_written_is_a_fault_of_the_machine(self, bench: Bench) -> None:
        bench.log = bench.folder / "no folder" / "log"
        assert "log" in (bench.shell("true").infrastructure or "")

    def test_a_log_on_a_full_disk_is_a_fault_of_the_machine(self, bench: Bench) -> None:
        bench.log = Path("/dev/full")
        assert "log" in (bench.shell("echo word").infrastructure or "")

    def test_a_host_short_of_disk_is_a_fault_of_the_machine(self, make_sandbox: SandboxMaker, bench: Bench) -> None:
        outcome = make_sandbox(reserve_bytes=1 << 62).run(bench.command("sleep", "60"))
        assert outcome.stopped_by is None
        assert "disk" in (outcome.infrastructure or "")

    # --- what a command gets

    def test_the_environment_is_exactly_the_one_given(self, bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("SECRET_OF_THE_HOST", "1")
        bench.shell("env")
        seen = dict(line.split("=", 1) for line in bench.printed.splitlines())
        for set_by_the_shell in ("PWD", "SHLVL", "_"):
            seen.pop(set_by_the_shell, None)
        assert seen == {"PATH": "/usr/bin:/bin", "TOKEN": bench.token}

    def test_standard_input_is_at_its_end(self, bench: Bench) -> None:
        outcome = bench.shell('if read -r word; then echo "got $word"; else echo nothing; fi')
        assert (outcome.exit_code, bench.printed) == (0, "nothing\n")

    def test_no_descriptor_is_inherited(self, bench: Bench, tmp_path: Path) -> None:
        secret = tmp_path / "secret"
        secret.write_text("secret")
        fd = os.open(secret, os.O_RDONLY)
        os.set_inheritable(fd, True)
        try:
            bench.python("import os; print([fd for fd in range(4096) if os.path.exists(f'/proc/self/fd/{fd}')])")
        finally:
            os.close(fd)
        assert bench.printed == "[0, 1, 2]\n"

    def test_there_is_no_controlling_terminal(self, bench: Bench) -> None:
        bench.shell("if (exec 3</dev/tty) 2>/dev/null; then echo terminal; else echo none; fi")
        assert bench.printed == "none\n"

    def test_signals_have_their_usual_effects(self, bench: Bench) -> None:
        bench.shell("grep SigIgn /proc/self/status; grep SigBlk /proc/self/status")
        ordinary = (1 << 31) - 1  # the C library keeps two of the others for itself
        assert [int(line.split()[1], 16) & ordinary for line in bench.printed.splitlines()] == [0, 0]

    def test_limits_of_the_process_are_set_for_good(self, bench: Bench) -> None:
        bench.python(
            "import resource as r; print([r.getrlimit(k) for k in (r.RLIMIT_CORE, r.RLIMIT_NOFILE, r.RLIMIT_FSIZE)])",
            disk_bytes=10 * MIB,
        )
        core, files, size = json.loads(bench.printed.replace("(", "[").replace(")", "]"))
        assert core == [0, 0]
        assert files[0] == files[1] <= 4096
        assert 10 * MIB <= size[0] == size[1] <= 11 * MIB

    def test_folders_are_where_the_layout_says(self, bench: Bench) -> None:
        (bench.workspace.plan / "word").write_text("planned")
        layout = bench.layout
        outcome = bench.shell(
            f"pwd && cat {layout.plan}/word && echo done > {layout.results}/word && touch {layout.home}/x"
        )
        assert (outcome.exit_code, bench.printed) == (0, f"{layout.work}\nplanned")
        assert (bench.workspace.results / "word").read_text() == "done\n"

    # --- what it prints

    def test_standard_output_and_error_go_to_the_log_as_bytes(self, bench: Bench) -> None:
        bench.python(r"import os; os.write(1, b'\xff\x00\xfe'); os.write(2, b'\x80')")
        assert bench.log.read_bytes() == b"\xff\x00\xfe\x80"

    def test_a_gigabyte_of_output_leaves_its_beginning_and_its_end(self, bench: Bench) -> None:
        outcome = bench.shell("echo first; head -c 1000000000 /dev/zero; echo last", output_bytes=10_000)
        log = bench.log.read_bytes()
        assert (outcome.exit_code, outcome.output_truncated) == (0, True)
        assert log.startswith(b"first\n")
        assert log.endswith(b"last\n")
        assert b"\n[999990011 bytes of output left out here]\n" in log
        assert len(log) < 10_100

    def test_a_log_of_none_throws_output_away(self, bench: Bench) -> None:
        outcome = bench.sandbox.run(bench.command("echo", "word").replacing(log=None))
        assert outcome.succeeded

    # --- nothing outlives it

    def test_daemons_are_gone_when_the_command_has_ended(self, bench: Bench) -> None:
        outcome = bench.python(DAEMON, bench.token)
        assert outcome.exit_code == 0
        assert bench.survivors() == []

    def test_a_child_that_keeps_the_output_open_does_not_keep_the_run(self, bench: Bench) -> None:
        outcome = bench.shell("sleep 300 & echo started")
        assert outcome.exit_code == 0
        assert outcome.seconds < 30
        assert bench.printed == "started\n"

    def test_a_deadline_ends_the_whole_tree(self, bench: Bench) -> None:
        outcome = bench.python(DAEMON + "time.sleep(300)", bench.token, seconds=1)
        assert (outcome.stopped_by, outcome.exit_code, outcome.signal) == ("deadline", None, None)
        assert 1 <= outcome.seconds < 10
        assert bench.survivors() == []

    def test_signals_cannot_be_used_to_sit_out_the_deadline(self, bench: Bench) -> None:
        outcome = bench.shell("trap '' HUP INT TERM XCPU; while :; do sleep 1; done", seconds=0.5)
        assert outcome.stopped_by == "deadline"

    def test_a_deadline_that_comes_before_the_start_is_kept(self, bench: Bench) -> None:
        outcome = bench.shell("sleep 60", seconds=0.0001)
        assert (outcome.stopped_by, outcome.infrastructure) == ("deadline", None)

    def test_cancelling_ends_the_whole_tree(self, bench: Bench) -> None:
        cancel = threading.Event()
        os.mkfifo(bench.workspace.results / "started")
        waiter = threading.Thread(target=_set_when_opened, args=(bench.workspace.results / "started", cancel))
        waiter.start()
        outcome = bench.python(
            DAEMON + "open(sys.argv[2], 'w').close(); time.sleep(300)",
            bench.token,
            f"{bench.layout.results}/started",
            cancel=cancel,
        )
        waiter.join()
        assert (outcome.stopped_by, outcome.exit_code) == ("cancelled", None)
        assert outcome.seconds < 30
        assert bench.survivors() == []

    @pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
    def test_nothing_is_left_when_this_program_is_ended(self, bench: Bench, number: signal.Signals) -> None:
        os.mkfifo(bench.workspace.results / "started")
        command = bench.command(
            bench.interpreter.program,
            "-c",
            DAEMON + "open(sys.argv[2], 'w').close(); time.sleep(300)",
            bench.token,
            f"{bench.layout.results}/started",
        )
        program = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, bench.sandbox.name, command.model_dump_json(), str(bench.folder)]
        )
        with (bench.workspace.results / "started").open():
            program.send_signal(number)
        assert program.wait(timeout=20) != 0
        assert bench.survivors() == []

    def test_the_command_cannot_be_ended_by_its_descendants_where_declared(self, bench: Bench) -> None:
        outcome = bench.shell("sh -c 'kill -9 $PPID'; exit 7")
        assert (outcome.exit_code == 7) == bench.sandbox.isolation.main_process
        assert outcome.infrastructure is None

    # --- limits

    def test_a_bomb_of_forks_is_ended(self, bench: Bench) -> None:
        # Bounded in itself too: 512 processes at most.
        bomb = "import os, sys, time\nfor _ in range(9): os.fork()\ntime.sleep(300)"
        outcome = bench.python(bomb, bench.token, processes=40)
        assert outcome.stopped_by == "processes"
        assert bench.survivors() == []

    def test_a_bomb_of_threads_is_ended(self, bench: Bench) -> None:
        bomb = "import threading, time\nfor _ in range(200): threading.Thread(target=time.sleep, args=(300,)).start()"
        assert bench.python(bomb, processes=4).stopped_by == "processes"

    def test_a_hog_of_memory_is_ended(self, bench: Bench) -> None:
        hog = "import time\nheld = [b'x' * (16 << 20) for _ in range(24)]\ntime.sleep(300)"
        assert bench.python(hog, memory_bytes=200 * MIB).stopped_by == "memory"

    def test_memory_is_counted_over_all_processes(self, bench: Bench) -> None:
        hog = "import os, time\nfor _ in range(2): os.fork()\nheld = b'x' * (80 << 20)\ntime.sleep(300)"
        assert bench.python(hog, memory_bytes=200 * MIB).stopped_by == "memory"

    def test_memory_that_forked_workers_share_is_counted_once(self, bench: Bench) -> None:
        workers = "import os, time\nheld = b'x' * (100 << 20)\nfor _ in range(2): os.fork()\ntime.sleep(1)"
        assert bench.python(workers, memory_bytes=250 * MIB).succeeded

    def test_filling_a_folder_with_files_is_ended(self, bench: Bench) -> None:
        filler = "n=0; while :; do n=$((n+1)); head -c 1000000 /dev/zero > file-$n; done"
        assert bench.shell(filler, disk_bytes=20 * MIB).stopped_by == "disk"

    def test_filling_one_file_is_ended_or_refused(self, bench: Bench) -> None:
        assert bench.shell("cat /dev/zero > file", disk_bytes=20 * MIB).stopped_by == "disk"
        assert (bench.workspace.work / "file").stat().st_size < 21 * MIB

    # --- what is closed, as declared

    def test_files_of_the_host_are_out_of_sight_as_declared(self, bench: Bench, tmp_path: Path) -> None:
        secret = tmp_path / "secret"
        secret.write_text("secret")
        bench.shell(f"cat {secret}")
        assert (bench.printed != "secret") == bench.sandbox.isolation.filesystem

    def test_files_of_the_host_cannot_be_written_as_declared(self, bench: Bench, tmp_path: Path) -> None:
        target = tmp_path / "target"
        bench.shell(f"echo written > {target}")
        assert (not target.exists()) == bench.sandbox.isolation.filesystem

    def test_read_only_mounts_cannot_be_written_as_declared(self, bench: Bench) -> None:
        (bench.workspace.plan / "word").write_text("planned")
        bench.shell(f"cd {bench.layout.plan}; chmod 777 . word; echo other > word; touch new; rm -f word")
        kept = [path.name for path in bench.workspace.plan.iterdir()] == ["word"]
        assert kept == bench.sandbox.isolation.filesystem

    def test_the_network_is_closed_as_declared(self, bench: Bench) -> None:
        with socket.create_server(("127.0.0.1", 0)) as server:
            outcome = bench.python(CONNECT, str(server.getsockname()[1]), network=False)
        assert (outcome.exit_code != 0) == bench.sandbox.isolation.network

    def test_abstract_sockets_of_the_host_are_closed_as_declared(self, bench: Bench) -> None:
        name = f"\0{uuid.uuid4().hex}"
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(name)
            server.listen()
            connect = "import socket, sys; socket.socket(socket.AF_UNIX).connect('\\0' + sys.argv[1])"
            outcome = bench.python(connect, name[1:])
        assert (outcome.exit_code != 0) == bench.sandbox.isolation.network

    def test_a_command_that_asks_for_the_network_has_it(self, bench: Bench) -> None:
        with socket.create_server(("127.0.0.1", 0)) as server:
            outcome = bench.python(CONNECT, str(server.getsockname()[1]), network=True)
        assert outcome.succeeded

    def test_tests_can_use_servers_of_their_own(self, bench: Bench) -> None:
        outcome = bench.python(
            "import socket\n"
            "server = socket.create_server(('localhost', 0))\n"
            "socket.create_connection(server.getsockname()).sendall(b'x')\n"
            "assert server.accept()[0].recv(1) == b'x'"
        )
        assert outcome.succeeded, bench.printed

    def test_processes_of_the_host_are_out_of_sight_as_declared(self, bench: Bench) -> None:
        look = (
            "import glob, os\n"
            "for path in glob.glob('/proc/[0-9]*/cmdline'):\n"
            "    try: print('seen' if os.environ['TOKEN'] in open(path).read() else '', end='')\n"
            "    except OSError: pass\n"
        )
        process = subprocess.Popen([sys.executable, "-c", "input()", bench.token], stdin=subprocess.PIPE)
        try:
            assert bench.python(look).succeeded
        finally:
            process.communicate(b"\n")
        assert (bench.printed != "seen") == bench.sandbox.isolation.processes

    @pytest.mark.parametrize("folder", ["/tmp", "/dev/shm"])
    def test_temporary_files_are_gone_in_the_next_run_as_declared(self, bench: Bench, folder: str) -> None:
        file = Path(folder) / bench.token
        try:
            assert bench.shell(f"echo x > {file}").succeeded
            bench.shell(f"if [ -e {file} ]; then echo there; fi")
            assert (bench.printed != "there\n") == bench.sandbox.isolation.fresh_temporary
        finally:
            file.unlink(missing_ok=True)

    def test_programs_find_a_temporary_folder_by_the_layout(self, bench: Bench) -> None:
        assert bench.shell(f"touch {bench.layout.tmp}/x").succeeded

    def test_paths_are_the_same_for_every_root_as_declared(self, make_sandbox: SandboxMaker, tmp_path: Path) -> None:
        one, other = make_sandbox(root=tmp_path / "one"), make_sandbox(root=tmp_path / "other")
        assert (one.layout == other.layout) == one.isolation.fixed_paths

    def test_whatever_is_not_enforced_is_said_in_a_sentence(self, bench: Bench) -> None:
        isolation = bench.sandbox.isolation
        declined = [name for name in Isolation.model_fields if getattr(isolation, name) is False]
        said = " ".join(isolation.not_enforced)
        missing = [name for name in declined if SAID_BY[name] not in said]
        assert missing == []

    # --- several at once

    def test_runs_side_by_side_do_not_mix(self, bench: Bench) -> None:
        outcomes: dict[int, tuple[int | None, bytes]] = {}

        def one(number: int) -> None:
            log = bench.folder / f"log-{number}"
            command = bench.command("sh", "-c", f"echo {number}; exit {number}").replacing(log=log)
            outcomes[number] = (bench.sandbox.run(command).exit_code, log.read_bytes())

        threads = [threading.Thread(target=one, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert outcomes == {number: (number, b"%d\n" % number) for number in range(8)}


SAID_BY = {
    "filesystem": "files:",
    "network": "network:",
    "processes": "processes:",
    "main_process": "can end them",
    "memory": "memory",
    "process_count": "number of processes",
    "disk": "disk",
    "fixed_paths": "paths:",
    "fresh_temporary": "temporary files:",
}

CONNECT = "import socket, sys; socket.create_connection(('127.0.0.1', int(sys.argv[1])), timeout=5)"

PROGRAM = textwrap.dedent(
    """
    import sys
    from pathlib import Path
    from change2task.runtime.choose import choose
    from change2task.runtime.models import Command
    choose(Path(sys.argv[3]) / "base", only=sys.argv[1]).sandbox.run(Command.model_validate_json(sys.argv[2]))
    """
)


def _set_when_opened(fifo: Path, event: threading.Event) -> None:
    with fifo.open():
        event.set()
