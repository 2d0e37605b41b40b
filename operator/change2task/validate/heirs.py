"""Tests that a class inherits: they are written once and run under the name of each heir.

A test of the change that a class of the same file inherits is the change's own there too. It has no lines of its own to
be cut out; with those of its forebear it goes.
"""

from __future__ import annotations

from collections.abc import Collection

from change2task.checks.naming import TestName
from change2task.validate.case import Case
from change2task.validate.written import written
from change2task.vcs.repository import Repository


def is_heir(repository: Repository, case: Case, name: TestName, of: Collection[tuple[str, str]]) -> bool:
    """Whether the test is not written under its own name, but under that of one of these in the same scope."""
    forebears = [
        TestName(scope, function, "")
        for scope, function in of
        if scope == name.scope and function != name.function and _last(function) == _last(name.function)
    ]
    if not forebears or written(repository, case.healthy_tree, name, case.naming):
        return False
    return any(written(repository, case.healthy_tree, one, case.naming) for one in forebears)


def _last(function: str) -> str:
    return function.rpartition("::")[2]
