"""Suites that break their own runner, on purpose or not: each costs its own result and nobody else's."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.passes import healthy, outcomes, run_suite

AROUND = "import os, sys, time, signal\ndef test_before(): pass\n{}\ndef test_after(): pass\n"


def around(body: str) -> dict[str, str]:
    return {"test_a.py": AROUND.format(body)}


@pytest.mark.parametrize(
    "deed",
    [
        "os._exit(0)",
        "os.kill(os.getpid(), signal.SIGKILL)",
        "os.kill(os.getppid(), signal.SIGKILL); time.sleep(60)",
        "os.killpg(0, signal.SIGKILL)",
        "import ctypes; ctypes.string_at(0)",
        "raise KeyboardInterrupt",
        "import pytest; pytest.exit('enough', 0)",
    ],
)
def test_a_test_that_ends_its_runner_is_crashed_and_the_others_run(tmp_path: Path, deed: str):
    suite = run_suite(tmp_path, around(f"def test_deed(): {deed}"))
    assert healthy(suite)
    assert suite.rounds == 2
    assert outcomes(suite) == {"test_before": "passed", "test_deed": "crashed", "test_after": "passed"}


def test_it_is_not_run_again(tmp_path: Path):
    suite = run_suite(tmp_path, around("def test_deed():\n    open('ran', 'a').write('x')\n    os._exit(0)"))
    assert healthy(suite)
    assert (tmp_path / "work" / "ran").read_text() == "x"


def test_leaving_by_sys_exit_is_an_ordinary_failure(tmp_path: Path):
    suite = run_suite(tmp_path, around("def test_deed(): sys.exit(0)"))
    assert outcomes(suite)["test_deed"] == "failed"


@pytest.mark.parametrize(
    ("fixture", "phase"), [("yield", "call"), ("import os; os._exit(0)\n    yield", None)]
)  # fmt: skip
def test_a_crash_is_told_apart_by_whether_the_tests_own_code_had_begun(tmp_path: Path, fixture: str, phase: str | None):
    source = f"import os, pytest\n@pytest.fixture\ndef ready():\n    {fixture}\ndef test_x(ready): os._exit(0)\n"
    suite = run_suite(tmp_path, {"test_a.py": source})
    result = suite.results["test_a.py::test_x"]
    assert (result.outcome, result.phase) == ("crashed", phase)


def test_a_test_without_end_is_hung_and_the_others_run(tmp_path: Path):
    suite = run_suite(tmp_path, around("def test_deed():\n    while True: pass"), test_timeout_seconds=1)
    assert healthy(suite)
    assert outcomes(suite) == {"test_before": "passed", "test_deed": "hung", "test_after": "passed"}


def test_a_test_cannot_cancel_its_time(tmp_path: Path):
    deed = "def test_deed():\n    for number in range(1, 32):\n"
    deed += "        if number not in (9, 19): signal.signal(number, signal.SIG_IGN)\n    time.sleep(600)"
    suite = run_suite(tmp_path, around(deed), test_timeout_seconds=1)
    assert outcomes(suite)["test_deed"] == "hung"


@pytest.mark.parametrize("deed", ["sys.exit(0)", "os._exit(0)", "raise KeyboardInterrupt"])
def test_a_module_that_ends_the_runner_while_imported_is_an_error_of_its_file(tmp_path: Path, deed: str):
    files = {"test_a.py": "def test_x(): pass", "test_b.py": f"import os, sys\n{deed}\ndef test_y(): pass"}
    suite = run_suite(tmp_path, files)
    assert healthy(suite)
    assert outcomes(suite) == {"test_x": "passed"}
    assert [error.file for error in suite.collection_errors] == ["test_b.py"]


def test_a_module_that_never_imports_is_an_error_of_its_file(tmp_path: Path):
    files = {"test_a.py": "def test_x(): pass", "test_b.py": "while True: pass"}
    suite = run_suite(tmp_path, files, collect_timeout_seconds=2)
    assert healthy(suite)
    assert outcomes(suite) == {"test_x": "passed"}
    assert [error.signature for error in suite.collection_errors] == ["hung while it was imported"]


@pytest.mark.parametrize("hook", ["pytest_sessionfinish", "pytest_unconfigure"])
def test_a_session_that_never_closes_has_all_its_results(tmp_path: Path, hook: str):
    files = {"conftest.py": f"def {hook}():\n    while True: pass", "test_a.py": "def test_x(): pass"}
    suite = run_suite(tmp_path, files)
    assert healthy(suite)
    assert suite.rounds == 1
    assert outcomes(suite) == {"test_x": "passed"}


def test_a_session_fixture_that_never_ends_blames_no_test(tmp_path: Path):
    conftest = (
        "import pytest\n@pytest.fixture(scope='session', autouse=True)\ndef f():\n    yield\n    while True: pass"
    )
    files = {"conftest.py": conftest, "test_a.py": "def test_x(): pass\ndef test_y(): pass"}
    suite = run_suite(tmp_path, files, test_timeout_seconds=1)
    assert suite.finished
    assert outcomes(suite) == {"test_x": "passed", "test_y": "passed"}


def test_closing_every_descriptor_and_leaving_the_folder_changes_nothing(tmp_path: Path):
    deed = "def test_deed():\n    os.closerange(0, 1000)\n    os.chdir('/')\n"
    suite = run_suite(tmp_path, around(deed))
    results = outcomes(suite)
    assert suite.finished
    assert results["test_before"] == "passed"
    assert set(results) == {"test_before", "test_deed", "test_after"}


def test_changing_folder_and_environment_changes_nothing(tmp_path: Path):
    deed = "def test_deed():\n    os.chdir('/')\n    os.environ.clear()\n    os.umask(0o777)\n"
    suite = run_suite(tmp_path, around(deed))
    assert healthy(suite)
    assert outcomes(suite) == {"test_before": "passed", "test_deed": "passed", "test_after": "passed"}


def test_a_forked_child_that_goes_on_testing_counts_for_nothing(tmp_path: Path):
    deed = "def test_deed():\n    if os.fork() == 0: assert 0\n    os.wait()\n"
    suite = run_suite(tmp_path, around(deed))
    assert healthy(suite)
    assert outcomes(suite) == {"test_before": "passed", "test_deed": "passed", "test_after": "passed"}


def test_patched_functions_of_the_standard_library_do_not_reach_the_witness(tmp_path: Path):
    deed = (
        "def test_deed(monkeypatch):\n    import json\n    broken = lambda *a, **k: 1 / 0\n"
        "    for name in ('open', 'write', 'close', 'getpid'): monkeypatch.setattr(os, name, broken)\n"
        "    monkeypatch.setattr(json, 'dumps', broken)\n"
    )
    suite = run_suite(tmp_path, around(deed))
    assert healthy(suite)
    assert outcomes(suite)["test_after"] == "passed"


def test_a_gigabyte_of_output_is_no_reason_to_fail(tmp_path: Path):
    deed = "def test_deed():\n    block = b'x' * (1 << 20)\n    for _ in range(1024): os.write(1, block)\n"
    suite = run_suite(tmp_path, around(deed), command=("pytest", "-s"), log_bytes=4096)
    assert healthy(suite)
    assert outcomes(suite)["test_deed"] == "passed"
    assert (tmp_path / "results" / "round.0.log").stat().st_size == 4096


def test_many_crashes_cost_a_round_each(tmp_path: Path):
    source = "import os, pytest\n@pytest.mark.parametrize('n', range(6))\ndef test_x(n):\n    if n % 2: os._exit(0)\n"
    suite = run_suite(tmp_path, {"test_a.py": source})
    assert healthy(suite)
    assert suite.rounds == 4
    assert sorted(outcomes(suite).values()) == ["crashed"] * 3 + ["passed"] * 3


def test_more_crashes_than_rounds_is_an_unfinished_pass(tmp_path: Path):
    source = "import os, pytest\n@pytest.mark.parametrize('n', range(6))\ndef test_x(n): os._exit(0)\n"
    suite = run_suite(tmp_path, {"test_a.py": source}, max_rounds=2)
    assert not suite.finished
    assert suite.ending == "rounds"


def test_a_conftest_that_ends_the_runner_is_an_unfinished_pass(tmp_path: Path):
    suite = run_suite(tmp_path, {"conftest.py": "import os\nos._exit(3)", "test_a.py": "def test_x(): pass"})
    assert not suite.finished
    assert suite.ending == "stuck"
    assert "exit code 3" in (suite.message or "")


def test_a_hook_that_always_ends_the_runner_does_not_loop(tmp_path: Path):
    conftest = "import os\ndef pytest_collection_finish(session): os._exit(0)"
    suite = run_suite(tmp_path, {"conftest.py": conftest, "test_a.py": "def test_x(): pass"})
    assert not suite.finished
    assert suite.ending == "stuck"
    assert suite.rounds == 2


def test_arguments_pytest_does_not_know_are_told_as_pytest_tells_them(tmp_path: Path):
    files = {"pytest.ini": "[pytest]\naddopts = --no-such-option", "test_a.py": "def test_x(): pass"}
    suite = run_suite(tmp_path, files)
    assert not suite.finished
    assert "exit code 4" in (suite.message or "")
