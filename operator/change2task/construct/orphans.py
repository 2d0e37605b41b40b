"""Helpers beside the tests that use what the change brings and that nobody needs who stays.

Go's ``export_test.go``, or a module of fixtures, may open the change's own names to its tests. Once the change is
undone such a file no longer loads, and every test beside it goes down with it; so its definitions go with the hidden
tests they were written for. What a staying test uses is never taken: that test misses the change, and the gates must
say so. Of fixtures a name in a string is a use too (``usefixtures("db")``), and they may go by another name than their
function's.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Mapping

from change2task.construct.standing import words_of
from change2task.patch.paths import quote
from change2task.syntax.cut import CutError, cut_units
from change2task.syntax.emptied import is_empty
from change2task.syntax.helpers import is_hook
from change2task.syntax.languages import Language, language_of
from change2task.syntax.references import listed_names
from change2task.syntax.symbols import names_defined, names_used
from change2task.syntax.tests import test_units
from change2task.syntax.trees import Span
from change2task.syntax.units import Unit, units
from change2task.vcs.repository import Repository
from change2task.vcs.trees import EXECUTABLE, FILE, Entry

_DEFINITION = re.compile(rb"^\s*(?:async\s+def|def|class)\b", re.MULTILINE)
_SETTINGS = frozenset({b"pytest.ini", b".pytest.ini", b"pytest.toml", b"pyproject.toml", b"tox.ini", b"setup.cfg"})
_NAMED = re.compile(rb"""\bname\s*=\s*(?:(["'])(?P<name>\w+)\1)?""")


def without_orphans(
    repository: Repository,
    trees: tuple[str, str],
    entries: Mapping[bytes, Entry],
    tests: Collection[str],
    stood_before: Collection[str],
) -> dict[bytes, bytes | None]:
    """New contents of test files of ``entries``, None for a file that goes.

    ``trees``: healthy base and task state. ``tests``: quoted paths of all test files; ``stood_before``: those files
    that the change found, which stay even when nothing is left in them.
    """
    brought = _brought(repository, *trees)
    if not brought:
        return {}
    files = _Files(repository, entries, tests)
    found: dict[bytes, bytes | None] = {}
    for path, (language, content) in sorted(files.read.items()):
        own = brought.get(language, frozenset())
        if not any(name.encode() in content for name in own) or not names_used(language, content) & own:
            continue
        doomed = _unneeded(path, language, content, own, files)
        if not doomed:
            continue
        try:
            left = cut_units(language, path, content, doomed)
        except CutError:
            continue
        gone = is_empty(language, left) and quote(path) not in stood_before
        found[path] = None if gone else left
    return found


class _Files:
    """The test files of a tree in languages that are parsed; one is parsed only where it may use a name asked for."""

    def __init__(self, repository: Repository, entries: Mapping[bytes, Entry], tests: Collection[str]) -> None:
        self.read: dict[bytes, tuple[Language, bytes]] = {}
        self._asked_for_all: set[str] = set()
        for path, entry in entries.items():
            if path.rpartition(b"/")[2] in _SETTINGS and entry.mode in {FILE, EXECUTABLE}:
                settings = repository.blob(entry.oid)
                self._asked_for_all |= words_of(settings) if b"usefixtures" in settings else set()
            if entry.mode not in {FILE, EXECUTABLE} or quote(path) not in tests or language_of(path) is None:
                continue
            content = repository.blob(entry.oid)
            language = language_of(path, content[:256])
            if language is None:
                continue
            self.read[path] = language, content

    def use(self, name: str, language: Language, but: bytes) -> bool:
        """Whether any other file of the language uses the name, in code or as a string, or settings ask for it."""
        word = name.encode()
        return name in self._asked_for_all or any(
            word in content and name in _names_asked(language, content)
            for path, (other, content) in self.read.items()
            if other is language and path != but
        )


def _brought(repository: Repository, healthy: str, task: str) -> dict[Language, frozenset[str]]:
    """Names that the restoration defines and the task state's versions of the same files do not."""
    had: defaultdict[Language, set[str]] = defaultdict(set)
    has: defaultdict[Language, set[str]] = defaultdict(set)
    for change in repository.changed_paths(task, healthy):
        for tree, names in ((task, had), (healthy, has)):
            entry = repository.entry(tree, change.path)
            if entry is None or entry.mode not in {FILE, EXECUTABLE}:
                continue
            content = repository.blob(entry.oid)
            language = language_of(change.path, content[:256])
            if language is not None:
                names[language] |= names_defined(language, content)
    return {language: frozenset(names - had[language]) for language, names in has.items() if names - had[language]}


def _unneeded(
    path: bytes, language: Language, content: bytes, brought: frozenset[str], files: _Files
) -> frozenset[str]:
    """Keys of the definitions that use what is brought, and that neither this file nor another needs besides."""
    tests = [test.unit.span for test in test_units(language, path, content)]
    tops = [unit for unit in units(language, content) if unit.top and unit.parent is None and not is_hook(unit.short)]

    def holds_test(unit: Unit) -> bool:
        return any(unit.span.start <= test.start and test.end <= unit.span.end for test in tests)

    def text(unit: Unit) -> bytes:
        return content[unit.span.start : unit.span.end]

    suspects = [
        (unit, names)
        for unit in tops
        if not holds_test(unit)
        and names_used(language, text(unit)) & brought
        and (names := _goes_by(language, unit, text(unit))) is not None
        and not any(files.use(name, language, path) for name in names)
    ]
    # Names bound together share a span, and go together or not at all.
    suspected = {unit for unit, _ in suspects}
    shared = {unit.span for unit in tops if unit not in suspected}
    while True:
        suspects = [(unit, names) for unit, names in suspects if unit.span not in shared]
        staying = _names_asked(language, _without(content, {unit.span for unit, _ in suspects}))
        needed = {unit.span for unit, names in suspects if names & staying}
        if not needed:
            return frozenset(unit.key for unit, _ in suspects)
        shared |= needed


def _without(content: bytes, spans: Collection[Span]) -> bytes:
    for span in sorted(spans, key=lambda one: one.start, reverse=True):
        content = content[: span.start] + content[span.end :]
    return content


def _names_asked(language: Language, content: bytes) -> frozenset[str]:
    names = names_used(language, content)
    return names | listed_names(language, content) if language is Language.PYTHON else names


def _goes_by(language: Language, unit: Unit, text: bytes) -> frozenset[str] | None:
    """The names under which a definition may be asked for; None where nobody has to ask, or the name is not written."""
    if language is not Language.PYTHON:
        return frozenset({unit.short})
    definition = _DEFINITION.search(text)
    head = text[: definition.start()] if definition else text
    if b"autouse" in text:
        return None
    given = [found["name"] for found in _NAMED.finditer(head)] if definition or b"fixture" in head else []
    if None in given:
        return None
    return frozenset({unit.short, *(name.decode("utf-8", "backslashreplace") for name in given)})
