"""Process 1 of a slot, run for real in a namespace of its own: whatever tests do to it and the harness, it ends well.

How the harness alone behaves as process 1, as it is on one machine, is tests/checks/test_run_sh.py's; what is asked
here is that the same comes of it.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from change2task.checks.plan import quote
from change2task.pods.places import SLOT
from change2task.pods.prepare import slot_script
from tests.support.passes import PYTHON_PATH, Pass, needs_busybox, needs_bwrap, toy_plan

pytestmark = [needs_bwrap, needs_busybox]
EVENTS = "$C2T_RESULTS/events.$C2T_ROUND"
PROGRESS = f'echo @progress >>"{EVENTS}"\n'
FINISH = f'echo @progress >>"{EVENTS}"; echo @finished >>"{EVENTS}"\n'
BUSYBOX = shutil.which("busybox") or ""
SHARED = f"{sys.executable} -c 'import ctypes; print(ctypes.CDLL(None).shmget(0x6332, 4096, 0o1600))'"


@dataclass
class Slot(Pass):
    """A pass that is started as a slot starts it: by slot.sh, as process 1."""

    as_process_1: bool = True
    seconds: int = 60

    def begin(self) -> subprocess.Popen[bytes]:
        plan = self.folder / "plan"
        (plan / SLOT).write_text(slot_script())
        (plan / "seconds").write_text(f"{self.seconds}\n")
        (plan / "start.sh").write_text(f'exec /bin/sh {quote(str(plan / "run.sh"))} "$@"\n')
        return super().begin()

    def argv(self) -> list[str]:
        plan = self.folder / "plan"
        return [BUSYBOX, "sh", str(plan / SLOT), BUSYBOX, str(plan), str(self.results)]


@pytest.fixture
def slot(tmp_path: Path) -> Slot:
    return Slot(tmp_path, path=PYTHON_PATH)


def both(folder: Path, check: str, **limits: float) -> tuple[dict[str, str], dict[str, str]]:
    """What the marks say when the harness is process 1, and when it is a slot's."""
    found = []
    for name, kind in (("machine", Pass), ("slot", Slot)):
        one = kind(folder / name, as_process_1=True)
        one.lay_plan(toy_plan(check, **limits))
        one.start()
        marks = (path for path in one.results.iterdir() if not path.name.endswith((".log", ".pipe")))
        found.append({path.name: path.read_text() for path in marks})
    return found[0], found[1]


ENDED = {
    "finished": FINISH,
    "stuck": "exit 1",
    "rounds": PROGRESS,
    "everything killed, then finished": f'[ "$C2T_ROUND" = 2 ] && {{ {FINISH} exit; }}\n{PROGRESS}kill -9 -1; sleep 9',
    "everything killed without progress": "kill -9 -1; sleep 9",
    "everything killed, with many beside it": (
        f'[ "$C2T_ROUND" = 1 ] && {{ {FINISH} exit; }}\n{PROGRESS}'
        "n=0; while [ $n -lt 60 ]; do setsid sleep 90 & n=$((n + 1)); done; kill -9 -1; sleep 9"
    ),
    "its ancestors killed": (
        f'[ "$C2T_ROUND" = 1 ] && {{ {FINISH} exit; }}\n{PROGRESS}'
        'p=$$; while [ "$p" -gt 0 ]; do read -r _ _ _ q _ </proc/$p/stat; kill -9 $p; p=$q; done; sleep 9'
    ),
}


@pytest.mark.parametrize("check", ENDED.values(), ids=ENDED)
def test_a_slot_leaves_what_the_harness_leaves_that_is_process_1(tmp_path: Path, check: str) -> None:
    machine, made = both(tmp_path, check, max_rounds=3)
    assert made == machine


def test_a_rebuild_step_that_kills_everything_has_failed(slot: Slot) -> None:
    slot.lay_plan(toy_plan(FINISH, rebuild=["kill -9 -1; sleep 9"]))
    assert slot.start() == 0
    assert slot.marker("complete") == "rebuildFailed rebuild.00"
    assert slot.marker("rebuild.00.exit") == "137"


@pytest.mark.parametrize("signal", ["TERM", "INT", "HUP"])
def test_a_signal_to_process_1_ends_the_round_and_the_next_begins(slot: Slot, signal: str) -> None:
    slot.lay_plan(toy_plan(f'[ "$C2T_ROUND" = 1 ] && {{ {FINISH} exit; }}\n{PROGRESS}kill -{signal} 1; sleep 60'))
    began = time.monotonic()
    assert slot.start() == 0
    assert slot.marker("complete") == "finished"
    assert not (slot.results / "round.0.exit").exists(), "as on one machine"
    assert time.monotonic() - began < 30


