"""Checks that are read rather than run: static oracles over a git tree, and where a test's source lies.

A behaviour suite gives full marks to an untouched repository, so a migration needs an oracle that looks at the
code (notes on SWE Refactor Bench). What an oracle says of files is left to ``families.static``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from change2task.api.taskcandidate import CheckSpec
from change2task.checks.naming import Naming, TestName
from change2task.families.static import static_check
from change2task.history.globs import matches
from change2task.patch.paths import quote, unquote
from change2task.syntax.languages import language_of
from change2task.syntax.tests import test_units
from change2task.vcs.repository import Repository
from change2task.vcs.trees import EXECUTABLE, FILE


def outcomes(repository: Repository, checks: Sequence[CheckSpec]) -> Callable[[str], Mapping[str, str]]:
    """A function from a git tree to the outcome of each static check on it."""
    oracles = {check.id: check.static for check in checks if check.static is not None}

    def read(tree: str) -> Mapping[str, str]:
        if not oracles:
            return {}
        globs = [glob for oracle in oracles.values() for glob in oracle.paths]
        files = {
            path: repository.blob(entry.oid)
            for path, entry in repository.tree(tree).items()
            if entry.mode in {FILE, EXECUTABLE} and (not globs or matches(path, globs))
        }
        return {check: static_check(oracle, files).outcome for check, oracle in oracles.items()}

    return read


def files_of(repository: Repository, tree: str, name: TestName, naming: Naming) -> list[bytes]:
    """The files in which a test of this name is written: its own, or those of its folder that hold it."""
    path = unquote(name.scope)
    if repository.entry(tree, path) is not None:
        return [path]
    found = []
    for other, entry in repository.tree(tree).items():
        if naming.scope_of(quote(other)) != name.scope:
            continue
        language = language_of(other)
        if language is None:
            continue
        if any(unit.name == name.function for unit in test_units(language, other, repository.blob(entry.oid))):
            found.append(other)
    return found
