"""What a check id says of where a test lives and what it is called; the only place that takes ids apart.

Ids are byte-exact and opaque everywhere else. Each result format has its own form: pytest names a file and a
qualified function, Go a package folder and a test, all others a file and the test's name as ``syntax`` gives it; titles
are free text, so that no sign in them begins a case. Finding tests in sources is left to ``syntax``.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable
from typing import NamedTuple


class TestName(NamedTuple):
    """An id taken apart: where it lives, its function, and the case of it."""

    scope: str
    function: str
    case: str

    @property
    def place(self) -> tuple[str, str]:
        """The function, whatever its cases."""
        return (self.scope, self.function)


class Naming:
    """Ids of one result format."""

    def __init__(self, *, by_folder: bool, case_marks: dict[str, str]) -> None:
        """``case_marks``: by the scope's extension (empty: any), the characters any of which begins a case."""
        self._by_folder = by_folder
        self._case_marks = case_marks

    def name(self, check: str) -> TestName:
        """The parts of an id; an id without ``::`` is a function of no scope."""
        scope, mark, rest = check.partition("::")
        if not mark:
            scope, rest = "", check
        marks = self._case_marks.get(scope.rpartition(".")[2], self._case_marks.get("", ""))
        end = min((place for mark in marks if (place := rest.find(mark)) >= 0), default=len(rest))
        return TestName(scope, rest[:end], rest[end:])

    def scope_of(self, path: str) -> str:
        """The scope under which tests of the file at this quoted path are named."""
        return posixpath.dirname(path) or "." if self._by_folder else path


class Split(NamedTuple):
    """Tests by what an agent can see of them: those of hidden functions, and the others; both sorted."""

    beside: tuple[str, ...]
    open: tuple[str, ...]


def split(
    naming: Naming, tests: Iterable[str], hidden: Iterable[str], functions: Iterable[tuple[str, str]] = ()
) -> Split:
    """Sort ``tests`` that are not ``hidden`` themselves: cases of a hidden function are as invisible as it is.

    ``functions``: further hidden ones, as (scope, function).
    """
    named = frozenset(hidden)
    places = {naming.name(check).place for check in named}.union(functions)
    others = sorted(frozenset(tests) - named)
    beside = tuple(check for check in others if naming.name(check).place in places)
    return Split(beside, tuple(check for check in others if naming.name(check).place not in places))


_PYTEST = Naming(by_folder=False, case_marks={"": "["})
_GO = Naming(by_folder=True, case_marks={"": "/"})
_FILE = Naming(by_folder=False, case_marks={"py": "[", **dict.fromkeys(("java", "kt", "groovy"), "([{")})


def naming(check_format: str) -> Naming:
    """The naming of a result format."""
    return {"go": _GO, "pytest": _PYTEST, "unittest": _PYTEST}.get(check_format, _FILE)
