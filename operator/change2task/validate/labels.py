"""Which labels an accepted proposal bears; each is decided here as ``api.labels`` defines it, and refuses nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator

from change2task.api.labels import Label
from change2task.api.taskvariant import Statement
from change2task.syntax.doubles import has_doubles
from change2task.syntax.pinned import pinned_numbers
from change2task.validate.case import Case
from change2task.validate.qualification import Qualification
from change2task.validate.written import Written, written
from change2task.vcs.repository import Repository

_MOST_FILES = 20
_MOST_LINES = 1000


def labels_of(repository: Repository, case: Case, result: Qualification) -> tuple[Label, ...]:
    """The labels in the order of their list; nothing is run."""
    statement = result.statement or case.statement
    static = {check.id for check in case.beside if check.kind == "static"}
    tests = tuple(_graded_tests(repository, case, result)) if case.answers_to_hidden_checks else ()
    profile = case.source_profile
    borne = {
        Label.STATIC_ORACLE: not static.isdisjoint(result.targets),
        Label.DOUBLES_IN_TARGETS: any(has_doubles(test.language, test.text) for test in tests),
        Label.EXACT_VALUE: any(_untold(test, statement) for test in tests),
        Label.EXACT_MESSAGE: any(" " in one.name for one in statement.interface),
        Label.TITLE_ONLY_STATEMENT: not statement.body.strip(),
        Label.ANSWER_IN_STATEMENT: bool(result.shared),
        Label.RELEASE_SIZED: profile.files > _MOST_FILES or profile.lines > _MOST_LINES,
        Label.TRACES_LEFT: bool(result.stays),
    }
    return tuple(label for label in Label if borne[label])


def _graded_tests(repository: Repository, case: Case, result: Qualification) -> Iterator[Written]:
    beside = {check.id for check in case.beside}
    names = {case.naming.name(check) for check in (*result.targets, *result.observers) if check not in beside}
    seen: set[tuple[str, str]] = set()
    for name in sorted(names):
        if name.place not in seen:
            seen.add(name.place)
            yield from written(repository, case.healthy_tree, name, case.naming)


def _untold(test: Written, statement: Statement) -> bool:
    words = frozenset(re.findall(r"[0-9][\w.]*\b", f"{statement.title}\n{statement.body}"))
    return not pinned_numbers(test.language, test.text) <= words
