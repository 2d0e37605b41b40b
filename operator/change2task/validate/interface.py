"""Interface gate: what the hidden checks call must be told to whoever is to write it.

A task whose checks import ``slugify`` can be solved by nobody who is not told that name. Whatever the restoration
brings (definitions, parameters, members, modules, and strings that name something: options, keys, variables) and the
hidden checks use is told beside the statement, with its file: that a word stands in it, or somewhere else in the tree,
tells nobody that it names something there. So are texts of several words, such as messages, that it brings and they
compare. Where the change itself says nothing of substance, names alone make no task: it is refused.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from change2task.api.reasons import Reason
from change2task.api.taskvariant import InterfaceName, Statement
from change2task.construct.standing import words_of
from change2task.patch.paths import quote, unquote
from change2task.syntax.languages import Language, language_of
from change2task.syntax.members import assigned_members
from change2task.syntax.strings import strings
from change2task.syntax.symbols import names_used
from change2task.syntax.tokens import Token, docstring_spans, tokens
from change2task.syntax.units import Unit, units
from change2task.validate.lifecycle import name_some
from change2task.validate.verdict import Verdict, passed, refused
from change2task.vcs.repository import Repository
from change2task.vcs.trees import EXECUTABLE, FILE

GATE = "interface"
_DOTTED = re.compile(rb"[A-Za-z_][\w.]*", re.ASCII)
_NAMING = re.compile(r"-{0,2}[A-Za-z_][\w-]{2,39}", re.ASCII)
"""A string that names something: an option, a key, a variable."""
_LEAST_TEXT = 12
"""Characters of a text of several words below which that it stands on both sides may be chance."""
_LONGEST_TEXT = 300
_RUN = 4
"""Words in a row."""
_OWN_WORDS = frozenset({"title", "intent"})


def untold(
    repository: Repository, trees: tuple[str, str], hidden_files: Iterable[str], scripts: Iterable[str]
) -> tuple[InterfaceName, ...]:
    """What hidden checks use and the restoration brings.

    ``trees``: healthy base and task state, as git ids. ``hidden_files``: quoted paths of files with hidden checks;
    ``scripts``: the texts of script checks.
    """
    healthy, task = trees
    names: set[str] = set()
    strings: set[str] = set()
    keywords: set[str] = set()
    texts: set[str] = set()
    for path in map(unquote, hidden_files):
        source = _Source(path, _content(repository, task, path))
        names |= source.words()
        strings |= source.naming_strings()
        keywords |= source.keywords()
        texts |= source.texts().keys()
    for text in scripts:
        words = words_of(text.encode())
        names, strings, keywords = names | words, strings | words, keywords | words
    found: dict[tuple[str, str], InterfaceName] = {}
    for change in repository.changed_paths(task, healthy):
        before = _Source(change.path, _content(repository, task, change.path))
        after = _Source(change.path, _content(repository, healthy, change.path))
        for name in (
            *(unit for unit in after.brought(before) if unit.rpartition(".")[2] in names),
            *sorted(after.added_words(before) & keywords),
            *sorted((after.naming_strings() - before.naming_strings()) & strings),
        ):
            found.setdefault((quote(change.path), name.rpartition(".")[2]), _named(change.path, name))
        known = before.texts()
        for part, whole in sorted(after.texts().items()):
            if part not in known and any(_shared(part, compared) for compared in texts):
                found.setdefault((quote(change.path), whole), _named(change.path, whole))
    return tuple(found[key] for key in sorted(found))


def judge(statement: Statement, names: Sequence[InterfaceName]) -> tuple[Verdict, Statement]:
    """The gate's answer, and the statement with the names beside it."""
    if not names:
        return passed(GATE, Reason.VALIDATED, "hidden checks use no name that an answer must bring"), statement
    words = f"{statement.title}\n{statement.body}"
    said = words_of(words.encode())
    left = tuple(one for one in names if one.name.rpartition(".")[2] not in said and one.name not in words)
    if left and statement.provenance not in _OWN_WORDS and "\n\n" not in statement.body:
        verdict = refused(
            GATE,
            Reason.STATEMENT_TOO_POOR,
            f"the change says no more than {statement.title!r}, and its hidden checks use {_listed(left)}, which"
            " nothing the agent sees tells; say in spec.intent what is asked for",
            untold=[one.document() for one in left],
        )
        return verdict, statement
    told = f"told beside the statement: {_listed(names)}"
    verdict = passed(GATE, Reason.VALIDATED, told, told=[one.document() for one in names])
    return verdict, statement.replacing(interface=tuple(names))


