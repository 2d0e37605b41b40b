"""Runners that write a report."""

from __future__ import annotations

from tests.checks.conformance.in_python import PYTEST, PYTEST_TESTS
from tests.checks.conformance.subject import NOISE, Subject

_CTEST = """cmake_minimum_required(VERSION 3.19)
project(m C)
enable_testing()
add_executable(t t.c)
add_test(NAME ok COMMAND t 0)
add_test(NAME [=[odd "name" [x] \u00e9]=] COMMAND t 0)
add_test(NAME fails COMMAND t 1)
add_test(NAME dies COMMAND t 2)
add_test(NAME hangs COMMAND t 3)
add_test(NAME skipped COMMAND t 4)
set_tests_properties(skipped PROPERTIES SKIP_RETURN_CODE 4)
add_test(NAME expected COMMAND t 1)
set_tests_properties(expected PROPERTIES WILL_FAIL ON)
"""
_CTEST_C = """#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(int count, char **words) {
  int kind = atoi(words[1]);
  puts("%s");
  fflush(stdout);
  if (kind == 2) abort();
  if (kind == 3) sleep(100);
  return kind;
}
"""
CTEST = Subject(
    name="ctest (junit)",
    check_format="junit",
    command=("ctest", "--test-dir", "c2t-build", "--timeout", "1", "--output-junit", "{reports}/ctest.xml"),
    files={"CMakeLists.txt": _CTEST, "t.c": _CTEST_C % NOISE.replace("\\u001b", "\\033")},
    expected={
        "ok": "passed",
        'odd "name" [x] \u00e9': "passed",
        "fails": "failed",
        "dies": "failed",
        "hangs": "failed",
        "skipped": "skipped",
        "expected": "passed",
    },
    failing="fails",
    program="ctest",
    xfail="\u2014",
    canaries=None,
    rebuild=("cmake -S . -B c2t-build >/dev/null", "cmake --build c2t-build >/dev/null"),
    empty={"CMakeLists.txt": "cmake_minimum_required(VERSION 3.19)\nproject(m NONE)\nenable_testing()\n"},
)
PYTEST_XML = Subject(
    name="pytest --junitxml (junit)",
    check_format="junit",
    command=("python", "-m", "pytest", "--junitxml={reports}/all.xml"),
    files={"test_a.py": PYTEST_TESTS},
    expected={name: outcome for name, outcome in PYTEST.expected.items() if "test_d" not in name},
    failing="test_a.py::test_fails",
    crash="pass",
    hang="pass",
    canaries=None,
    empty={"test_a.py": ""},
    env={"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
    dying={"test_a.py": "import os\ndef test_a(): pass\ndef test_b(): os._exit(0)\n"},
    hanging={"test_a.py": "import time\ndef test_a(): pass\ndef test_b(): time.sleep(100)\n"},
)
_TAP = r"""
print "TAP version 14\n1..7\n\e[32mPASSED\e[0m --- FAIL: TestX\n";
print "ok 1 - a \"b\" [c] \xc3\xa9 \\# d\nnot ok 2 - fails\n  ---\n  message: no\n  ...\n";
print "ok 3 - skipped # SKIP why\nnot ok 4 - expected # TODO later\nok 5 - unexpected # TODO later\n";
print "# Subtest: outer\n    ok 1 - inner\n    not ok 2 - bad\n    1..2\nnot ok 6 - outer\nok 7 - same\n";
"""
PERL = Subject(
    name="perl (tap)",
    check_format="tap",
    command=("perl", "t/all.t"),
    files={"t/all.t": _TAP},
    expected={
        'a "b" [c] \u00e9 # d': "passed",
        "fails": "failed",
        "skipped": "skipped",
        "expected": "xfailed",
        "unexpected": "xpassed",
        "outer > inner": "passed",
        "outer > bad": "failed",
        "outer": "failed",
        "same": "passed",
    },
    failing="fails",
    program="perl",
    crash="pass",
    hang="pass",
    canaries=None,
    empty={"t/all.t": 'print "1..0 # SKIP none\\n";'},
    dying={"t/all.t": 'print "1..2\\nok 1 - a\\n"; exit 0;'},
    hanging={"t/all.t": '$| = 1; print "1..2\\nok 1 - a\\n"; sleep 100;'},
)
