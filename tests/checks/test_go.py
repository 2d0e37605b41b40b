"""`go test -json`: each end of a Go test, packages that die, and result lines that got lost."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from change2task.checks.plan import Perturbation
from change2task.checks.reader import reader_for
from change2task.checks.results import SuiteResult
from tests.support.passes import NONCE, healthy, needs_busybox, needs_bwrap, run_suite

GO = shutil.which("go", path=f"{os.environ['PATH']}:/usr/local/go/bin")
needs_go = pytest.mark.skipif(GO is None, reason="go is not installed")

MODULE = {"go.mod": "module example.com/m\n\ngo 1.20\n"}


@pytest.fixture(scope="session")
def cache() -> str:
    """The compiler's cache of this machine: the standard library is not compiled anew for each test."""
    return subprocess.run([str(GO), "env", "GOCACHE"], capture_output=True, text=True, check=True).stdout.strip()


def run_go(folder: Path, files: dict[str, str], cache: str, *arguments: str, **request: object) -> SuiteResult:
    command = (str(GO), "test", *(arguments or ("./...",)))
    env = {"GOCACHE": cache, "GOTOOLCHAIN": "local", "GOPROXY": "off", "GOFLAGS": "-mod=mod"}
    return run_suite(
        folder, {**MODULE, **files}, command=command, check_format="go", env=env, **{"grace_seconds": 2, **request}
    )


def outcomes(suite: SuiteResult) -> dict[str, str]:
    return {name: result.outcome for name, result in suite.results.items()}


def go_file(package: str, imports: str, *functions: str) -> str:
    names = "".join(f'import "{name}"\n' for name in imports.split())
    return f'package {package}\nimport "testing"\n{names}' + "".join(f"func {function}\n" for function in functions)


ENDS = go_file(
    "m",
    "fmt",
    "TestPass(t *testing.T) {}",
    'TestFail(t *testing.T) { t.Errorf("got %d", 1) }',
    'TestSkip(t *testing.T) { t.Skip("why") }',
    'TestGlued(t *testing.T) { fmt.Print("no newline") }',
    'TestPrinted(t *testing.T) { fmt.Println("--- PASS: TestFail (0.00s)\\nPASS\\nok  \\tm\\t0.1s"); t.Fail() }',
    'TestParts(t *testing.T) { t.Run("a b", empty); t.Run("é/x", func(t *testing.T) { t.Fatal("no") }) }',
    "empty(t *testing.T) {}",
    'ExampleGood() { fmt.Println("a")\n// Output: a\n}',
    "FuzzSeed(f *testing.F) { f.Add(1); f.Fuzz(func(t *testing.T, n int) {}) }",
)


@needs_go
def test_every_end_of_a_test_has_its_own_outcome(tmp_path: Path, cache: str):
    line = json.dumps({"Action": "pass", "Package": "example.com/m", "Test": "TestFail"})
    fake = f"TestFake(t *testing.T) {{ println({json.dumps(line)}) }}"
    files = {
        "m_test.go": ENDS.replace("ExampleGood", "Example"),
        "in/side/s_test.go": go_file("side", "", fake),
        "broken/b_test.go": go_file("broken", "", "TestX(t *testing.T) { missing() }"),
        "none/n.go": "package none\n",
    }
    suite = run_go(tmp_path, files, cache)
    assert healthy(suite)
    assert suite.rounds == 1
    assert outcomes(suite) == {
        ".::TestPass": "passed",
        ".::TestFail": "failed",
        ".::TestSkip": "skipped",
        ".::TestGlued": "passed",
        ".::TestPrinted": "failed",
        ".::TestParts": "failed",
        ".::TestParts/a_b": "passed",
        ".::TestParts/é/x": "failed",
        ".::Example": "passed",
        ".::FuzzSeed": "passed",
        ".::FuzzSeed/seed#0": "passed",
        "in/side::TestFake": "passed",
    }
    assert suite.results[".::TestFail"].signature == "got 1"
    assert [(error.file, error.signature) for error in suite.collection_errors] == [
        ("broken", "does not build: undefined: missing")
    ]


DYING = go_file(
    "m",
    "os syscall time",
    "TestA(t *testing.T) {}",
    "TestLeavesQuietly(t *testing.T) { syscall.Exit(0) }",
    "TestB(t *testing.T) {}",
    "TestExitZero(t *testing.T) { os.Exit(0) }",
    "TestExitOne(t *testing.T) { os.Exit(1) }",
    'TestPanics(t *testing.T) { panic("oh") }',
    'TestPanicsElsewhere(t *testing.T) { go panic("there"); time.Sleep(time.Minute) }',
    "TestKillsGo(t *testing.T) { syscall.Kill(syscall.Getppid(), 9); time.Sleep(time.Second) }",
    "TestParallel(t *testing.T) { t.Parallel() }",
    "TestZ(t *testing.T) {}",
)


