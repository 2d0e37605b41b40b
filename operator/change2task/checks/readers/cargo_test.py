"""Rust, through `cargo test` and the machine format of libtest.

The format is not stable yet: the test binaries, which the project's stable compiler has built, are started with
`RUSTC_BOOTSTRAP=1` and `-Z unstable-options --format json`; nothing of the project is compiled under it but doc
tests, whose compiler and harness are one program. Each binary is started by a runner of ours in cargo's place (its
environment and folder are cargo's), one test at a time. Ids are the file of the test's module, `::`, and its path in
it, as far as module files lie where the language looks for them; doc tests are named by item and number, not by line.

What is caught. A crate of ours holds one test that must pass and one that must fail, started by the same cargo with
the project's configuration. A binary that dies costs the test that was running. Contradicting results count as the
worst. A project that does not build is told with the compiler's first error. A runner that `.cargo/config.toml` names
is replaced.

What is not caught. A test shares its binary's standard output with the harness: it can print lines of that format
past the capture of its own. Targets with a harness of their own (`harness = false`) are one check each, by exit
status; doc tests that die are seen, ones that hang end the pass. Tests are not shuffled. Generated cases (rstest,
test_case) are functions of their own.
"""

from __future__ import annotations

from pathlib import Path

from change2task.checks.passes import ScriptCall
from change2task.checks.plan import CheckRequest, Marks, ReaderFiles, assignments, harness_file, quote, words
from change2task.checks.readers.cargo_command import CargoCommand, parse
from change2task.checks.readers.cargo_events import read_events
from change2task.checks.results import Reading

_JSON = "-Z", "unstable-options", "--format", "json"
_MANIFEST = """\
[package]
name = "c2tcanary"
version = "0.0.0"
edition = "2018"

[workspace]

[lib]
path = "canary.rs"
doctest = false
"""
_LOCK = 'version = 3\n\n[[package]]\nname = "c2tcanary"\nversion = "0.0.0"\n'


class CargoReader:
    """Format `cargo`."""

    format = "cargo"

    def plan(self, request: CheckRequest) -> ReaderFiles:
        """The command split into building, running and documents, our runner and our crate."""
        command = parse(request.command)
        check = (
            assignments({"nonce": request.nonce, "doc": "yes" if command.documents else ""})
            + _functions(command)
            + harness_file("cargo_test.sh")
        )
        head = f'{{"c2t":"{request.nonce}","e":'
        return ReaderFiles(
            files={
                "check.sh": check,
                "cargo_runner.sh": harness_file("cargo_runner.sh"),
                "canary/Cargo.toml": _MANIFEST,
                "canary/Cargo.lock": _LOCK,
                "canary/canary.rs": harness_file("rust/canary.rs"),
            },
            marks=Marks(running=f'{head}"running"', progress='"event": "started"',
                        finished=f'{head}"finished"', stuck=f'{head}"stuck"'),
        )  # fmt: skip

    def build(self, command: tuple[str, ...]) -> ScriptCall:
        """Every target is compiled: `cargo test` leaves out benches and examples of other packages."""
        parsed = parse(command)
        line = words((*parsed.program, "build", "--all-targets", *parsed.flags))
        return ScriptCall(
            id="cargo build", command=("sh", "build.sh"), files={"build.sh": f"{line} || exit 1\n"}, patient=True
        )

    def read(self, results: Path, nonce: str) -> Reading:
        """Every round's events as one result."""
        return read_events(results, nonce)


def _functions(command: CargoCommand) -> str:
    test = words((*command.program, "test"))
    rest = words(("--", *command.rest))
    documents = words(("--doc", "--no-fail-fast", *command.flags, "--", *_JSON, *command.rest))
    chosen = words((*command.flags, *command.binaries))
    return (
        f'cargo_test() {{\n    {test} {chosen} "$@" {rest}\n}}\n'
        f"cargo_doc() {{\n    {test} {documents}\n}}\n"
        f'cargo_canary() {{\n    {test} {quote("--offline")} --lib --manifest-path "$1"\n}}\n'
    )
