"""Interface gate: what the hidden checks call must be told to whoever is to write it.

A task whose checks import ``slugify`` can be solved by nobody who is not told that name. Names that the restoration
brings, that the hidden checks use and that stand nowhere in the agent's tree are told beside the statement. Where the
change itself says nothing of substance, names alone make no task: it is refused. Messages that checks compare word
for word are not looked at here.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Sequence

from change2task.api.reasons import Reason
from change2task.api.taskvariant import InterfaceName, Statement
from change2task.patch.paths import quote, unquote
from change2task.syntax.languages import Language, language_of
from change2task.syntax.symbols import names_used
from change2task.syntax.tokens import tokens
from change2task.syntax.units import units
from change2task.validate.lifecycle import name_some
from change2task.validate.verdict import Verdict, passed, refused
from change2task.validate.words import standing, words_of
from change2task.vcs.repository import Repository
from change2task.vcs.trees import EXECUTABLE, FILE

GATE = "interface"
_DOTTED = re.compile(rb"[A-Za-z_][\w.]*", re.ASCII)
_OWN_WORDS = frozenset({"title", "intent"})


def untold(
    repository: Repository, trees: tuple[str, str, str], hidden_files: Iterable[str], scripts: Iterable[str]
) -> tuple[InterfaceName, ...]:
    """The names that hidden checks use, that the restoration brings, and that the agent's tree does not hold.

    ``trees``: healthy base, task state and agent's tree, as git ids. ``hidden_files``: quoted paths of files with
    hidden checks; ``scripts``: the texts of script checks.
    """
    healthy, task, agent = trees
    wanted: set[str] = set()
    for path in map(unquote, hidden_files):
        wanted |= _words(path, _content(repository, task, path))
    for text in scripts:
        wanted |= words_of(text.encode())
    brought = _brought(repository, task, healthy, wanted)
    told = standing(repository, agent, brought).union(*map(words_of, repository.tree(agent)))
    return tuple(sorted((brought[name] for name in brought.keys() - told), key=lambda one: (one.path, one.name)))


def judge(statement: Statement, goal: str, names: Sequence[InterfaceName]) -> tuple[Verdict, Statement]:
    """The gate's answer, and the statement with the names that its words and the ``goal`` leave out."""
    said = words_of("\n".join((statement.title, statement.body, goal)).encode())
    left = tuple(one for one in names if one.name.rpartition(".")[2] not in said)
    if not left:
        return passed(GATE, Reason.VALIDATED, "every name the hidden checks use is told"), statement
    listed = name_some([f"{one.name} ({one.path})" for one in left])
    if statement.provenance not in _OWN_WORDS:
        verdict = refused(
            GATE,
            Reason.STATEMENT_TOO_POOR,
            f"the change says no more than {statement.title!r}, and its hidden checks use {listed}, which nothing the"
            " agent sees tells; say in spec.intent what is asked for",
            untold=[one.document() for one in left],
        )
        return verdict, statement
    return (
        passed(GATE, Reason.VALIDATED, f"told beside the statement: {listed}", told=[one.document() for one in left]),
        statement.replacing(interface=left),
    )


def _content(repository: Repository, tree: str, path: bytes) -> bytes:
    entry = repository.entry(tree, path)
    return repository.blob(entry.oid) if entry is not None and entry.mode in {FILE, EXECUTABLE} else b""


def _words(path: bytes, content: bytes) -> frozenset[str]:
    """Identifiers of code, and those in strings that are nothing but a dotted name (patched and looked-up members)."""
    language = language_of(path, content[:256])
    if language is None:
        return words_of(content)
    strings = (token.text.strip(b"\"'`") for token in tokens(language, content) if "string" in token.kind)
    dotted = (words_of(text) for text in strings if _DOTTED.fullmatch(text))
    return names_used(language, content).union(*dotted)


def _brought(repository: Repository, task: str, healthy: str, wanted: set[str]) -> dict[str, InterfaceName]:
    """The wanted names that the restoration writes, each with the first file that defines it, else that holds it."""
    places: dict[str, tuple[bool, InterfaceName]] = {}
    for change in repository.changed_paths(task, healthy):
        path, before = change.path, _content(repository, task, change.path)
        after = _content(repository, healthy, path)
        language = language_of(path, after[:256])
        if language is None:
            continue
        own = {unit.short: unit.name for unit in units(language, after)}
        added = names_used(language, after) - names_used(language, before)
        if not before:
            added |= _module_names(path, language)
        for name in sorted(added & wanted):
            found = name in own, InterfaceName(name=own.get(name, name), path=quote(path))
            if name not in places or (found[0] and not places[name][0]):
                places[name] = found
    return {name: place for name, (_, place) in places.items()}


def _module_names(path: bytes, language: Language) -> frozenset[str]:
    """The names under which a new file is found: its own, and its folder's."""
    text = path.decode("utf-8", "replace")
    stem = posixpath.basename(text).partition(".")[0]
    folder = posixpath.basename(posixpath.dirname(text))
    return frozenset({folder} if language is Language.GO else {stem, folder}) - {""}
