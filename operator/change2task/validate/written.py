"""Where a test is written: the one place that goes from a check's name to files and units of a tree.

Names come from ids (``checks.naming``), units from ``syntax``. Naming schemes differ in whether an id names a file or
a folder; here both end in files.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from change2task.api.modernbase import Scope
from change2task.checks.naming import Naming, TestName
from change2task.history.files import roles_of
from change2task.history.models import Role
from change2task.patch.paths import quote, unquote
from change2task.syntax.languages import Language, language_of
from change2task.syntax.tests import test_units
from change2task.validate.checkfiles import CheckFiles
from change2task.vcs.repository import Repository
from change2task.vcs.trees import EXECUTABLE, FILE


@dataclass(frozen=True)
class Written:
    """A test as written: its file, and its own lines in it."""

    path: bytes
    language: Language
    source: bytes
    text: bytes
    start: int
    end: int


def files_of(repository: Repository, tree: str, name: TestName, naming: Naming) -> list[bytes]:
    """The files in which a test of this name is written: its own, or those of its folder that hold it."""
    path = unquote(name.scope)
    if repository.entry(tree, path) is not None:
        return [path]
    return [one.path for one in _in_folder(repository, tree, name, naming)]


def files_with_checks(
    repository: Repository, tree: str, scope: Scope, checks: Iterable[str], naming: Naming
) -> frozenset[bytes]:
    """The files that hold these checks as code, but are no tests by their names."""
    roles = roles_of(repository, repository.tree(tree), scope)
    files = CheckFiles(repository, tree, checks, naming)
    return frozenset(path for path in files.named() if roles.role(path) is not Role.TESTS and path in files)


def written(repository: Repository, tree: str, name: TestName, naming: Naming) -> list[Written]:
    """The units of this name in the files of its scope; none for a test that is inherited or generated."""
    path = unquote(name.scope)
    if repository.entry(tree, path) is not None:
        return _in_file(repository, tree, path, name.function)
    return _in_folder(repository, tree, name, naming)


def _in_folder(repository: Repository, tree: str, name: TestName, naming: Naming) -> list[Written]:
    found: list[Written] = []
    for path in repository.tree(tree):
        if naming.scope_of(quote(path)) == name.scope:
            found += _in_file(repository, tree, path, name.function)
    return found


def _in_file(repository: Repository, tree: str, path: bytes, function: str) -> list[Written]:
    entry = repository.entry(tree, path)
    if entry is None or entry.mode not in {FILE, EXECUTABLE}:
        return []
    source = repository.blob(entry.oid)
    language = language_of(path, source[:256])
    if language is None:
        return []
    spans = [unit.unit.span for unit in test_units(language, path, source) if unit.name == function]
    return [Written(path, language, source, source[span.start : span.end], span.start, span.end) for span in spans[:1]]
