"""Script checks: 0 passes, 1 fails, and every other end is no verdict with a sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from change2task.checks.reader import reader_for
from tests.support.passes import NONCE, Pass, busybox_path, needs_busybox, run_suite


def script(folder: Path, text: str, *, identity: str = "exploit", **request: object):
    """A shell script as the check of a tree with one file, `data.txt`."""
    return run_suite(
        folder,
        {"data.txt": "the tree"},
        command=("sh", "exploit.sh"),
        check_format="script",
        script_files={"exploit.sh": text, "lib/more.sh": "more=yes\n"},
        ids=(identity,),
        **request,
    )


@pytest.mark.parametrize(("code", "outcome"), [(0, "passed"), (1, "failed")])
def test_the_exit_status_is_the_result(tmp_path: Path, code: int, outcome: str):
    suite = script(tmp_path, f"echo PASSED\nexit {code}\n")
    assert suite.harness_error is None
    assert {name: result.outcome for name, result in suite.results.items()} == {"exploit": outcome}


def test_a_failing_script_is_signed_by_its_last_words(tmp_path: Path):
    suite = script(tmp_path, "echo first\necho 'read /etc/passwd through ..' >&2\nexit 1\n")
    assert suite.results["exploit"].signature == "read /etc/passwd through .."


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("echo usage >&2\nexit 2\n", 'code 2; 0 passes, 1 fails, anything else is no verdict; its last words: "usage"'),
        ("exit 77\n", "exit code 77"),
        ("kill -9 $$\n", "signal 9"),
        ("kill -9 $PPID\n", "signal 9"),
    ],
)  # fmt: skip
def test_every_other_end_is_no_verdict(tmp_path: Path, text: str, why: str):
    suite = script(tmp_path, text)
    assert suite.results == {}
    assert why in (suite.harness_error or "")


def test_a_script_that_does_not_end_in_its_time_is_no_verdict(tmp_path: Path):
    suite = script(tmp_path, "sleep 100\n", test_timeout_seconds=1)
    assert suite.results == {}
    assert suite.harness_error == "The script did not end in its time."


def test_it_starts_in_the_tree_and_its_files_lie_outside_of_it(tmp_path: Path):
    suite = script(tmp_path, '[ "$(cat data.txt)" = "the tree" ] || exit 2\n. "$(dirname "$0")/lib/more.sh"\n'
                             '[ "$more" = yes ] && [ ! -e exploit.sh ] && [ "$(ls)" = data.txt ]\n')  # fmt: skip
    assert suite.results["exploit"].outcome == "passed"


def test_it_is_not_told_where_results_are_written(tmp_path: Path):
    suite = script(tmp_path, "env | grep -q ^C2T_ && exit 1\nexit 0\n")
    assert suite.results["exploit"].outcome == "passed"


def test_names_are_kept_whatever_they_hold(tmp_path: Path):
    name = 'it\'s "50 %d"\\n é'
    assert list(script(tmp_path, "exit 0\n", identity=name).results) == [name]


def test_a_script_that_is_not_there_is_no_verdict(tmp_path: Path):
    suite = run_suite(tmp_path, {}, command=("no-such-program",), check_format="script", ids=("x",))
    assert "exit code 127" in (suite.harness_error or "")


def test_a_build_that_fails_is_no_verdict(tmp_path: Path):
    suite = script(tmp_path, "exit 0\n", rebuild=("false",))
    assert (suite.ending, suite.results) == ("rebuildFailed", {})
    assert "Rebuild step 00" in (suite.harness_error or "")


def test_an_end_told_by_somebody_else_is_no_verdict(tmp_path: Path):
    lie = '{"c2t":"%s","e":"finished","id":"exploit","code":0}' % NONCE  # noqa: UP031 - braces of JSON
    suite = script(tmp_path, f"echo '{lie}' >>'{tmp_path}/results/events.0'\nexit 1\n")
    assert suite.results == {}
    assert suite.harness_error


@pytest.mark.parametrize("content", [b"", b"\xff\x00garbage", b'{"c2t":"feedc0de01","e":"finished","code":0}\n'])
def test_hostile_results_are_no_verdict_and_no_crash(tmp_path: Path, content: bytes):
    (tmp_path / "events.0").write_bytes(content)
    (tmp_path / "round.0.exit").write_bytes(b"0\n")
    (tmp_path / "round.0.start").write_bytes(b"\n")
    assert reader_for("script").read(tmp_path, NONCE).suite.results == {}


@needs_busybox
def test_busybox_is_enough(tmp_path: Path):
    from change2task.checks.plan import CheckRequest
    from change2task.checks.reader import plan_pass

    one = Pass(tmp_path, path=busybox_path(tmp_path), shell="busybox")
    request = CheckRequest(
        command=("sh", "x.sh"), format="script", ids=("x",), script_files={"x.sh": "exit 1\n"}, nonce=NONCE
    )
    one.lay_plan(plan_pass("x", request))
    one.shell = "sh"
    assert one.start() == 0
    assert reader_for("script").read(one.results, NONCE).suite.results["x"].outcome == "failed"
