"""How old the cases of the change's own tests are: a case that later work added is later work's.

A function that the change altered is its test, with every case that the function has today. Among them may be one of
a later change, written into the same list: where it fails on the task state, that later change may have been undone
too. It says something of this change if the test cannot do without a name that the change coined, or if nothing but
lines that the change itself wrote is undone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from change2task.checks.naming import TestName
from change2task.construct.standing import standing
from change2task.patch.paths import unquote
from change2task.patch.unified import parse_patch
from change2task.syntax.languages import Language, language_of
from change2task.syntax.python_cases import written_cases
from change2task.syntax.symbols import names_used
from change2task.validate.case import Case
from change2task.validate.lifecycle import Demand
from change2task.validate.written import written
from change2task.vcs.repository import Repository
from change2task.vcs.trees import EXECUTABLE, FILE


def of_later_work(repository: Repository, case: Case, checks: Iterable[str]) -> tuple[str, ...]:
    """Those of some mapped checks that are cases younger than the change and that need none of its names.

    The paper takes every case of a mapped test for a target, and its profile is left as the paper has it.
    """
    if case.demand is Demand.ALL:
        return ()
    then = {(t.scope, t.function): (t.historical.path, t.historical.function) for t in case.tests.mapped}
    found: list[str] = []
    for check in checks:
        name = case.naming.name(check)
        if not name.case or name.place not in then:
            continue
        now = _cases(repository, case.healthy_tree, name.scope, name.function)
        earlier = _cases(repository, case.after_tree, *then[name.place])
        if earlier and name.case in now and now[name.case] not in set(earlier.values()):
            found.append(check)
    if not found:
        return ()
    coined = case.introduced - standing(repository, case.before_tree, case.introduced)
    return tuple(c for c in found if not _names(repository, case, case.naming.name(c)) & coined)


def undoes_no_more(repository: Repository, case: Case, task_tree: str) -> bool:
    """Whether the task state takes away no line but the change's own, and brings back none that it did not take away.

    Lines are compared without the blanks around them, and counted.
    """
    brought, taken = _changed(repository, case.before_tree, case.after_tree)
    back, gone = _changed(repository, case.healthy_tree, task_tree)
    return gone <= brought and back <= taken


def _changed(repository: Repository, old: str, new: str) -> tuple[Counter[bytes], Counter[bytes]]:
    """The lines that the way from one tree to the other adds, and those it removes."""
    added: Counter[bytes] = Counter()
    removed: Counter[bytes] = Counter()
    for file in parse_patch(repository.diff(old, new)).files:
        for hunk in file.hunks:
            for line in hunk.lines:
                if (text := line.text.strip()) and line.kind != " ":
                    (added if line.kind == "+" else removed)[text] += 1
    return added, removed


def _cases(repository: Repository, tree: str, path: str, function: str) -> dict[str, str]:
    entry = repository.entry(tree, unquote(path))
    if entry is None or entry.mode not in {FILE, EXECUTABLE}:
        return {}
    source = repository.blob(entry.oid)
    return written_cases(source, function) if language_of(unquote(path), source[:256]) is Language.PYTHON else {}


def _names(repository: Repository, case: Case, name: TestName) -> frozenset[str]:
    return frozenset(
        word
        for test in written(repository, case.healthy_tree, name, case.naming)
        for word in names_used(test.language, test.text)
    )
