"""What each end of a pytest test is called, seen from inside the runner."""

from __future__ import annotations

from pathlib import Path

from tests.support.passes import healthy, needs_busybox, needs_bwrap, outcomes, run_suite

EVERY_END = """
import unittest, pytest

def test_pass(): pass
def test_fail(): assert 1 == 2
@pytest.fixture
def broken(): raise ValueError("set-up")
def test_setup_error(broken): pass
@pytest.fixture
def breaking():
    yield
    raise ValueError("tear-down")
def test_teardown_error(breaking): pass
def test_fail_and_teardown_error(breaking): assert 0
@pytest.mark.skip(reason="why")
def test_skip_mark(): pass
def test_skip_call(): pytest.skip("later")
def test_skip_and_teardown_error(breaking): pytest.skip("later")
@pytest.mark.xfail
def test_xfail(): assert 0
def test_xfail_call(): pytest.xfail("known")
@pytest.mark.xfail
def test_xpass(): pass
@pytest.mark.xfail(strict=True)
def test_xpass_strict(): pass

class TestUnit(unittest.TestCase):
    def test_pass(self): pass
    def test_fail(self): self.assertEqual(1, 2)
    @unittest.expectedFailure
    def test_expected(self): self.fail()
    @unittest.expectedFailure
    def test_unexpected(self): pass
    @unittest.skip("why")
    def test_skip(self): pass
    def test_parts(self):
        for number in (1, 2, 3):
            with self.subTest(number=number):
                self.assertNotEqual(number, 2)
    def test_good_parts(self):
        with self.subTest("one"): pass
"""


def test_every_end_of_a_test_has_its_own_outcome(tmp_path: Path):
    suite = run_suite(tmp_path, {"test_a.py": EVERY_END})
    assert healthy(suite)
    assert suite.rounds == 1
    assert outcomes(suite) == {
        "test_pass": "passed",
        "test_fail": "failed",
        "test_setup_error": "error",
        "test_teardown_error": "error",
        "test_fail_and_teardown_error": "failed",
        "test_skip_mark": "skipped",
        "test_skip_call": "skipped",
        "test_skip_and_teardown_error": "error",
        "test_xfail": "xfailed",
        "test_xfail_call": "xfailed",
        "test_xpass": "xpassed",
        "test_xpass_strict": "failed",
        "TestUnit::test_pass": "passed",
        "TestUnit::test_fail": "failed",
        "TestUnit::test_expected": "xfailed",
        "TestUnit::test_unexpected": "failed",
        "TestUnit::test_skip": "skipped",
        "TestUnit::test_parts": "failed",
        "TestUnit::test_good_parts": "passed",
    }
    told = {name.rpartition("::")[2]: (result.phase, result.signature) for name, result in suite.results.items()}
    assert told["test_setup_error"] == ("setup", "ValueError: set-up")
    assert told["test_teardown_error"] == ("teardown", "ValueError: tear-down")
    assert told["test_fail_and_teardown_error"] == ("call", "AssertionError: assert 0")
    assert told["test_pass"] == (None, None)


@needs_bwrap
@needs_busybox
def test_it_is_the_same_with_busybox_alone_and_as_process_1(tmp_path: Path):
    files = {"test_a.py": EVERY_END, "test_b.py": "import os\ndef test_x(): os._exit(0)"}
    ordinary = run_suite(tmp_path / "1", files)
    assert run_suite(tmp_path / "2", files, bare_process_1=True) == ordinary


def test_a_failing_sub_test_fails_its_test(tmp_path: Path):
    source = "def test_x(subtests):\n    with subtests.test('a'): assert 0\n    with subtests.test('b'): pass\n"
    suite = run_suite(tmp_path, {"test_a.py": source})
    assert outcomes(suite) == {"test_x": "failed"}


def test_a_module_that_does_not_import_is_a_collection_error_and_the_others_run(tmp_path: Path):
    files = {"test_a.py": "def test_x(): pass", "test_b.py": "import not_there", "test_c.py": "def broken(:"}
    suite = run_suite(tmp_path, files)
    assert healthy(suite)
    assert outcomes(suite) == {"test_x": "passed"}
    assert [(error.file, error.signature) for error in suite.collection_errors] == [
        ("test_b.py", "ModuleNotFoundError: No module named 'not_there'"),
        ("test_c.py", "SyntaxError: invalid syntax"),
    ]