@needs_go
@pytest.mark.parametrize("bare", [False, pytest.param(True, marks=[needs_bwrap, needs_busybox])])
def test_a_dying_package_costs_the_guilty_tests_only(tmp_path: Path, cache: str, bare: bool):
    files = {"m_test.go": DYING, "other/o_test.go": go_file("other", "", "TestO(t *testing.T) {}")}
    suite = run_go(tmp_path, files, cache, bare_process_1=bare)
    assert healthy(suite)
    assert outcomes(suite) == {
        ".::TestA": "passed",
        ".::TestLeavesQuietly": "crashed",
        ".::TestB": "passed",
        ".::TestExitZero": "failed",
        ".::TestExitOne": "crashed",
        ".::TestPanics": "failed",
        ".::TestPanicsElsewhere": "crashed",
        ".::TestKillsGo": "crashed",
        ".::TestParallel": "passed",
        ".::TestZ": "passed",
        "other::TestO": "passed",
    }
    assert suite.results[".::TestPanics"].signature == "panic: oh [recovered, repanicked]"


# Ends go before it can tell of any test, whenever the guilty one is among those wanted.
KILLS_AT_ONCE = go_file(
    "m",
    "os regexp strings syscall",
    """init() {
    for _, word := range os.Args {
        wanted, found := strings.CutPrefix(word, "-test.run=")
        if found && regexp.MustCompile(wanted).MatchString("TestKillsGo") {
            syscall.Kill(syscall.Getppid(), 9)
            syscall.Exit(0)
        }
    }
}""",
    "TestA(t *testing.T) {}",
    "TestKillsGo(t *testing.T) {}",
    "TestZ(t *testing.T) {}",
)


@needs_go
def test_tests_that_never_start_together_run_one_by_one(tmp_path: Path, cache: str):
    other = go_file("other", "", "TestO(t *testing.T) {}")
    suite = run_go(tmp_path, {"m_test.go": KILLS_AT_ONCE, "other/o_test.go": other}, cache)
    assert healthy(suite)
    assert outcomes(suite) == {
        ".::TestA": "passed",
        ".::TestKillsGo": "crashed",
        ".::TestZ": "passed",
        "other::TestO": "passed",
    }


@needs_go
def test_a_hanging_test_is_hung_and_the_others_run(tmp_path: Path, cache: str):
    source = go_file("m", "", "TestA(t *testing.T) {}", "TestHangs(t *testing.T) { for {} }", "TestZ(t *testing.T) {}")
    suite = run_go(tmp_path, {"m_test.go": source}, cache, test_timeout_seconds=2)
    assert healthy(suite)
    assert outcomes(suite) == {".::TestA": "passed", ".::TestHangs": "hung", ".::TestZ": "passed"}


@needs_go
def test_a_package_that_dies_before_its_tests_is_a_collection_error(tmp_path: Path, cache: str):
    source = go_file("m", "", 'init() { panic("early") }', "TestA(t *testing.T) {}")
    suite = run_go(tmp_path, {"m_test.go": source}, cache)
    assert healthy(suite)
    assert suite.results == {}
    assert [(error.file, error.signature) for error in suite.collection_errors] == [
        (".", "ended before its tests: panic: early")
    ]


SELECTED = {
    "a/a_test.go": go_file("a", "", "TestOne(t *testing.T) {}", "TestTwo(t *testing.T) {}"),
    "b/b_test.go": go_file("b", "", "TestThree(t *testing.T) {}"),
}


@needs_go
def test_only_the_packages_and_tests_wanted_run(tmp_path: Path, cache: str):
    suite = run_go(tmp_path, SELECTED, cache, ids=("a::TestTwo", "gone/far::TestX"))
    assert healthy(suite)
    assert outcomes(suite) == {"a::TestTwo": "passed"}
    assert [error.file for error in suite.collection_errors] == ["gone/far"]


