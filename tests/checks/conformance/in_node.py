"""Node's four runners: one project in each one's words."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

from tests.checks.conformance.subject import NOISE, Subject

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
        patience=8,
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
