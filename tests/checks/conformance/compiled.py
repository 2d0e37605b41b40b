"""Go and Rust."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from tests.checks.conformance.subject import DYING, NOISE, PATH, Subject


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
        **{f".::Test{name.title()}": outcome for name, outcome in DYING.items()},
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
        **{f"src/inner.rs::tests::{mark}_{name}": DYING[name] for mark, name in zip("abcd", DYING, strict=True)},
    },
    failing="src/lib.rs::tests::fails",
    program="cargo",
    xfail="\u2014",
    empty={**_CRATE, "src/lib.rs": ""},
    env={name: os.environ[name] for name in ("RUSTUP_HOME", "CARGO_HOME", "RUSTUP_TOOLCHAIN") if name in os.environ}
    | {"HOME": str(Path.home()), "CARGO_NET_OFFLINE": "true"},
    overwritten=True,
)