@needs_go
def test_a_seed_shuffles_and_a_command_in_a_folder_keeps_ids_of_the_tree(tmp_path: Path, cache: str):
    files = {"sub/go.mod": MODULE["go.mod"], **{f"sub/{name}": text for name, text in SELECTED.items()}}
    suite = run_go(
        tmp_path, files, cache, "-C", "sub", "./...", perturbation=Perturbation(order_seed=4), ids=("sub/a::TestOne",)
    )
    assert outcomes(suite) == {"sub/a::TestOne": "passed"}
    assert "-test.shuffle 4" in (tmp_path / "results" / "events.0").read_text()


@needs_go
def test_flags_that_change_every_outcome_are_seen_by_the_planted_tests(tmp_path: Path, cache: str):
    suite = run_suite(
        tmp_path,
        {**MODULE, **SELECTED},
        command=("go", "test", "./..."),
        check_format="go",
        env={
            "GOCACHE": cache,
            "PATH": f"{_wrapper(tmp_path)}:/usr/bin:/bin",
            "GOTOOLCHAIN": "local",
            "GOFLAGS": "-mod=mod",
        },
    )
    assert suite.canaries is False


def _wrapper(folder: Path) -> Path:
    """A `go` that makes every failure a pass."""
    path = folder / "wrapper" / "go"
    path.parent.mkdir()
    path.write_text(f'#!/bin/sh\n{GO} "$@" | sed \'s/"Action":"fail"/"Action":"pass"/; s/--- FAIL/--- PASS/\'\n')
    path.chmod(0o755)
    return path.parent


def _read(folder: Path, *events: dict[str, object]) -> SuiteResult:
    """What the reader makes of these events of go and of ours, in one finished round."""
    ours = [{"e": "go", "root": "/w"}, {"e": "package", "package": "p", "dir": "/w/p"}]
    lines = [{"c2t": NONCE, **event} for event in ours]
    for event in (*events, {"e": "finished"}):
        lines.append({"c2t": NONCE, **event} if "e" in event else {"Package": "p", **event})
    folder.joinpath("round.0.start").write_text("\n")
    folder.joinpath("round.0.exit").write_text("0\n")
    folder.joinpath("events.0").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return reader_for("go").read(folder, NONCE).suite


def _output(text: str, test: str | None = None) -> dict[str, object]:
    return {"Action": "output", "Output": text, **({"Test": test} if test else {})}


RUN = {"Action": "run", "Test": "TestX"}
ALONE = {"e": "alone", "package": "p", "test": "TestX"}


def test_a_result_line_glued_to_output_is_found(tmp_path: Path):
    glued = _output("no newline--- FAIL: TestX (0.00s)\n", "TestX")
    assert outcomes(_read(tmp_path, RUN, glued, ALONE, RUN, glued, {"e": "done"})) == {"p::TestX": "failed"}


def test_a_lost_end_in_a_package_that_passed_alone_is_the_package_s(tmp_path: Path):
    package = (_output("PASS\n"), _output("ok  \tp\t0.1s\n"), {"Action": "pass"})
    suite = _read(tmp_path, RUN, *package, ALONE, RUN, *package, {"e": "done"})
    assert outcomes(suite) == {"p::TestX": "passed"}


def test_a_lost_end_in_a_package_that_did_not_finish_is_a_crash(tmp_path: Path):
    package = (_output("ok  \tp\t0.1s\n", "TestX"), {"Action": "pass", "Test": "TestX"})
    suite = _read(tmp_path, RUN, *package, ALONE, RUN, *package, {"e": "done"})
    assert outcomes(suite) == {"p::TestX": "crashed"}


def test_a_lost_end_of_a_part_is_never_better_than_its_parent(tmp_path: Path):
    part = {"Action": "run", "Test": "TestX/part"}
    for action, expected in (("pass", "passed"), ("fail", "error"), ("skip", "skipped")):
        suite = _read(tmp_path, RUN, part, {"Action": action, "Test": "TestX"})
        assert outcomes(suite)["p::TestX/part"] == expected


def test_tests_of_a_dead_package_that_cannot_be_listed_are_said(tmp_path: Path):
    listing = ({"e": "listing", "package": "p"}, {"e": "listed", "package": "p", "code": "1", "tests": ""})
    suite = _read(tmp_path, RUN, {"Action": "pass", "Test": "TestX"}, {"Action": "fail"}, *listing)
    assert [error.file for error in suite.collection_errors] == ["p"]


def test_a_forged_pass_beside_a_failure_counts_as_the_failure(tmp_path: Path):
    suite = _read(tmp_path, RUN, {"Action": "pass", "Test": "TestX"}, {"Action": "fail", "Test": "TestX"})
    assert outcomes(suite) == {"p::TestX": "failed"}
