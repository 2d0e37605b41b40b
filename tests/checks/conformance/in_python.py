"""pytest and unittest."""

from __future__ import annotations

from tests.checks.conformance.subject import DYING, NOISE, Subject

PYTEST_TESTS = f'''
import os, time, pytest
print("{NOISE}")
def test_ok(): print("{NOISE}")
def test_fails(): assert 1 == 2
@pytest.mark.parametrize("a", ["a b", '"q"', "[x]", "\\u00e9"])
def test_odd(a): pass
@pytest.fixture
def broken(): raise ValueError("set-up")
def test_set_up(broken): pass
@pytest.mark.skip(reason="why")
def test_skipped(): pass
@pytest.mark.xfail
def test_expected(): assert 0
'''
_PYTEST_DYING = """
import os, time
def test_before(): pass
def test_dies(): os._exit(0)
def test_hangs(): time.sleep(100)
def test_after(): pass
"""

PYTEST = Subject(
    name="pytest",
    check_format="pytest",
    command=("python", "-m", "pytest"),
    files={
        "test_a.py": PYTEST_TESTS,
        "test_d.py": _PYTEST_DYING,
        "pytest.ini": "[pytest]\naddopts = -x -q --color=yes\n",
    },
    expected={
        "test_a.py::test_ok": "passed",
        "test_a.py::test_fails": "failed",
        "test_a.py::test_odd[a b]": "passed",
        'test_a.py::test_odd["q"]': "passed",
        "test_a.py::test_odd[[x]]": "passed",
        "test_a.py::test_odd[\\xe9]": "passed",
        "test_a.py::test_set_up": "error",
        "test_a.py::test_skipped": "skipped",
        "test_a.py::test_expected": "xfailed",
        **{f"test_d.py::test_{name}": outcome for name, outcome in DYING.items()},
    },
    failing="test_a.py::test_fails",
    empty={"test_a.py": ""},
    env={"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
    overwritten=True,
)

_UNITTEST = f'''
import unittest
print("{NOISE}")
class A(unittest.TestCase):
    def test_ok(self): print("{NOISE}")
    def test_fails(self): self.assertEqual(1, 2)
    def test_sub(self):
        for each in range(2):
            with self.subTest(each=each): self.assertEqual(each, 0)
    def test_\u00e9(self): pass
    @unittest.skip("why")
    def test_skipped(self): pass
    @unittest.expectedFailure
    def test_expected(self): self.fail()
    @unittest.expectedFailure
    def test_unexpected(self): pass
class B(unittest.TestCase):
    def setUp(self): raise ValueError("set-up")
    def test_set_up(self): pass
class C(unittest.TestCase):
    @classmethod
    def setUpClass(cls): raise ValueError("set-up")
    def test_class(self): pass
# A result class of the project's own, which calls everything well, is watched and not asked.
class Liar(unittest.TextTestResult):
    def wasSuccessful(self): return True
unittest.TextTestRunner.resultclass = Liar
'''
_UNITTEST_DYING = """
import os, time, unittest
class D(unittest.TestCase):
    def test_a_before(self): pass
    def test_b_dies(self): os._exit(0)
    def test_c_hangs(self): time.sleep(100)
    def test_d_after(self): pass
"""
UNITTEST = Subject(
    name="unittest",
    check_format="unittest",
    command=("python", "-m", "unittest"),
    files={"test_a.py": _UNITTEST, "test_d.py": _UNITTEST_DYING, "test_bad.py": "import nowhere"},
    expected={
        "test_a.py::A::test_ok": "passed",
        "test_a.py::A::test_fails": "failed",
        "test_a.py::A::test_sub": "failed",
        "test_a.py::A::test_\u00e9": "passed",
        "test_a.py::A::test_skipped": "skipped",
        "test_a.py::A::test_expected": "xfailed",
        "test_a.py::A::test_unexpected": "xpassed",
        "test_a.py::B::test_set_up": "error",
        "test_a.py::C::test_class": "error",
        **{f"test_d.py::D::test_{mark}_{name}": DYING[name] for mark, name in zip("abcd", DYING, strict=True)},
    },
    faults=("test_bad.py",),
    failing="test_a.py::A::test_fails",
    empty={"test_a.py": ""},
    overwritten=True,
)
