"""Forgeries tried against the pytest witness: what is caught, how, and what is not.

Tests share their process with the witness, so no list can be complete. Each case is a suite whose one test fails in
truth. Caught means the forger gains nothing: the truth stands, or the pass is no verdict. The cases that are not
caught are kept here so that the residual risk is a fact and not an impression; when one starts to be caught, this
file says so by failing.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from change2task.checks.results import SuiteResult
from tests.support.passes import NONCE, run_suite

FAILING = "def test_x():\n    assert 0\n"


def verdict(suite: SuiteResult) -> str:
    """What a judge makes of the one test: no verdict, its outcome, or missing."""
    if not suite.finished or suite.canaries is not True or suite.harness_error is not None:
        return "no verdict"
    result = suite.results.get("test_a.py::test_x")
    return "missing" if result is None else result.outcome


ALL_GREEN = """
import pytest
@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    outcome.get_result().outcome = "passed"
"""
GREEN_BUT_CANARIES = """
import pytest
@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    if "canary" not in item.name:
        outcome.get_result().outcome = "passed"
"""
GREEN_REPORTS = """
import pytest
@pytest.hookimpl(tryfirst=True)
def pytest_runtest_logreport(report):
    if "canary" not in report.nodeid:
        report.outcome = "passed"
"""
ALL_SKIPPED = """
import pytest
def pytest_runtest_setup(item): pytest.skip()
"""
SWALLOWED = """
import pytest
@pytest.hookimpl(hookwrapper=True)
def pytest_pyfunc_call(pyfuncitem):
    outcome = yield
    outcome.force_result(True)
"""
OWN_EXIT_CODE = "def pytest_sessionfinish(session): session.exitstatus = 0"
CUT = "import glob\ndef test_x():\n    for f in glob.glob('../results/events.*'): open(f, 'w').close()\n    assert 0\n"
DELETED = "import glob, os\ndef test_x():\n    for f in glob.glob('../results/events.*'): os.remove(f)\n    assert 0\n"
LINKED = (
    "import glob, os\ndef test_x():\n    for f in glob.glob('../results/events.*'):\n"
    "        os.remove(f); os.symlink('/etc/passwd', f)\n    assert 0\n"
)
FOLDER = (
    "import glob, os\ndef test_x():\n    for f in glob.glob('../results/events.*'):\n"
    "        os.remove(f); os.mkdir(f)\n    assert 0\n"
)
PRINTED = "def test_x():\n    print('test_a.py::test_x PASSED')\n    assert 0\n"
JUNK = (
    "import glob\ndef test_x():\n    for f in glob.glob('../results/events.*'):\n"
    "        open(f, 'a').write('test_a.py::test_x PASSED\\n')\n"
    '        open(f, \'a\').write(\'{"e":"end","id":"test_a.py::test_x"}\\n[1]\\n{half\')\n    assert 0\n'
)


def forged_lines(*events: str) -> str:
    lines = "".join(f'{{"c2t":"{NONCE}",{event}}}\\n' for event in events)
    return f"import glob\nfor f in glob.glob('../results/events.*'): open(f, 'a').write('{lines}')\n"


FORGED_END = (
    "def test_x():\n    "
    + forged_lines(
        '"e":"end","n":9,"id":"test_a.py::test_x","phases":{"setup":["passed",0],"call":["passed",0],"teardown":["passed",0]}',
        '"e":"finished","n":10',
    ).replace("\nfor", "\n    for")
    + "    import os; os._exit(0)\n"
)
FORGED_FINISH_AT_IMPORT = forged_lines('"e":"finished","n":3') + FAILING

RESULTS_OF_OTHERS = (
    "import glob\ndef test_x():\n    for name in ('complete', 'round.0.exit', 'round.7.start', 'rebuild.00.exit'):\n"
    "        open('../results/' + name, 'w').write('finished')\n    assert 0\n"
)

CAUGHT = {
    "conftest makes every report pass": ({"conftest.py": ALL_GREEN}, "no verdict"),
    "conftest makes every report pass but the canaries": ({"conftest.py": GREEN_BUT_CANARIES}, "failed"),
    "conftest changes reports when they are logged": ({"conftest.py": GREEN_REPORTS}, "failed"),
    "conftest skips everything": ({"conftest.py": ALL_SKIPPED}, "no verdict"),
    "conftest swallows the exception of every function": ({"conftest.py": SWALLOWED}, "no verdict"),
    "conftest changes the exit code": ({"conftest.py": OWN_EXIT_CODE}, "failed"),
    "test prints a passing line": ({"test_a.py": PRINTED}, "failed"),
    "test appends junk to the events": ({"test_a.py": JUNK}, "failed"),
    "test cuts the events": ({"test_a.py": CUT}, "no verdict"),
    "test deletes the events": ({"test_a.py": DELETED}, "no verdict"),
    "test replaces the events by a link": ({"test_a.py": LINKED}, "no verdict"),
    "test replaces the events by a folder": ({"test_a.py": FOLDER}, "no verdict"),
    "test writes its own passing end and leaves": ({"test_a.py": FORGED_END}, "no verdict"),
    "module writes the end of the pass": ({"test_a.py": FORGED_FINISH_AT_IMPORT}, "no verdict"),
    "test writes the marks of run.sh": ({"test_a.py": RESULTS_OF_OTHERS}, "failed"),
}


@pytest.mark.parametrize("name", CAUGHT)
def test_caught(tmp_path: Path, name: str):
    files, expected = CAUGHT[name]
    assert verdict(run_suite(tmp_path, {"test_a.py": FAILING, **files})) == expected


SWALLOWED_OF_OTHERS = """
import pytest
@pytest.hookimpl(hookwrapper=True)
def pytest_pyfunc_call(pyfuncitem):
    outcome = yield
    if "canary" not in pyfuncitem.name:
        outcome.force_result(True)
"""
GREEN_AND_FORGOTTEN = """
import pytest
@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    if "canary" not in item.name:
        outcome.get_result().outcome = "passed"
        item.config.pluginmanager.get_plugin("c2t-witness").raised.clear()
"""
PATCHED_CODE = "def test_x(): pass\n"

NOT_CAUGHT = {
    "a hook swallows the exception of test functions that are not canaries": {"conftest.py": SWALLOWED_OF_OTHERS},
    "a hook clears what the witness saw before it reports": {"conftest.py": GREEN_AND_FORGOTTEN},
    "the test itself is emptied": {"test_a.py": PATCHED_CODE},
}


@pytest.mark.parametrize("name", NOT_CAUGHT)
def test_not_caught(tmp_path: Path, name: str):
    assert verdict(run_suite(tmp_path, {"test_a.py": FAILING, **NOT_CAUGHT[name]})) == "passed"
