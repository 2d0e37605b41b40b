"""Every reader's project for the conformance suite: the same tests written for each runner, and what must come of them.

`cost` says what a dying or hanging test costs beside itself: nothing ("test"), the rest of its file ("file"), the whole
pass ("pass"). The table in docs/readers.md is made from this, so that no cell of it is not a test.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
JS = Path(os.environ.get("C2T_JS_RUNNERS") or ROOT / ".js-runners") / "node_modules"
PATH = f"{Path(sys.executable).parent}:{os.environ['PATH']}:/usr/local/go/bin:{Path.home()}/.cargo/bin"

NOISE = "\\u001b[32mPASSED\\u001b[0m ok 1 - x --- FAIL: TestX test y ... ok <testcase name='z'/>"


@dataclass(frozen=True)
class Subject:
    """One runner under one reader. ``expected`` is by id; ``together`` the file that a dying test shares."""

    name: str
    check_format: str
    command: tuple[str, ...]
    files: Mapping[str, str]
    expected: Mapping[str, str]
    failing: str
    program: str = "python"
    package: str | None = None
    duplicates: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()
    crash: str = "test"
    hang: str = "test"
    xfail: str = "yes"
    canaries: bool | None = True
    empty: Mapping[str, str] = field(default_factory=dict)
    rebuild: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    overwritten: bool = False
    dying: Mapping[str, str] = field(default_factory=dict)
    """Where a death costs the pass: a project whose test ends the process."""
    hanging: Mapping[str, str] = field(default_factory=dict)

    def lacking(self) -> str | None:
        """Why it cannot be tried here."""
        if shutil.which(self.program, path=PATH) is None:
            return f"NOT TRIED: {self.name} - no {self.program} on this machine"
        if self.package is not None and not (JS / self.package).is_dir():
            return f"NOT TRIED: {self.name} - {self.package} is not in {JS}; make js-runners puts it there"
        return None


_PYTEST = f'''
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
_DYING = {"before": "passed", "dies": "crashed", "hangs": "hung", "after": "passed"}

PYTEST = Subject(
    name="pytest",
    check_format="pytest",
    command=("python", "-m", "pytest"),
    files={"test_a.py": _PYTEST, "test_d.py": _PYTEST_DYING, "pytest.ini": "[pytest]\naddopts = -x -q --color=yes\n"},
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
        **{f"test_d.py::test_{name}": outcome for name, outcome in _DYING.items()},
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
        **{f"test_d.py::D::test_{mark}_{name}": _DYING[name] for mark, name in zip("abcd", _DYING, strict=True)},
    },
    faults=("test_bad.py",),
    failing="test_a.py::A::test_fails",
    empty={"test_a.py": ""},
    overwritten=True,
)


def _go_cache() -> str:
    go = shutil.which("go", path=PATH)
    if go is None:
        return ""
    return subprocess.run([go, "env", "GOCACHE"], capture_output=True, text=True, check=True).stdout.strip()


_GO = """package m
import ("fmt"; "syscall"; "testing"; "time")
func TestOk(t *testing.T) { fmt.Print("%s") }
func TestFails(t *testing.T) { t.Fatal("no") }
func TestOdd(t *testing.T) { t.Run("a \\"b\\" [c] \u00e9", func(t *testing.T) {}) }
func TestSkipped(t *testing.T) { t.Skip("why") }
func TestBefore(t *testing.T) {}
func TestDies(t *testing.T) { syscall.Exit(0) }
func TestHangs(t *testing.T) { time.Sleep(100 * time.Second) }
func TestAfter(t *testing.T) {}
"""
GO = Subject(
    name="go test",
    check_format="go",
    command=("go", "test", "./..."),
    files={"go.mod": "module example.com/m\n\ngo 1.20\n", "m_test.go": _GO % NOISE},
    expected={
        ".::TestOk": "passed",
        ".::TestFails": "failed",
        ".::TestOdd": "passed",
        '.::TestOdd/a_"b"_[c]_\u00e9': "passed",
        ".::TestSkipped": "skipped",
        **{f".::Test{name.title()}": outcome for name, outcome in _DYING.items()},
    },
    failing=".::TestFails",
    program="go",
    xfail="\u2014",
    empty={"go.mod": "module example.com/m\n\ngo 1.20\n", "m.go": "package m\n"},
    # The compiler's cache of this machine: the standard library is not compiled anew for each test.
    env={"GOFLAGS": "-mod=mod", "GOPROXY": "off", "GOTOOLCHAIN": "local", "GOCACHE": _go_cache()},
)

_RUST = """
/// Adds.
/// ```
/// assert_eq!(m::one(), 1);
/// ```
/// ```
/// assert_eq!(m::one(), 2);
/// ```
pub fn one() -> i32 { 1 }
pub mod inner;
#[cfg(test)] mod tests {
    #[test] fn ok() { println!("%s"); }
    #[test] fn fails() { assert_eq!(super::one(), 2); }
    #[test] fn \u00e9() {}
    #[test] #[ignore] fn skipped() {}
    #[test] #[should_panic] fn expected() { panic!() }
}
"""
_RUST_DYING = """#[cfg(test)] mod tests {
    #[test] fn a_before() {}
    #[test] fn b_dies() { std::process::exit(0) }
    #[test] fn c_hangs() { loop { std::thread::sleep(std::time::Duration::from_secs(1)) } }
    #[test] fn d_after() {}
}
"""
_CRATE = {"Cargo.toml": '[package]\nname = "m"\nversion = "0.1.0"\nedition = "2018"\n'}
CARGO = Subject(
    name="cargo test",
    check_format="cargo",
    command=("cargo", "test"),
    files={
        **_CRATE,
        "src/lib.rs": _RUST % NOISE.replace("\\u001b", "\\x1b").replace("'", ""),
        "src/inner.rs": _RUST_DYING,
        ".cargo/config.toml": '[target."cfg(all())"]\nrunner = "true"\n',
    },
    expected={
        "src/lib.rs::tests::ok": "passed",
        "src/lib.rs::tests::fails": "failed",
        "src/lib.rs::tests::\u00e9": "passed",
        "src/lib.rs::tests::skipped": "skipped",
        "src/lib.rs::tests::expected": "passed",
        "src/lib.rs::one (doc 1)": "passed",
        "src/lib.rs::one (doc 2)": "failed",
        **{f"src/inner.rs::tests::{mark}_{name}": _DYING[name] for mark, name in zip("abcd", _DYING, strict=True)},
    },
    failing="src/lib.rs::tests::fails",
    program="cargo",
    xfail="\u2014",
    empty={**_CRATE, "src/lib.rs": ""},
    env={name: os.environ[name] for name in ("RUSTUP_HOME", "CARGO_HOME", "RUSTUP_TOOLCHAIN") if name in os.environ}
    | {"HOME": str(Path.home()), "CARGO_NET_OFFLINE": "true"},
    overwritten=True,
)

_SCRIPT = """
describe("d \u00e9", () => {
  T("ok \\"q\\" [x]\\nline", () => { console.log("%s"); });
  T("fails", () => { throw new TypeError("\\u001b[31mno\\u001b[0m"); });
  T.skip("skipped", () => {});
  T("same", () => {});
  T("same", () => {});
  describe("hook", () => { E(() => { throw new Error("set-up"); }); T("in it", () => {}); });
});
"""
_SCRIPT_DIES = 'T("before", () => {}); T("dies", () => { process.kill(process.pid, 9); }); T("after", () => {});'
_SCRIPT_HANGS = 'T("before", () => {}); T("hangs", () => { for (;;); }); T("after", () => {});'


def _script(
    name: str,
    head: str,
    command: tuple[str, ...],
    *,
    package: str | None = None,
    more: str = "",
    extra: Mapping[str, str] | None = None,
    config: Mapping[str, str] | None = None,
    in_hook: str = "failed",
    told: Callable[[str], str | None] = lambda _: None,
    **rest: object,
) -> Subject:
    kind = "mjs" if "import" in head else "js"
    a, dies, hangs = (f"test/{file}.test.{kind}" for file in ("a", "dies", "hangs"))
    expected = {
        f'{a}::d \u00e9 > ok "q" [x]\nline': "passed",
        f"{a}::d \u00e9 > fails": "failed",
        f"{a}::d \u00e9 > skipped": "skipped",
        f"{a}::d \u00e9 > same": "passed",
        f"{a}::d \u00e9 > hook > in it": in_hook,
        f"test/z.test.{kind}::z": "passed",
        **{f"{a}::{title}": outcome for title, outcome in (extra or {}).items()},
    }
    for file, names in ((dies, ("before", "dies", "after")), (hangs, ("before", "hangs", "after"))):
        for one in names:
            outcome = told(one)
            if outcome is not None:
                expected[f"{file}::{one}"] = outcome
    return Subject(
        name=name,
        check_format=name.partition(":")[0],
        command=command,
        files={
            a: head + _SCRIPT % NOISE + more,
            dies: head + _SCRIPT_DIES,
            hangs: head + _SCRIPT_HANGS,
            f"test/z.test.{kind}": head + 'T("z", () => {});',
            **(config or {}),
        },
        expected=expected,
        failing=f"{a}::d \u00e9 > fails",
        program="node",
        package=package,
        duplicates=(f"{a}::d \u00e9 > same",),
        empty={"test/none.test.js": ""} if name == "mocha" else {"x.txt": ""},
        **rest,  # type: ignore[arg-type]
    )


NODE = _script(
    "node:test",
    'const { test: T, describe, beforeEach: E } = require("node:test");',
    ("node", "--test"),
    more='T.todo("to do", () => { throw new Error("no"); });',
    extra={"to do": "xfailed"},
    in_hook="error",
    crash="file",
    hang="file",
    faults=("test/dies.test.js", "test/hangs.test.js"),
    # A file is what its process is: it ends badly, and so does the check that it is as a whole.
    told=lambda _: None,
    canaries=True,
)
JEST = _script(
    "jest",
    "const T = test, E = beforeEach;",
    ("node_modules/.bin/jest",),
    package="jest",
    more='T.failing("to fail", () => { throw new Error("no"); }); T.failing("good", () => {});',
    extra={"to fail": "xfailed", "good": "xpassed"},
    config={"package.json": json.dumps({"jest": {"reporters": ["default"], "bail": True, "collectCoverage": True}})},
    crash="file",
    hang="file",
    faults=("test/dies.test.js", "test/hangs.test.js"),
    told={"dies": "crashed", "hangs": "hung"}.get,
    canaries=None,
    overwritten=True,
)
VITEST = _script(
    "vitest",
    'import { test as T, describe, beforeEach as E } from "vitest";',
    ("node_modules/.bin/vitest", "run"),
    package="vitest",
    more='T.fails("to fail", () => { throw new Error("no"); }); T.fails("good", () => {});',
    extra={"to fail": "xfailed", "good": "xpassed"},
    config={"vitest.config.mjs": 'export default { test: { reporters: ["dot"], bail: 1, retry: 3 } };'},
    crash="file",
    hang="file",
    faults=("test/dies.test.mjs", "test/hangs.test.mjs"),
    canaries=None,
    overwritten=True,
)
MOCHA = _script(
    "mocha",
    "const T = it, E = beforeEach;",
    ("node_modules/.bin/mocha", "test"),
    package="mocha",
    config={".mocharc.json": '{"reporter": "dot", "bail": true, "retries": 3, "parallel": true}'},
    in_hook="error",
    told={"before": "passed", "dies": "crashed", "hangs": "hung", "after": "passed"}.get,
    xfail="\u2014",
    overwritten=True,
)

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
    files={"test_a.py": _PYTEST},
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

SUBJECTS = (PYTEST, UNITTEST, GO, CARGO, NODE, JEST, VITEST, MOCHA, CTEST, PYTEST_XML, PERL)
