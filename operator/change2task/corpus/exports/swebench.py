"""Rows in the shape of SWE-bench (its harness' 5.x), and logs that its own grading functions read.

``base_commit`` is the root commit of the agent's tree, which no upstream repository holds. SWE-bench's parsers cut ids
at blanks and control characters, so an id that would not survive stands percent-encoded, in the row and in logs alike.
Tasks whose answer is tests, and those with checks that are no tests, have no such shape and are left out by name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final

from change2task.api.taskvariant import TaskVariant
from change2task.checks.plan import quote, words
from change2task.corpus.asked import named_tests, whole_regression
from change2task.corpus.exports.environment import ROOT
from change2task.corpus.exports.roots import root_commit
from change2task.corpus.exports.rows import moment
from change2task.corpus.exports.statement import problem_statement
from change2task.corpus.exports.task import ExportTask, NotExportable
from change2task.corpus.verdicts import Grade

FILE: Final = "swe-bench.jsonl"
PARSER: Final = "parse_log_pytest_v2"
START, END = ">>>>> Start Test Output", ">>>>> End Test Output"
_CUT: Final = re.compile(r" - |\[\d+m")
_PLUGIN: Final = '''\
"""Prints what the runner knows of each test, one line each, in the way ids stand in the task's row."""
import re

_worst = {}

def _encoded(sign):
    if sign.isprintable() and sign not in " %[":
        return sign
    return "".join("%%%02X" % byte for byte in sign.encode("utf-8", "surrogatepass"))

def _wire(text):
    plain = text.isprintable() and " ".join(text.split()) == text and not re.search(r" - |\\[\\d+m", text)
    return text if plain else "".join(_encoded(sign) for sign in text)

def pytest_runtest_logreport(report):
    said = "FAILED" if report.failed else "SKIPPED" if report.skipped else "PASSED"
    order = ["PASSED", "SKIPPED", "FAILED"]
    before = _worst.get(report.nodeid, "PASSED")
    _worst[report.nodeid] = max(before, said, key=order.index)

def pytest_unconfigure(config):
    print()
    for name, said in sorted(_worst.items()):
        print(said, _wire(name))
