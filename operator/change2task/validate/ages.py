"""How old the cases of the change's own tests are: a case that later work added is later work's.

A function that the change altered is its test, with every case that the function has today. Among them may be one of
a later change, written into the same list: where it fails on the task state, that later change has been undone too. It
says something of this change only if the test cannot do without a name that the change coined.
"""

from __future__ import annotations

from collections.abc import Iterable

from change2task.checks.naming import TestName
from change2task.construct.standing import standing
from change2task.patch.paths import unquote
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
