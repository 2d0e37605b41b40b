"""The agent's tree of a proposal, and which checks are hidden in it, beside the hidden ones, or open.

Cutting is ``construct.hiding``'s; here stands which functions are cut: targets, observers, and the change's own tests
that are not healthy on the base. Regression tests of a hidden function cannot be seen by the agent either.
"""

from __future__ import annotations

from change2task.api.reasons import Reason
from change2task.checks.naming import Split, TestName, split
from change2task.construct.hiding import NotHidable, hide
from change2task.patch.paths import quote, unquote
from change2task.validate.case import Case
from change2task.validate.qualification import Qualification
from change2task.validate.rounds import Selection
from change2task.validate.written import files_of
from change2task.vcs.repository import Repository

GATE = "hiding"


def agent_tree(repository: Repository, case: Case, task_tree: str, result: Qualification) -> str:
    """The task tree without what is hidden; notes which files hold it. Raises Refused."""
    hidden: dict[str, set[str]] = {}
    named = [case.naming.name(check) for check in _named(result) if check in case.healthy]
    for name in (*named, *(TestName(scope, function, "") for scope, function in case.unhealthy_own)):
        for path in files_of(repository, task_tree, name, case.naming):
            hidden.setdefault(quote(path), set()).add(name.function)
    names = {path: frozenset(functions) for path, functions in hidden.items()}
    try:
        outcome = hide(repository, task_tree, names, _earlier_forms(repository, case, hidden))
    except NotHidable as error:
        raise result.refuse(GATE, Reason.TARGETS_NOT_HIDABLE, str(error)) from error
    result.hidden_files = outcome.files
    return outcome.tree


def regression(case: Case, result: Qualification) -> Split:
    """The healthy checks that are neither target nor observer: cases of hidden functions, and those the agent sees."""
    return split(case.naming, case.healthy, _named(result))


def selection(case: Case, result: Qualification) -> Selection:
    """What is run on the tree with the hidden checks, and what on the tree without them."""
    run = (*_named(result), *result.hidden_regression)
    return Selection(hidden=tuple(sorted(check for check in run if check in case.healthy)), open=result.regression)


def _named(result: Qualification) -> tuple[str, ...]:
    return (*result.targets, *result.observers)


def _earlier_forms(repository: Repository, case: Case, hidden: dict[str, set[str]]) -> dict[str, str | None]:
    forms: dict[str, str | None] = {}
    for path in hidden:
        earlier = case.test_paths.get(path)
        entry = None if earlier is None else repository.entry(case.before_tree, unquote(earlier))
        forms[path] = None if entry is None else entry.oid
    return forms
