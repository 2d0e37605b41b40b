"""Go, through `go test -json`: the plan that runs it and the reading of its events.

Ids are the package's folder in the tree, `::`, and the test's name with its sub-tests. The go command, not the
tests, writes the events, and each package is a process of its own: a test can forge lines of its own package by
printing the marks of the test binary, nothing of another's. When a package dies, what never started is run again,
and what started without an end is run by itself once; a result that never comes is crashed or hung. Result lines
glued to a test's output (old toolchains) are looked for in the output, then in the parent's and the package's
result, and are never taken for a pass because they are absent.

What is caught. A module of ours (in the plan folder, never in the tree) holds one test that must pass and one that
must fail: a replaced go command, wrapper or flags that change outcomes are seen. Contradicting results count as the
worst. A package that ends without the test binary's own last word did not finish, whatever its exit code.

What is not caught. A test or TestMain that prints the test binary's marks (a 0x16 byte and `--- PASS`) for tests of
its own package, and code that finds the events file and appends to it. Events carry no proof of who wrote them.
"""

from __future__ import annotations

import math
import posixpath
import re
from collections.abc import Iterable
from pathlib import Path

from change2task.checks.ids import to_runner
from change2task.checks.passes import ScriptCall
from change2task.checks.plan import CheckRequest, Marks, ReaderFiles, assignments, harness_file, quote, words
from change2task.checks.readers.go_command import GoCommand, parse
from change2task.checks.readers.go_events import read_events
from change2task.checks.results import Reading

_ARGUMENT_BYTES = 100_000


class GoTestReader:
    """Format `go`."""

    format = "go"

    def plan(self, request: CheckRequest) -> ReaderFiles:
        """The project's command split into compiling, running and running again, with our flags."""
        command = parse(request.command)
        packages, pattern = _selection(command, request.ids, request.scopes)
        check = (
            assignments({"nonce": request.nonce, "base": command.folder, "pattern": pattern})
            + _functions(command, request)
            + f"set -- {words(packages)}\n\n"
            + harness_file("go_test.sh")
        )
        head = f'{{"c2t":"{request.nonce}","e":'
        return ReaderFiles(
            files={
                "check.sh": check,
                "go_test.awk": harness_file("go_test.awk"),
                "canary/canary_test.go": harness_file("canary_test.go.txt"),
                "canary/go.mod": "module c2tcanary\n\ngo 1.16\n",
            },
            marks=Marks(
                running='"Action":"run"',
                progress=f'{head}"',
                finished=f'{head}"finished"',
                stuck=f'{head}"stuck"',
            ),
        )

    def build(self, command: tuple[str, ...]) -> ScriptCall:
        """Every package is compiled: `go test` leaves out those without tests."""
        parsed = parse(command)
        line = words((parsed.program, "build", "-o", "/dev/null", *parsed.build_flags, "./..."))
        script = f"cd {quote(parsed.folder)} || exit 1\n{line} || exit 1\n"
        return ScriptCall(id="go build", command=("sh", "build.sh"), files={"build.sh": script}, patient=True)

    def read(self, results: Path, nonce: str) -> Reading:
        """Every round's events as one result."""
        return read_events(results, nonce)


def _functions(command: GoCommand, request: CheckRequest) -> str:
    flags = list(command.flags)
    if request.perturbation.order_seed is not None:
        flags.append(f"-shuffle={request.perturbation.order_seed}")
    test = words((command.program, "test"))
    common = words(("-count=1", f"-timeout={math.ceil(request.total_timeout_seconds)}s", *flags))
    rest = f" {words(command.rest)}" if command.rest else ""
    listing = words((command.program, "list", "-e", *command.build_flags))
    return (
        f'go_bare() {{\n    {quote(command.program)} "$@"\n}}\n'
        f'go_test() {{\n    run=$1\n    shift\n    {test} -json {common} -run "$run" "$@"{rest}\n}}\n'
        f'go_list() {{\n    {listing} "$@"\n}}\n'
        f'go_names() {{\n    {test} {common} -list "${{pattern:-.*}}" "$1"{rest}\n}}\n'
    )


def _selection(
    command: GoCommand, ids: tuple[str, ...] | None, scopes: tuple[str, ...] | None
) -> tuple[tuple[str, ...], str]:
    """Packages and `-run` pattern; a pattern too long for a command line is left out, and more is run than asked."""
    if ids is None and scopes is None:
        return command.packages, command.run
    if ids is None:
        return _packages(command, map(to_runner, scopes or ())), command.run if scopes else "^$"
    folders: dict[str, None] = {}
    names: dict[str, None] = {}
    for identity in ids:
        folder, _, name = to_runner(identity).partition("::")
        folders[folder] = None
        names[re.escape(name.partition("/")[0])] = None
    pattern = f"^({'|'.join(names)})$" if names else "^$"
    return _packages(command, folders), pattern if len(pattern.encode()) < _ARGUMENT_BYTES else ""


def _packages(command: GoCommand, folders: Iterable[str]) -> tuple[str, ...]:
    relative = (posixpath.relpath(folder, command.folder) for folder in folders)
    return tuple(path if path.startswith("..") else f"./{path}" for path in relative) or (".",)
