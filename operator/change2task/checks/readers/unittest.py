"""unittest and Django's runner, through a witness around the project's own command.

The command is any that ends in unittest's TextTestRunner: `python -m unittest`, `python manage.py test`, a script.
The witness starts it in its own process, prunes and shuffles the suite that the runner is handed, and hears each call
of the runner's result object. Ids are the file of the test's class, `::`, class and method; a sub-test that fails
fails its test.

What is caught. Two planted tests run through the same runner; one must pass, one must fail. Events are counted. A
test whose result nobody reported is an error; what began and never ended crashed or hung, and the rest runs in
another round.

What is not caught. Tests run in the witness' process, as under pytest: code that looks for it can call it. A runner
that is not a TextTestRunner (nose2, a results server) is named as such: no verdict. Django's `--parallel` runs, but
neither `ids` nor an order reach into its processes' partitions beyond what is pruned. A module whose import ends the
process is not told from a broken runner.
"""

from __future__ import annotations

import json
import posixpath
from pathlib import Path

from change2task.checks.ids import to_runner
from change2task.checks.plan import CheckRequest, ReaderFiles, harness_file, words
from change2task.checks.readers.witness import marks, read_events
from change2task.checks.results import Reading

_CHECK = """\
cd "$C2T_WORK" || exit 70
C2T_NONCE={nonce}
C2T_ORDER_SEED={seed}
export C2T_NONCE C2T_ORDER_SEED
exec {before} "$C2T_PLAN/python/c2t_unittest.py" {after}
"""
_VALUED = frozenset({"-W", "-X", "--check-hash-based-pycs"})


class UnittestReader:
    """Format `unittest`."""

    format = "unittest"

    def plan(self, request: CheckRequest) -> ReaderFiles:
        """The witness, the selection, and the project's command behind it."""
        before, after = _split(request.command)
        seed = request.perturbation.order_seed
        check = _CHECK.format(
            nonce=request.nonce, seed="" if seed is None else seed, before=words(before), after=words(after)
        )
        files = {"check.sh": check, "python/c2t_unittest.py": harness_file("c2t_unittest.py")}
        for name, chosen in (("ids", request.ids), ("scopes", request.scopes)):
            if chosen is not None:
                files[name] = "".join(json.dumps(to_runner(one)) + "\n" for one in chosen)
        return ReaderFiles(files=files, marks=marks(request))

    def build(self, command: tuple[str, ...]) -> None:
        """Modules are loaded where they are used; there is no building by name."""

    def read(self, results: Path, nonce: str) -> Reading:
        """Every round's events as one result."""
        return read_events(results, nonce)


def _split(command: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The interpreter with its options, and what it runs."""
    for place, word in enumerate(command):
        if not posixpath.basename(word).startswith(("python", "pypy")):
            continue
        end = place + 1
        while end < len(command) and command[end].startswith("-") and command[end] not in ("-m", "-c", "-"):
            end += 2 if command[end] in _VALUED else 1
        if end < len(command) and command[end] not in ("-c", "-"):
            return command[:end], command[end:]
    raise ValueError(
        f"checks.command {list(command)} does not start Python on a module or script: write it as a list like"
        " [python, -m, unittest] or [python, manage.py, test]"
    )
