"""run.sh: rounds, rebuild steps, bounds and marks, whatever the check does, in any shell, as process 1 or not."""

from __future__ import annotations

import signal
import time
from pathlib import Path

import pytest

from tests.support.passes import PYTHON_PATH, Pass, busybox_path, needs_busybox, needs_bwrap, toy_plan

EVENTS = "$C2T_RESULTS/events.$C2T_ROUND"
FINISH = f'echo @progress >>"{EVENTS}"; echo @finished >>"{EVENTS}"\n'


@pytest.fixture(params=["sh", pytest.param("busybox as process 1", marks=[needs_bwrap, needs_busybox])])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Pass:
    path = busybox_path(tmp_path) if "busybox" in request.param else PYTHON_PATH
    return Pass(tmp_path, path=path, as_process_1="process 1" in request.param)


def test_a_check_that_finishes_ends_the_pass_with_its_exit_code_kept(place: Pass):
    place.lay_plan(toy_plan(f"echo hello; echo oops >&2\n{FINISH}exit 5"))
    assert place.start() == 0
    assert place.marker("complete") == "finished"
    assert place.marker("round.0.exit") == "5"
    assert place.log() == "hello\noops\n"


def test_rounds_go_on_until_the_events_say_finished(place: Pass):
    place.lay_plan(toy_plan(f'[ "$C2T_ROUND" = 2 ] && {{ {FINISH} }}; echo @progress >>"{EVENTS}"; kill -9 $$'))
    assert place.start() == 0
    assert place.marker("complete") == "finished"
    assert [place.marker(f"round.{number}.exit") for number in (0, 1, 2)] == ["137", "137", "137"]


def test_a_round_without_progress_is_the_last(place: Pass):
    place.lay_plan(toy_plan("exit 1"))
    assert place.start() == 0
    assert place.marker("complete") == "stuck"
    assert not (place.results / "round.1.start").exists()


def test_rounds_are_bounded(place: Pass):
    place.lay_plan(toy_plan(f'echo @progress >>"{EVENTS}"', max_rounds=3))
    assert place.start() == 0
    assert place.marker("complete") == "rounds"
    assert (place.results / "round.2.exit").exists()


def test_rebuild_steps_run_in_order_in_the_tree_before_the_checks(place: Pass):
    place.lay_plan(toy_plan(f"cat made; {FINISH}", rebuild=["echo one >made", "echo two >>made"]))
    assert place.start() == 0
    assert place.log() == "one\ntwo\n"


def test_a_failing_rebuild_step_ends_the_pass_before_any_test(place: Pass):
    place.lay_plan(toy_plan(FINISH, rebuild=["true", "echo no compiler; false; true", "touch never"]))
    assert place.start() == 0
    assert place.marker("complete") == "rebuildFailed rebuild.01"
    assert place.marker("rebuild.01.exit") == "1"
    assert place.marker("rebuild.01.log") == "no compiler"
    assert not (place.work / "never").exists()
    assert not (place.results / "round.0.start").exists()


def test_a_rebuild_step_that_waits_for_input_finds_none(place: Pass):
    place.lay_plan(toy_plan(FINISH, rebuild=["read -r answer"]))
    assert place.start() == 0
    assert place.marker("complete") == "rebuildFailed rebuild.00"


def test_silence_longer_than_a_test_may_take_ends_the_round_as_hung(place: Pass):
    place.lay_plan(
        toy_plan(
            f'if [ "$C2T_ROUND" = 0 ]; then echo @running @progress >>"{EVENTS}"; sleep 300; fi; {FINISH}',
            test_timeout_seconds=1,
        )
    )
    assert place.start() == 0
    assert (place.results / "round.0.hung").exists()
    assert not (place.results / "round.1.hung").exists()
    assert place.marker("complete") == "finished"


def test_growing_events_are_no_silence(place: Pass):
    beats = f'for i in 1 2 3 4 5 6; do echo @running >>"{EVENTS}"; sleep 0.5; done; {FINISH}'
    place.lay_plan(toy_plan(beats, test_timeout_seconds=1))
    assert place.start() == 0
    assert not (place.results / "round.0.hung").exists()


def test_a_check_that_stays_after_its_end_is_ended_and_not_called_hung(place: Pass):
    place.lay_plan(toy_plan(f'echo @running >>"{EVENTS}"; {FINISH} sleep 300', test_timeout_seconds=30))
    assert place.start() == 0
    assert place.marker("complete") == "finished"
    assert not (place.results / "round.0.hung").exists()


def test_the_time_for_the_whole_pass_is_a_bound(place: Pass):
    noise = f'while :; do echo @progress >>"{EVENTS}"; sleep 0.2; done'
    place.lay_plan(toy_plan(noise, total_timeout_seconds=2))
    assert place.start() == 0
    assert place.marker("complete") == "deadline"


def test_a_gigabyte_of_output_neither_fills_the_disk_nor_blocks(place: Pass):
    place.lay_plan(toy_plan(f"dd if=/dev/zero bs=65536 count=16384 2>&-; {FINISH}", log_bytes=1000))
    assert place.start() == 0
    assert (place.results / "round.0.log").stat().st_size == 1000
    assert place.marker("complete") == "finished"


