"""A run that is killed goes on where it was and ends as if nothing had been; one that is asked to stop ends in seconds.

C2T_KILLS says how often the run is killed here, at moments that C2T_SEED decides; 20 is what was promised, fewer do for
every day.
"""

from __future__ import annotations

import contextlib
import os
import random
import re
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.commands import at_once, begin, ends_in
from tests.support.stores import difference
from tests.support.world import World, base, candidate, documents

KILLS = int(os.environ.get("C2T_KILLS", "5"))
STARTING = 12
"""Lines that a run says before it works on anything that was not finished before."""


def lines(process: subprocess.Popen[bytes]) -> Iterator[str]:
    """What a command says, line by line, while it says it."""
    assert process.stderr is not None
    for line in process.stderr:
        yield line.decode(errors="replace")


def end(process: subprocess.Popen[bytes]) -> None:
    """Kill everything of a command at once."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def test_a_run_killed_at_any_moment_goes_on_and_ends_as_if_undisturbed(world: World, tmp_path: Path) -> None:
    chance = random.Random(int(os.environ.get("C2T_SEED", "1")))
    store = tmp_path / "store"
    words = ("run", world.manifest, *world.mirror, "--store", store, "--jobs", "2", "-v")
    said: list[list[str]] = []
    kills = 0
    while True:
        process = begin(*words, env=world.env, cwd=tmp_path)
        said.append([])
        moment = STARTING + chance.randrange(2 * 250 // KILLS) if kills < KILLS else None
        for line in lines(process):
            said[-1].append(line)
            if len(said[-1]) == moment:
                # Between two lines, too: most of the time goes by there.
                time.sleep(chance.random() * 0.2)
                end(process)
                kills += 1
        if process.wait() != -signal.SIGKILL:
            break
    assert process.returncode == 0, "".join(said[-1])
    assert kills >= min(KILLS, 3)
    told = difference(store, world.store)
    assert not told, told
    assert_nothing_was_redone(said)


def assert_nothing_was_redone(said: list[list[str]]) -> None:
    """No pass that was kept, and nothing of a base or candidate that had ended, is run in any later run."""
    kept: Counter[str] = Counter()
    ended: set[str] = set()
    for run in said:
        before = frozenset(ended)
        for line in run:
            if found := re.search(r"pass\.kept .*label=(\S+) .*key=(\S+)", line):
                kept[found[0][9:]] += 1
            if found := re.search(r"\] pass .*label=(bases|candidates)/([^/]+)/", line):
                assert f"{found[1][:-1]} {found[2]}" not in before, line
            if found := re.search(r"\] ended .*kind=(\w+) +name=(\S+)", line):
                ended.add(f"{found[1]} {found[2]}")
            assert not ("] setup " in line and "base toolbox" in before), line
    assert kept
    assert max(kept.values()) == 1, kept.most_common(3)


@contextlib.contextmanager
def silent_server() -> Iterator[str]:
    """An address where connections are taken and nothing is ever answered."""
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        yield f"git://127.0.0.1:{server.getsockname()[1]}/toolbox"


def stopped(process: subprocess.Popen[bytes], at: str, *, presses: int = 1) -> tuple[int, float, str]:
    """Exit code, seconds until the end, and what was said, of a command that is asked to stop once it says `at`."""
    said = []
    for line in lines(process):
        said.append(line)
        if re.search(at, line):
            break
    else:
        pytest.fail(f"never said {at!r}: {''.join(said)}")
    asked = time.monotonic()
    for _ in range(presses):
        os.kill(process.pid, signal.SIGINT)
        time.sleep(0.2)
    said += lines(process)
    code = ends_in(process, 30)
    return code, time.monotonic() - asked, "".join(said)


def test_asked_to_stop_a_run_saves_what_was_won_and_ends_in_seconds(world: World, tmp_path: Path) -> None:
    store = world.copy(tmp_path)
    for name in ("fix", "docs"):
        (store / "candidates" / f"{name}.yaml").unlink()
    manifest = tmp_path / "some.yaml"
    manifest.write_text(documents(base(), *(candidate(name, world.change(name)) for name in ("docs", "fix"))))
    words = ("run", manifest, *world.mirror, "--store", store, "--jobs", "1", "-v")
    code, seconds, said = stopped(begin(*words, env=world.env, cwd=tmp_path), r"pass\.kept .*candidates/fix/")
    assert code == 130, said
    assert seconds < 8
    assert said.endswith("stopped; everything finished is stored, run again to go on\n")
    assert world.stored("candidates", "docs", store)["status"]["reason"] == "NoSourceChange"
    assert not (store / "candidates/fix.yaml").exists()
    explained = at_once("explain", "fix", "--store", store)
    assert (explained.code, explained.out) == (0, "fix: no verdict yet; run again\n")
    shown = at_once("show", "fix", "--store", store)
    assert (shown.code, shown.err) == (2, "error: fix has no verdict yet, so there is no task; run again\n")
    assert len(list((store / "cache/journal").glob("*/*.json"))) == 1
    assert [path.name for path in (store / "cache/runs").iterdir()] == ["lock"]
    assert not (store / ".lock.holder").exists()


def test_a_setup_that_hangs_is_ended_with_the_run(world: World, tmp_path: Path) -> None:
    manifest = tmp_path / "hangs.yaml"
    environment = {**base()["spec"]["environment"], "setup": ["sleep 1000"]}
    manifest.write_text(documents(base(environment=environment)))
    words = ("run", manifest, *world.mirror, "--store", tmp_path / "store", "-v")
    code, seconds, said = stopped(begin(*words, env=world.env, cwd=tmp_path), r"command .*sleep 1000")
    assert code == 130, said
    assert seconds < 8
    assert not list((tmp_path / "store/bases").iterdir())


def test_asked_twice_a_run_ends_at_once_whatever_it_waits_for(world: World, tmp_path: Path) -> None:
    with silent_server() as url:
        manifest = tmp_path / "silent.yaml"
        manifest.write_text(documents(base(repository={"url": url})))
        words = ("run", manifest, "--store", tmp_path / "store", "-v")
        process = begin(*words, env=world.env, cwd=tmp_path)
        code, seconds, said = stopped(process, "fetching", presses=2)
    assert code == 130, said
    assert seconds < 4
    assert said.endswith("stopped; everything finished is stored, run again to go on\n")
    left = subprocess.run(["pgrep", "-f", url], capture_output=True, check=False)
    assert left.stdout == b"", "git was ended too"


def test_a_batch_that_waits_for_answers_ends_when_it_is_asked_to(world: World, tmp_path: Path) -> None:
    words = ("grade", "--batch", "-", *world.mirror, "--store", world.copy(tmp_path))
    with begin(*words, env=world.env, cwd=tmp_path, asked=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b'{"id": "a", "task": "docs", "patch": ""}\n')
        assert b'"TaskUnusable"' in process.stdout.readline()
        process.send_signal(signal.SIGINT)
        assert ends_in(process, 20) == 130
        assert b"Fatal" not in b"".join(process.stderr or ())


PRESSED = """
import subprocess, sys, threading
from change2task.cli.stopping import stopping

def work(asked, done):
    print("now", flush=True)
    process = subprocess.Popen(["sleep", "60"])
    asked.wait()
    process.kill()
    process.wait()
    done.set()

for _ in range(int(sys.argv[1])):
    done = threading.Event()
    with stopping(last=lambda: None) as asked:
        threading.Thread(target=work, args=(asked, done)).start()
        done.wait()
"""


def test_no_interrupt_is_lost_that_comes_while_a_worker_starts_a_process() -> None:
    rounds = 100
    with subprocess.Popen([sys.executable, "-c", PRESSED, str(rounds)], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        for _ in range(rounds):
            assert process.stdout.readline() == b"now\n"
            process.send_signal(signal.SIGINT)
        assert ends_in(process, 20) == 0


def test_an_interrupt_before_anything_began_is_no_crash(world: World, tmp_path: Path) -> None:
    pipe = tmp_path / "manifest.yaml"
    os.mkfifo(pipe)
    process = begin("validate", pipe, env=world.env, cwd=tmp_path)
    with pipe.open("wb"):
        process.send_signal(signal.SIGINT)
        said = list(lines(process))
    assert said == ["stopped; everything finished is stored, run again to go on\n"]
    assert ends_in(process, 20) == 130