'''


def wire(identity: str) -> str:
    """An id as it stands in rows and logs: as it is where the parser keeps it whole, else percent-encoded."""
    if identity.isprintable() and " ".join(identity.split()) == identity and not _CUT.search(identity):
        return identity
    return "".join(
        sign
        if sign.isprintable() and sign not in " %["
        else "".join(f"%{byte:02X}" for byte in sign.encode("utf-8", "surrogatepass"))
        for sign in identity
    )


def swebench_row(task: ExportTask, overlaps: tuple[str, ...]) -> dict[str, Any]:
    """One row. Raises NotExportable."""
    targets, regression = _tests(task.variant, task.regression)
    if task.recipe.format != "pytest":
        raise NotExportable(f"results of {task.recipe.format} are not read from a log that SWE-bench's parsers know")
    try:
        solution, hidden = task.solution.decode(), task.hidden.decode()
    except UnicodeDecodeError as error:
        raise NotExportable("its patches are not UTF-8, which rows of text cannot hold") from error
    spec = task.variant.spec
    commit = root_commit(spec.trees.agent, task.committed)
    owner, _, name = task.repository.partition("/")
    return {
        "instance_id": f"{owner}__{name}-{task.id}",
        "repo": task.repository,
        "version": spec.base.commit[:12],
        "base_commit": commit,
        "environment_setup_commit": commit,
        "patch": solution,
        "test_patch": hidden,
        "problem_statement": problem_statement(task.variant),
        "hints_text": "",
        "created_at": moment(task.changed),
        "FAIL_TO_PASS": [wire(one) for one in targets],
        "PASS_TO_PASS": [wire(one) for one in regression],
        "image": task.images.environment or f"change2task/{task.id}:latest",
        "log_parser": PARSER,
        "eval_type": "pass_and_fail",
        "eval_script": eval_script(task, commit),
        "change2task": {
            "task": task.id,
            "candidate": task.name,
            "family": spec.family.value,
            "level": spec.level,
            "strategy": spec.strategy,
            "fidelity": round(spec.fidelity.score, 6),
            "healthy_commit": spec.base.commit,
            "source_commit": spec.source_change.commit,
            "image_is_pushed": task.images.environment is not None,
            "encoded_ids": sum(wire(one) != one for one in (*targets, *regression)),
            "overlaps": list(overlaps),
        },
    }


def eval_script(task: ExportTask, commit: str) -> str:
    """What SWE-bench's harness runs in the agent's image once an answer is applied: hidden checks go back in first."""
    hidden = sorted(task.variant.spec.checks.hidden_files)
    targets, regression = _tests(task.variant, task.regression)
    files = sorted({one.partition("::")[0] for one in (*targets, *regression)})
    known = [path for path in {*hidden, *files} if path.encode() in task.agent]
    back = f"git checkout -q {commit} -- {words(tuple(sorted(known)))}" if known else ":"
    env = "".join(f"export {name}={quote(value)}\n" for name, value in sorted(task.recipe.env.items()))
    return (
        f"cd {ROOT}/work\n{env}{back}\n"
        + _heredoc("git apply --whitespace=nowarn -", "C2T_HIDDEN", task.hidden.decode())
        + _heredoc("mkdir -p /tmp/c2t && cat >/tmp/c2t/c2t_lines.py", "C2T_PLUGIN", _PLUGIN)
        + "".join(f"{step}\n" for step in task.recipe.rebuild)
        + f": '{START}'\n"
        + f"PYTHONPATH=/tmp/c2t {words(_with_plugin(task.recipe.command))} {words(tuple(files))}\n"
        + f": '{END}'\n"
    )


def log_of(grade: Grade, variant: TaskVariant, regression: tuple[str, ...]) -> str:
    """A grade of ours as a log that SWE-bench's grading functions read. Raises NotExportable."""
    targets, others = _tests(variant, regression)
    lines = [_line(grade, one) for one in (*targets, *others)]
    return "\n".join([f"+ : '{START}'", *lines, f"+ : '{END}'", ""])


def _line(grade: Grade, identity: str) -> str:
    outcome = grade.outcomes.get(identity, "passed")
    # A check that decided nothing has no outcome; what was forged or said nothing at all has no pass either.
    told = "PASSED" if outcome == "passed" and not (grade.no_verdict and not grade.solved) else "FAILED"
    return f"{told} {wire(identity)}"


def _tests(variant: TaskVariant, regression: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    spec = variant.spec
    if spec.output.output != "patch":
        raise NotExportable("its answer is tests, which SWE-bench's rows cannot ask for")
    others = [check.id for check in (*spec.checks.targets, *spec.checks.regression) if check.kind != "test"]
    if others:
        raise NotExportable(f"it has checks that are no tests, such as {others[0]}")
    targets = tuple(sorted(named_tests(variant)))
    whole = tuple(sorted(whole_regression(variant, regression)))
    _distinct((*targets, *whole))
    return targets, whole


def _distinct(identities: Iterable[str]) -> None:
    seen: dict[str, str] = {}
    for one in identities:
        other = seen.setdefault(wire(one), one)
        if other != one:
            raise NotExportable(f"the ids {one!r} and {other!r} cannot be told apart in a log")


def _with_plugin(command: tuple[str, ...]) -> tuple[str, ...]:
    place = next(number for number, word in enumerate(command) if word.rpartition("/")[2] in {"pytest", "py.test"})
    extra = ("-p", "c2t_lines", "-p", "no:cacheprovider", "--color=no", "-q")
    return (*command[: place + 1], *extra, *command[place + 1 :])


def _heredoc(command: str, mark: str, text: str) -> str:
    while f"\n{mark}\n" in f"\n{text}\n":
        mark += "_"
    end = "" if text.endswith("\n") or not text else "\n"
    return f"{command} <<'{mark}'\n{text}{end}{mark}\n" if text else ""