def test_a_flood_of_events_ends_the_pass(place: Pass):
    place.lay_plan(toy_plan(f'cat /dev/zero | head -c 100000000 >>"{EVENTS}"; sleep 300', event_bytes=1000))
    assert place.start() == 0
    assert place.marker("complete") == "flood"


def test_a_check_may_kill_its_parent(place: Pass):
    later = f'[ "$C2T_ROUND" = 1 ] && {{ {FINISH} exit; }}'
    place.lay_plan(toy_plan(f'{later}\necho @progress >>"{EVENTS}"; kill -9 $PPID; sleep 300'))
    assert place.start() == 0
    assert place.marker("round.0.exit") == "137"


def test_what_a_round_leaves_behind_in_its_group_is_killed(place: Pass):
    left = f'(while :; do date +%s%N >>"$C2T_HOME/alive"; sleep 0.1; done) & sleep 0.3; {FINISH}'
    place.lay_plan(toy_plan(left))
    assert place.start() == 0
    before = (place.folder / "home" / "alive").stat().st_size
    time.sleep(0.5)
    assert (place.folder / "home" / "alive").stat().st_size == before


def test_a_process_that_left_its_group_cannot_hold_the_pass_by_its_output(place: Pass):
    place.lay_plan(toy_plan(f"setsid sleep 20 & {FINISH}"))
    begun = time.monotonic()
    assert place.start() == 0
    assert time.monotonic() - begun < 10


@needs_bwrap
def test_as_process_1_nothing_of_a_round_lives_when_the_next_begins(tmp_path: Path):
    place = Pass(tmp_path, as_process_1=True)
    beats = "while :; do echo >>$C2T_HOME/beats; sleep 0.1; done"
    daemon = f"setsid sh -c '{beats}' </dev/null >/dev/null 2>&1 & sleep 0.3"
    count = 'wc -l <"$C2T_HOME/beats" >>"$C2T_HOME/counts"'
    later = f'if [ "$C2T_ROUND" = 1 ]; then {count}; sleep 0.4; {count}; {FINISH} exit; fi'
    place.lay_plan(toy_plan(f'{later}\necho @progress >>"{EVENTS}"\n{daemon}'))
    assert place.start() == 0
    before, after = (tmp_path / "home" / "counts").read_text().split()
    assert before == after


@needs_bwrap
def test_as_process_1_a_check_may_kill_everything_there_is(tmp_path: Path):
    place = Pass(tmp_path, as_process_1=True)
    place.lay_plan(
        toy_plan(f'[ "$C2T_ROUND" = 1 ] && {{ {FINISH} }}; echo @progress >>"{EVENTS}"; kill -9 -1; kill -9 1')
    )
    assert place.start() == 0
    assert place.marker("complete") == "finished"


def test_killed_from_outside_and_started_again_it_goes_on_with_the_next_round(place: Pass):
    place.lay_plan(
        toy_plan(
            f'[ "$C2T_ROUND" = 1 ] && {{ {FINISH} exit 0; }}; : >"$C2T_HOME/there"; sleep 30',
            rebuild=["echo x >>built"],
        )
    )
    running = place.begin()
    while not (place.folder / "home" / "there").exists():
        time.sleep(0.05)
    running.send_signal(signal.SIGKILL)
    running.wait()
    assert not (place.results / "complete").exists()
    assert place.start() == 0
    assert place.marker("complete") == "finished"
    assert (place.work / "built").read_text() == "x\n"


def test_a_complete_pass_started_again_does_nothing(place: Pass):
    place.lay_plan(toy_plan(f"echo again >>runs; {FINISH}"))
    assert place.start() == 0
    assert place.start() == 0
    assert (place.work / "runs").read_text() == "again\n"


def test_marks_replaced_by_links_and_folders_are_written_all_the_same(place: Pass):
    folders = 'cd "$C2T_RESULTS"; mkdir -p complete/x; ln -s /etc/passwd round.0.exit\n'
    links = "rm -f round.0.log; ln -s /dev/full round.0.log\n"
    place.lay_plan(toy_plan(folders + links + FINISH))
    assert place.start() == 0
    assert place.marker("complete") == "finished"
    assert place.marker("round.0.exit") == "0"


def test_events_replaced_by_a_pipe_do_not_block_it(place: Pass):
    place.lay_plan(toy_plan(f'mkfifo "{EVENTS}"; sleep 300', collect_timeout_seconds=2))
    assert place.start() == 0
    assert place.marker("complete") == "stuck"


def test_without_a_results_folder_the_harness_itself_is_broken(place: Pass):
    place.lay_plan(toy_plan(FINISH))
    place.results.rmdir()
    assert place.start() == 70


def test_without_setsid_the_harness_itself_is_broken(tmp_path: Path):
    place = Pass(tmp_path, path=str(tmp_path / "nothing"), shell="/bin/sh")
    place.lay_plan(toy_plan(FINISH))
    assert place.start() == 70