def _listed(names: Sequence[InterfaceName]) -> str:
    return name_some([f"{one.name} ({one.path})" for one in names])


def _content(repository: Repository, tree: str, path: bytes) -> bytes:
    entry = repository.entry(tree, path)
    return repository.blob(entry.oid) if entry is not None and entry.mode in {FILE, EXECUTABLE} else b""


def _shared(one: str, other: str) -> bool:
    """Whether a text holds the other, or they share a run of words that no chance explains."""
    return one in other or other in one or not _runs(one).isdisjoint(_runs(other))


@lru_cache(maxsize=4096)
def _runs(text: str) -> frozenset[str]:
    words = text.split()
    runs = (" ".join(words[place : place + _RUN]) for place in range(len(words) - _RUN + 1))
    return frozenset(run for run in runs if len(run) >= _LEAST_TEXT)


def _named(path: bytes, name: str) -> InterfaceName:
    return InterfaceName(name=name, path=quote(path))


class _Source:
    """One file on one state; empty where it is not there or in no language known here."""

    def __init__(self, path: bytes, content: bytes) -> None:
        self.path, self.content = path, content
        self.language = language_of(path, content[:256])

    def words(self) -> frozenset[str]:
        """Identifiers of code, and those in strings that are nothing but a dotted name (members patched by name)."""
        if self.language is None:
            return words_of(self.content)
        dotted = (words_of(text.encode()) for text in self._strings() if _DOTTED.fullmatch(text.encode()))
        return names_used(self.language, self.content).union(*dotted)

    def keywords(self) -> frozenset[str]:
        """Names of arguments in calls."""
        words = self._tokens()
        return frozenset(
            name.text.decode("utf-8", "backslashreplace")
            for before, name, sign in zip(words, words[1:], words[2:], strict=False)
            if before.text in {b"(", b","} and sign.text == b"="
        )

    def naming_strings(self) -> frozenset[str]:
        """Strings that name an option, a key or a variable."""
        return frozenset(text for text in self._strings() if _NAMING.fullmatch(text))

    def texts(self) -> dict[str, str]:
        """Texts of several words between what is filled into a string, each with the whole string.

        What documents the code is no text of it.
        """
        documents = docstring_spans(self.content) if self.language is Language.PYTHON else []
        found: dict[str, str] = {}
        for string in strings(self.content, self._tokens()):
            if any(start <= string.start < end for start, end in documents):
                continue
            for part in string.parts:
                text = part.strip(" \"'`").replace("\\", "")
                if len(text) >= _LEAST_TEXT and " " in text:
                    fits = len(string.whole) <= _LONGEST_TEXT and "\n" not in string.whole
                    found[text] = string.whole if fits else text
        return found

    def brought(self, before: _Source) -> list[str]:
        """Definitions and assigned members that this state has beyond ``before``, and its modules if it is new."""
        names = sorted(self._defined() - before._defined())
        if not before.content and self.language is not None:
            names += sorted(self._modules())
        return names

    def added_words(self, before: _Source) -> frozenset[str]:
        """Words in definitions that their texts in ``before`` lack: parameters among them."""
        if self.language is None:
            return frozenset()
        theirs = before._by_unit()
        mine = self._by_unit()
        return frozenset().union(*(words - theirs.get(key, frozenset()) for key, words in mine.items()))

    def _by_unit(self) -> dict[str, frozenset[str]]:
        if self.language is None:
            return {}
        return {unit.key: names_used(self.language, self._text(unit)) for unit in units(self.language, self.content)}

    def _text(self, unit: Unit) -> bytes:
        return self.content[unit.span.start : unit.span.end]

    def _defined(self) -> frozenset[str]:
        if self.language is None:
            return frozenset()
        found = units(self.language, self.content)
        members = assigned_members(self.content, self._tokens(), found)
        return frozenset(unit.name for unit in found).union(members)

    def _modules(self) -> frozenset[str]:
        """The names under which a new file is found: its own, and its folder's."""
        text = self.path.decode("utf-8", "replace")
        stem = posixpath.basename(text).partition(".")[0]
        folder = posixpath.basename(posixpath.dirname(text))
        return frozenset({folder} if self.language is Language.GO else {stem}) - {"", "__init__"}

    def _tokens(self) -> tuple[Token, ...]:
        return () if self.language is None else tokens(self.language, self.content)

    def _strings(self) -> Iterator[str]:
        for token in self._tokens():
            if "string" in token.kind:
                yield token.text.strip(b"\"'`").decode("utf-8", "backslashreplace")
