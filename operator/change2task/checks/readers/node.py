"""Node's runners (node:test, jest, vitest, mocha), each through a reporter of ours.

The project's own command is started with our reporter in place of all others, from outside the tree and by command
line, which outranks what a repository configures. Ids are the file, `::`, and titles from the outside in, joined by `
> `. Options that stop early, run again, or measure coverage are taken out.

What is caught. Under jest, vitest and node:test the reporter lives in the runner's process and tests in others: a
test that dies costs its file, and says so. Under mocha it lives with the tests; there and under node:test two planted
tests of known outcome run along. Events are counted, each writer's own. A test that began and did not end crashed, or
hung when the runner had to be ended; the remaining files (mocha: tests) run in another round. A runner that is
missing or too old is named.

What is not caught. Titles are not unique by themselves; equal ones of a file are no checks. Titles made from a table
(`test.each`) are names of their own. A test that finds the events file can append to it. jest and vitest have no
planted tests (`canaries` is None). The order of tests is not varied. Packages are resolved from the tree's
`node_modules`; Plug'n'Play is not.
"""

from __future__ import annotations

import json
import posixpath
from dataclasses import dataclass
from pathlib import Path

from change2task.checks.ids import to_runner
from change2task.checks.plan import CheckRequest, ReaderFiles, harness_file
from change2task.checks.readers.witness import marks, read_events
from change2task.checks.results import Reading

_CHECK = """\
cd "$C2T_WORK" || exit 70
exec node "$C2T_PLAN/node/launch.cjs"
"""
_COMMON = ("events.cjs", "launch.cjs", "words.cjs")


@dataclass(frozen=True)
class NodeReader:
    """One runner; `starts` are the names of the program that starts it."""

    format: str
    starts: tuple[str, ...]
    example: str
    files: tuple[str, ...]

    def plan(self, request: CheckRequest) -> ReaderFiles:
        """The launcher, its settings and the reporter."""
        self._check(request.command)
        settings = {
            "nonce": request.nonce,
            "format": self.format,
            "command": request.command,
            "ids": None if request.ids is None else [to_runner(one) for one in request.ids],
            "scopes": None if request.scopes is None else [to_runner(one) for one in request.scopes],
        }
        files = {"check.sh": _CHECK, "node/settings.json": json.dumps(settings)}
        files |= {f"node/{name}": harness_file(f"node/{name}") for name in (*_COMMON, *self.files)}
        return ReaderFiles(files=files, marks=marks(request))

    def build(self, command: tuple[str, ...]) -> None:
        """Modules are loaded where they are used; what a project compiles, its rebuild steps do."""

    def read(self, results: Path, nonce: str) -> Reading:
        """Every round's events as one result."""
        return read_events(results, nonce)

    def _check(self, command: tuple[str, ...]) -> None:
        starts = any(posixpath.basename(word) in self.starts for word in command)
        if not starts or (self.format == "node" and "--test" not in command):
            raise ValueError(
                f"checks.command {list(command)} does not start the runner of format {self.format} itself; scripts"
                f" of package.json cannot be given a reporter. Write what they run, as a list like [{self.example}]"
            )


NODE = NodeReader(
    "node", ("node", "nodejs", "tsx"), "node, --test", ("node.cjs", "node_reporter.cjs", "canary.test.cjs")
)
JEST = NodeReader("jest", ("jest", "jest.js"), "npx, jest", ("jest.cjs", "jest_reporter.cjs"))
VITEST = NodeReader("vitest", ("vitest", "vitest.mjs"), "npx, vitest", ("vitest.cjs", "vitest_reporter.mjs"))
MOCHA = NodeReader("mocha", ("mocha", "_mocha", "mocha.js"), "npx, mocha", ("mocha.cjs", "mocha_reporter.cjs"))
