"""Whether the tests of a change are still on the base, by name: a promise of targets, before anything is mapped or run.

Nine of ten test functions that old changes touched were found again by their names alone. Where a test lies today is
left to the mapping of ``checks``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cached_property

from change2task.history.models import Role, TouchedTests
from change2task.syntax.languages import language_of
from change2task.vcs.repository import Repository
from change2task.vcs.trees import EXECUTABLE, FILE

_WORD = re.compile(rb"[A-Za-z_]\w*")
_PARTS = re.compile(r"::|\.(?=[A-Za-z_]\w*$)")


class TestsOnBase:
    """The words of all test files of a base, read when the first is asked for."""

    __test__ = False

    def __init__(self, repo: Repository, head: str, role: Callable[[bytes], Role]) -> None:
        """``head``: the base's commit. ``role``: of its files."""
        self._repo = repo
        self._head = head
        self._role = role

    def alive(self, touched: Iterable[TouchedTests]) -> tuple[int, int]:
        """How many of the tests that a change added or altered are on the base by name, and how many they were."""
        names = [name for one in touched for name in (*one.added, *one.altered)]
        return sum(self._is_there(name) for name in names), len(names)

    def _is_there(self, name: str) -> bool:
        last = _PARTS.split(name)[-1].encode()
        if _WORD.fullmatch(last):
            return last in self._words
        title = name.rpartition(" > ")[2].encode()
        return any(title in text for text in self._texts)

    @cached_property
    def _texts(self) -> tuple[bytes, ...]:
        tree = self._repo.tree(self._head)
        wanted = [
            entry.oid
            for path, entry in tree.items()
            if entry.mode in {FILE, EXECUTABLE} and language_of(path) is not None and self._is_test(path)
        ]
        return tuple(self._repo.blobs(wanted))

    def _is_test(self, path: bytes) -> bool:
        return self._role(path) is Role.TESTS or path.endswith(b".rs")

    @cached_property
    def _words(self) -> frozenset[bytes]:
        return frozenset(word for text in self._texts for word in _WORD.findall(text))
