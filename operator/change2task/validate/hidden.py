"""The agent's tree of a proposal, and which checks are hidden in it, beside the hidden ones, or open.

Cutting is ``construct``'s; here stands which functions are cut: targets, observers, and the change's own tests, those
that are not healthy on the base and those that pass without it too. Regression tests of a hidden function cannot be
seen by the agent either.
"""

from __future__ import annotations

from change2task.api.reasons import Reason
from change2task.checks.naming import Split, TestName, split
from change2task.construct.helpers import older_helpers
from change2task.construct.hiding import Hidden, NotHidable, hide
from change2task.construct.orphans import without_orphans
from change2task.construct.traces import without_traces
from change2task.patch.paths import quote, unquote
from change2task.syntax.doubles import has_doubles
from change2task.validate.case import Case
from change2task.validate.heirs import is_heir
from change2task.validate.qualification import Left, Qualification
from change2task.validate.rounds import Selection
from change2task.validate.written import files_of, written
from change2task.vcs.repository import Repository
from change2task.vcs.trees import Entry, Tree

GATE = "hiding"
MOST_HIDDEN = 10_000
"""Hidden regression tests that a task can name."""


def agent_tree(repository: Repository, case: Case, task_tree: str, result: Qualification) -> str:
    """The task tree without what is hidden; notes which files hold it and what else went. Raises Refused.

    Unless ``result.plain``, also without what names the change and without its own tests that pass on the task state;
    how much of that goes is ``result.left``.
    """
    result.own_hidden = frozenset() if result.plain else _own_passing(repository, case, result)
    result.own_coupled = _coupled(repository, case, result.own_hidden)
    try:
        outcome = _hidden(repository, case, task_tree, result)
    except NotHidable as error:
        if not result.own_hidden:
            raise result.refuse(GATE, Reason.TARGETS_NOT_HIDABLE, str(error)) from error
        result.left = Left.ALL
        return agent_tree(repository, case, task_tree, result)
    result.hidden_files = dict(outcome.files)
    entries: dict[bytes, Entry] = dict(repository.tree(outcome.tree))
    trees = case.healthy_tree, task_tree
    for path, content in without_orphans(repository, trees, entries, case.test_files, case.test_paths).items():
        if content is None:
            del entries[path]
        else:
            entries[path] = Entry(entries[path].mode, repository.write_blob(content))
        result.hidden_files.setdefault(quote(path), "helpers cut out that only hidden tests and the change need")
    if result.older_helpers:
        for path, text in older_helpers(repository, (case.before_tree, case.after_tree), entries, case.helpers):
            entries[path] = Entry(entries[path].mode, repository.write_blob(text))
            result.hidden_files.setdefault(quote(path), "a helper without what the change wrote into it")
    tree = repository.write_tree(Tree(entries))
    result.traces, result.traces_left, result.traces_doubtful = {}, {}, frozenset()
    if result.plain:
        return tree
    cleared = without_traces(
        repository,
        tree,
        [trace for trace in case.traces if quote(trace.path) not in result.hidden_files],
        case.change_logs,
        case.names,
        case.documents,
        case.sources | case.test_files,
        careful=result.left is Left.NAMED,
    )
    result.traces, result.traces_left, result.traces_doubtful = cleared.files, cleared.left, cleared.doubtful
    return cleared.tree


def _hidden(repository: Repository, case: Case, task_tree: str, result: Qualification) -> Hidden:
    hidden: dict[str, set[str]] = {}
    named = [case.naming.name(check) for check in _named(result) if check in case.healthy]
    named = [name for name in named if not is_heir(repository, case, name, {other.place for other in named})]
    others = sorted(case.unhealthy_own | result.own_hidden)
    for name in (*named, *(TestName(scope, function, "") for scope, function in others)):
        for path in files_of(repository, task_tree, name, case.naming):
            hidden.setdefault(quote(path), set()).add(name.function)
    names = {path: frozenset(functions) for path, functions in hidden.items()}
    return hide(repository, task_tree, names, _earlier_forms(repository, case, hidden))


def _own_passing(repository: Repository, case: Case, result: Qualification) -> frozenset[tuple[str, str]]:
    """Functions that the change added and that are no target, as far as they are written out and others stay open."""
    named = {case.naming.name(check).place for check in _named(result)}
    found = frozenset(
        place
        for place in case.own_added - named
        if written(repository, case.healthy_tree, TestName(*place, ""), case.naming)
    )
    hidden = split(case.naming, case.healthy, _named(result), found)
    return found if hidden.open and len(hidden.beside) <= MOST_HIDDEN else frozenset()


def _coupled(repository: Repository, case: Case, places: frozenset[tuple[str, str]]) -> frozenset[tuple[str, str]]:
    """Those functions that put doubles in the place of the product's parts."""
    return frozenset(
        place
        for place in places
        for test in written(repository, case.healthy_tree, TestName(*place, ""), case.naming)
        if has_doubles(test.language, test.text)
    )


def regression(case: Case, result: Qualification) -> Split:
    """The healthy checks that are neither target nor observer: cases of hidden functions, and those the agent sees.

    The change's own tests that pass without it guard what it might have broken. Those among them that put doubles into
    the product are left out: what they demand of its inside is told to nobody.
    """
    beside, seen = split(case.naming, case.healthy, _named(result), result.own_hidden)
    return Split(tuple(check for check in beside if case.naming.name(check).place not in result.own_coupled), seen)


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
