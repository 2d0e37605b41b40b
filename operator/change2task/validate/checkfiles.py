"""Which files of a base hold a task's checks, whatever part their names would give them.

Roles are read from names, and a runner may find tests under any name (``python_files = check_*.py``). Such a file
decides over answers, so no answer and no task patch may write it. Whether a check stands in a file as code is asked of
the file itself: a doctest is named by a source file and leaves it source.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from change2task.checks.naming import Naming
from change2task.patch.paths import quote, unquote
from change2task.syntax.definitions import UnitKind
from change2task.syntax.languages import Language, language_of
from change2task.syntax.tests import test_units
from change2task.syntax.units import units
from change2task.vcs.repository import Repository
from change2task.vcs.trees import EXECUTABLE, FILE


class CheckFiles:
    """The files of ``tree`` that hold any of the ``checks``, given by id; a file is read only when it is asked for."""

    def __init__(self, repository: Repository, tree: str, checks: Iterable[str], naming: Naming) -> None:
        self._repository, self._tree, self._naming = repository, tree, naming
        self._functions: defaultdict[str, set[str]] = defaultdict(set)
        for name in map(naming.name, checks):
            self._functions[name.scope].add(name.function)
        self._held: dict[bytes, bool] = {}

    def __contains__(self, path: object) -> bool:
        if not isinstance(path, bytes):
            return False
        if path not in self._held:
            self._held[path] = self._holds(path)
        return self._held[path]

    def below(self, folder: bytes) -> bool:
        """Whether any of them lies in this folder or deeper; naming by folder, where names have no files, says no."""
        start = folder + b"/" if folder else b""
        return any(path in self for path in self.named() if path.startswith(start))

    def named(self) -> Iterator[bytes]:
        """The paths that ids name, which may or may not be files that hold them."""
        yield from map(unquote, self._functions)

    def _holds(self, path: bytes) -> bool:
        functions = self._functions.get(self._naming.scope_of(quote(path)))
        entry = self._repository.entry(self._tree, path) if functions else None
        if not functions or entry is None or entry.mode not in {FILE, EXECUTABLE}:
            return False
        source = self._repository.blob(entry.oid)
        language = language_of(path, source[:256])
        if language is None:
            return False
        if any(unit.name in functions for unit in test_units(language, path, source)):
            return True
        return language is Language.PYTHON and _inherits(source, functions)


def _inherits(source: bytes, functions: Iterable[str]) -> bool:
    """Whether the class of a check stands in the file, whose method may be written elsewhere."""
    classes = {owner.replace("::", ".") for name in functions if (owner := name.rpartition("::")[0])}
    return any(unit.kind is UnitKind.CLASS and unit.name in classes for unit in units(Language.PYTHON, source))
