"""Pytest, through our plugin in its process: the plan that starts it, and what of its events can be trusted.

What is caught. Canaries: in every round one planted test must pass and one must fail, called through the hook that
calls test functions; a hook that makes everything pass turns both green. The plugin sees the exception of a phase
before any report is made; a report that says passed over an exception counts as failed. Events are numbered; a file
that was cut, deleted or written by somebody without the plugin's own counter is no longer one sequence, and the pass
has no verdict. Ids are compared with the expected ones by the judge; what never started, or started and never ended,
is not a pass.

What is not caught. Tests, conftests and the code under test run in the plugin's process and know Python: code that
looks for the plugin object can emit events with its counter or replace its methods, and a hook or a patched function
can make chosen tests pass and leave the canaries alone. tests/checks/test_forgery.py lists what was tried, both ways.
Against such code only comparison between states and reading the patch help.

A round that is cut by a machine's failure and resumed counts the test that was running as crashed: a pass that was
interrupted from outside is better started anew.
"""

from __future__ import annotations

import json
from pathlib import Path

from change2task.checks.ids import to_runner
from change2task.checks.plan import CheckRequest, Marks, ReaderFiles, harness_file, words
from change2task.checks.readers.pytest_events import read_events
from change2task.checks.results import Reading

_CHECK = """\
cd "$C2T_WORK" || exit 70
PYTHONPATH=$C2T_PLAN/python${{PYTHONPATH:+:$PYTHONPATH}}
C2T_NONCE={nonce}
C2T_ORDER_SEED={seed}
export PYTHONPATH C2T_NONCE C2T_ORDER_SEED
exec {command}
"""


class PytestReader:
    """Format `pytest`."""

    format = "pytest"

    def plan(self, request: CheckRequest) -> ReaderFiles:
        """The plugin, the selection, and the project's command with the plugin added."""
        seed = request.perturbation.order_seed
        check = _CHECK.format(
            nonce=request.nonce,
            seed="" if seed is None else seed,
            command=words(_with_plugin(request.command)),
        )
        files = {"check.sh": check, "python/c2t_pytest.py": harness_file("c2t_pytest.py")}
        if request.ids is not None:
            files["ids"] = _lines(request.ids)
        if request.scopes is not None:
            files["scopes"] = _lines(request.scopes)
        head = f'{{"c2t":"{request.nonce}","e":'
        marks = Marks(
            running=f'{head}"running"',
            progress=f'{head}"gather"',
            finished=f'{head}"finished"',
            stuck=f'{head}"stuck"',
        )
        return ReaderFiles(files=files, marks=marks)

    def build(self, command: tuple[str, ...]) -> None:
        """Modules are loaded where they are used; there is no building by name."""

    def read(self, results: Path, nonce: str) -> Reading:
        """Every round's events as one result."""
        return read_events(results, nonce)


def _lines(names: tuple[str, ...]) -> str:
    return "".join(json.dumps(to_runner(name)) + "\n" for name in names)


def _with_plugin(command: tuple[str, ...]) -> tuple[str, ...]:
    """The command with our plugin named right after the word that starts pytest."""
    for place, word in enumerate(command):
        before = command[place - 1] if place else ""
        as_module = before == "-m" and word == "pytest"
        as_program = word.rpartition("/")[2] in ("pytest", "py.test") and not before.startswith("-")
        if as_module or as_program:
            return (*command[: place + 1], "-p", "c2t_pytest", *command[place + 1 :])
    raise ValueError(
        f"checks.command {list(command)} does not start pytest: write it as a list with 'pytest', or '-m', 'pytest', "
        "as one of its words, like [python, -m, pytest]"
    )