def test_who_asks_process_1_to_end_each_time_is_given_up(slot: Slot) -> None:
    slot.lay_plan(toy_plan(f"{PROGRESS}kill -TERM 1; sleep 60"))
    assert slot.start() == 0
    assert not (slot.results / "complete").exists()
    assert len(list(slot.results.glob("round.*.start"))) == 21


def test_results_that_were_closed_end_the_harness_and_not_the_slot(slot: Slot) -> None:
    slot.lay_plan(toy_plan(f'{PROGRESS}rm -rf "$C2T_RESULTS"/*; chmod 0 "$C2T_RESULTS"; exit 1'))
    try:
        assert slot.start() == 0
    finally:
        slot.results.chmod(0o755)


@pytest.mark.parametrize(
    "hostile",
    [
        "for p in /proc/[0-9]*; do kill -STOP ${p#/proc/}; done; sleep 90",
        "while :; do for p in /proc/[0-9]*; do p=${p#/proc/}; [ $p = $$ ] || kill -STOP $p; done; done",
        "for p in /proc/[0-9]*; do p=${p#/proc/}; [ $p = $$ ] || [ $p = $PPID ] || kill -9 $p; done; sleep 90",
        "while :; do (true &); done",
    ],
    ids=["all stopped", "all stopped again and again", "the watcher killed", "no end of orphans"],
)
def test_the_time_of_a_slot_is_nobodys_to_stop(tmp_path: Path, hostile: str) -> None:
    slot = Slot(tmp_path, path=PYTHON_PATH, seconds=3)
    slot.lay_plan(toy_plan(PROGRESS + hostile))
    began = time.monotonic()
    assert slot.start() == 0
    assert slot.marker("stopped") == "deadline"
    assert time.monotonic() - began < 20


def test_a_mark_of_the_time_is_written_over_whatever_lies_there(tmp_path: Path) -> None:
    slot = Slot(tmp_path, path=PYTHON_PATH, seconds=2)
    slot.lay_plan(toy_plan('mkdir -p "$C2T_RESULTS/stopped/x"; chmod 0 "$C2T_RESULTS"; sleep 90'))
    assert slot.start() == 0
    assert slot.marker("stopped") == "deadline"


def test_nothing_of_a_round_lives_when_the_next_begins(slot: Slot) -> None:
    beats = "while :; do echo >>$C2T_HOME/beats; sleep 0.1; done"
    daemon = f"setsid sh -c '{beats}' </dev/null >/dev/null 2>&1 & sleep 0.3"
    count = 'wc -l <"$C2T_HOME/beats" >>"$C2T_HOME/counts"'
    later = f'if [ "$C2T_ROUND" = 1 ]; then {count}; sleep 0.4; {count}; {FINISH} exit; fi'
    slot.lay_plan(toy_plan(f"{later}\n{PROGRESS}{daemon}"))
    assert slot.start() == 0
    before, after = (slot.folder / "home" / "counts").read_text().split()
    assert before == after


def test_a_slot_without_a_start_has_nothing_to_do(tmp_path: Path) -> None:
    (tmp_path / SLOT).write_text(slot_script())
    ended = subprocess.run([BUSYBOX, "sh", tmp_path / SLOT, BUSYBOX, tmp_path, tmp_path], check=False)
    assert (ended.returncode, list(tmp_path.iterdir())) == (0, [tmp_path / SLOT])


def test_what_an_earlier_slot_shared_by_name_is_gone_when_the_next_begins(slot: Slot) -> None:
    slot.lay_plan(toy_plan(f'cat /proc/sysvipc/shm >"$C2T_HOME/seen"; {FINISH}'))
    earlier = slot.folder / "earlier.sh"
    words = " ".join(map(quote, slot.argv()))
    earlier.write_text(f'{SHARED}; cat /proc/sysvipc/shm >"$C2T_HOME/left"; exec {words}\n')
    slot.argv = lambda: [BUSYBOX, "sh", str(earlier)]  # type: ignore[method-assign]
    assert slot.start() == 0
    lines = [len((slot.folder / "home" / name).read_text().splitlines()) for name in ("left", "seen")]
    assert lines == [2, 1], "a line for the heading"