def test_a_module_that_skips_itself_is_said(tmp_path: Path):
    suite = run_suite(tmp_path, {"test_a.py": "import pytest\npytest.importorskip('not_there')\ndef test_x(): pass"})
    assert suite.results == {}
    assert suite.skipped_files == ("test_a.py",)


def test_a_conftest_that_does_not_import_is_named(tmp_path: Path):
    suite = run_suite(tmp_path, {"conftest.py": "import not_there", "test_a.py": "def test_x(): pass"})
    assert not suite.finished
    assert suite.harness_error is None
    assert [error.file for error in suite.collection_errors] == ["conftest.py"]
    assert "not_there" in (suite.message or "")


def test_zero_tests_is_a_finished_pass_without_results(tmp_path: Path):
    suite = run_suite(tmp_path, {"readme": ""})
    assert healthy(suite)
    assert suite.results == {}
    assert suite.collected == ()


def test_equal_ids_are_said_and_count_as_their_worst(tmp_path: Path):
    conftest = """
import pytest
class Item(pytest.Item):
    def runtest(self):
        assert self.good
class File(pytest.File):
    def collect(self):
        for good in (True, False, True):
            item = Item.from_parent(self, name="same")
            item.good = good
            yield item
def pytest_collect_file(file_path, parent):
    if file_path.suffix == ".yaml":
        return File.from_parent(parent, path=file_path)
"""
    suite = run_suite(tmp_path, {"conftest.py": conftest, "cases/x.yaml": ""})
    assert healthy(suite)
    assert suite.duplicates == ("cases/x.yaml::same",)
    assert outcomes(suite) == {"cases/x.yaml::same": "failed"}


def test_a_suite_of_doctests_is_read_like_any_other(tmp_path: Path):
    files = {"pkg/mod.py": 'def f():\n    """\n    >>> f()\n    1\n    """\n    return 1\n'}
    suite = run_suite(tmp_path, files, command=("pytest", "--doctest-modules"))
    assert outcomes(suite) == {"pkg/mod.py::pkg.mod.f": "passed"} or outcomes(suite) == {"pkg/mod.py::mod.f": "passed"}


def test_signatures_hold_no_addresses_and_no_temporary_paths(tmp_path: Path):
    source = "import tempfile\ndef test_x(): raise OSError('%s at %s' % (object(), tempfile.mkdtemp()))"
    first = run_suite(tmp_path / "1", {"test_a.py": source})
    second = run_suite(tmp_path / "2", {"test_a.py": source})
    assert first == second
    assert first.results["test_a.py::test_x"].signature.startswith("OSError: <object object at 0x…>")


def test_a_text_that_raises_when_printed_does_not_break_the_report(tmp_path: Path):
    source = (
        "class E(Exception):\n    def __str__(self): raise SystemExit(3)\ndef test_x(): raise E\ndef test_y(): pass"
    )
    suite = run_suite(tmp_path, {"test_a.py": source})
    assert suite.results["test_a.py::test_x"].outcome in ("failed", "crashed")
    assert suite.results["test_a.py::test_y"].outcome == "passed"


def test_a_failing_rebuild_step_is_a_result_about_the_tree(tmp_path: Path):
    suite = run_suite(
        tmp_path, {"test_a.py": "def test_x(): pass"}, rebuild=("echo 'error: no such compiler'; exit 4",)
    )
    assert not suite.finished
    assert suite.harness_error is None
    assert suite.ending == "rebuildFailed"
    assert suite.message == 'Rebuild step 00 ended with exit code 4; its last words: "error: no such compiler".'


def test_without_pytest_the_message_has_the_last_words(tmp_path: Path):
    command = ("/usr/bin/env", "python3", "-c", "import sys; sys.exit('No module named ' + 'pytest')", "-m", "pytest")
    suite = run_suite(tmp_path, {"test_a.py": "def test_x(): pass"}, command=command)
    assert not suite.finished
    assert suite.ending == "stuck"
    assert "exit code 1 without running another test" in (suite.message or "")
    assert 'its last words: "No module named pytest".' in (suite.message or "")
