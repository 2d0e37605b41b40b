"""What later code misses when a task patch takes definitions away: names of modules, and members.

The gate refuses what misses something and repair puts it back; both must mean the same by it, so that it stands here.
Names of Python modules are followed by scopes and imports. A member's name says nothing of whose it is, unless nobody
used the word before the change and nobody defines it any more: then whoever uses it misses it. What is compiled is left
to its compiler.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import NamedTuple

from change2task.syntax.languages import Language, language_of
from change2task.syntax.python_names import module_names, unbound_names
from change2task.syntax.queries import uses_api
from change2task.syntax.tokens import tokens
from change2task.syntax.units import units

_SOURCE_ROOTS = frozenset({"src", "lib", "python"})
_COMPILED = frozenset({Language.GO, Language.RUST, Language.JAVA})

Stood = Callable[[Collection[str]], Collection[str]]
"""Those of some names that stood anywhere in the repository before the change."""


class Missed(NamedTuple):
    """A name that the file at ``path`` no longer defines and that the file at ``user`` uses."""

    path: bytes
    name: str
    user: bytes


def missed(
    before: Mapping[bytes, bytes], after: Mapping[bytes, bytes], others: Mapping[bytes, bytes], stood: Stood
) -> tuple[Missed, ...]:
    """What code of the task state misses, names of modules first, each once.

    ``before`` and ``after`` are the changed files by path on the healthy base and on the task state; ``others`` the
    source files that the task patch leaves alone.
    """
    everything = {**others, **after}
    found = [
        Missed(path, name, user)
        for path, content in sorted(before.items())
        if language_of(path, content[:256]) is Language.PYTHON
        for name, user in _missed_names(path, content, after.get(path), everything)
    ]
    found += _missed_members(before, after, everything, stood)
    return tuple(dict.fromkeys(found))


def defined(path: bytes, text: bytes) -> frozenset[str]:
    """Every name that a file defines as far as ``missed`` looks at it."""
    language = language_of(path, text[:256])
    if language is None:
        return frozenset()
    names = module_names(text) if language is Language.PYTHON else None
    return _members(language, text) | (names or frozenset())


def _missed_names(
    path: bytes, before: bytes, after: bytes | None, everything: Mapping[bytes, bytes]
) -> Iterator[tuple[str, bytes]]:
    """Names that a Python module no longer binds, each with a file that still wants it."""
    had, has = module_names(before), frozenset() if after is None else module_names(after)
    if had is None or has is None:
        return
    own = frozenset() if after is None else unbound_names(after) - unbound_names(before)
    for name in sorted(had - has):
        if name in own:
            yield name, path
        yield from ((name, other) for other in _importers(path, name, everything))


def _importers(path: bytes, name: str, everything: Mapping[bytes, bytes]) -> Iterator[bytes]:
    """Other Python files that use a name of the module at ``path``."""
    for other, content in sorted(everything.items()):
        if other == path or name.encode() not in content or language_of(other, content[:256]) is not Language.PYTHON:
            continue
        if any(uses_api(Language.PYTHON, content, f"{m}.{name}", include_imports=True) for m in _modules(path)):
            yield other


def _missed_members(
    before: Mapping[bytes, bytes], after: Mapping[bytes, bytes], everything: Mapping[bytes, bytes], stood: Stood
) -> list[Missed]:
    """Members that nobody defines any more, whose names were nowhere before the change, and that are used."""
    used = _Used(everything)
    suspects: list[tuple[bytes, str, bytes]] = []
    for path, content in sorted(before.items()):
        language = language_of(path, content[:256])
        if language is None or language in _COMPILED:
            continue
        left = after.get(path)
        gone = _members(language, content) - (frozenset() if left is None else _members(language, left))
        suspects += [(path, name, user) for name in sorted(gone) for user in used.by(language, name)]
    known = stood({name for _, name, _ in suspects}) if suspects else ()
    return [Missed(*suspect) for suspect in suspects if suspect[1] not in known]


class _Used:
    """The members that a task state's files use and set; files are read where a name is asked for that is in them."""

    def __init__(self, files: Mapping[bytes, bytes]) -> None:
        self._files = [
            (path, content, language)
            for path, content in sorted(files.items())
            if (language := language_of(path, content[:256])) is not None
        ]
        self._names: dict[bytes, tuple[frozenset[str], frozenset[str], frozenset[str]]] = {}

    def by(self, language: Language, name: str) -> list[bytes]:
        """The files that use the member; where a file of the language sets it, those that ask a parent class for it."""
        word = name.encode()
        users: list[bytes] = []
        of_parents: list[bytes] = []
        found = False
        for path, content, other in self._files:
            if other is not language or word not in content:
                continue
            if path not in self._names:
                self._names[path] = _members(language, content), *_uses(language, content)
            sets, uses, asks = self._names[path]
            found = found or name in sets
            users += [path] if name in uses else []
            of_parents += [path] if name in asks else []
        return of_parents if found else users


def _members(language: Language, source: bytes) -> frozenset[str]:
    """Names of definitions inside of others, and of the members that are assigned."""
    found = {unit.short for unit in units(language, source) if unit.parent is not None}
    words = tokens(language, source)
    for dot, name, sign in zip(words, words[1:], words[2:], strict=False):
        if dot.text == b"." and sign.text in {b"=", b":"}:
            # A string may hold nothing but a dot; the mark that ends it is no name.
            text = name.text.decode("utf-8", "backslashreplace")
            found |= {text} if any(sign.isalnum() or sign in "_$" for sign in text) else set()
    return frozenset(found)


def _uses(language: Language, source: bytes) -> tuple[frozenset[str], frozenset[str]]:
    """The names after a dot, and those of them that a parent class is asked for."""
    words = [token.text for token in tokens(language, source)]
    places = [place for place in range(1, len(words)) if words[place - 1] == b"."]
    parents = [place for place in places if words[max(0, place - 4) : place - 1] == [b"super", b"(", b")"]]
    named = [words[place].decode("utf-8", "backslashreplace") for place in places]
    return frozenset(named), frozenset(words[place].decode("utf-8", "backslashreplace") for place in parents)


def _modules(path: bytes) -> Iterable[str]:
    """Dotted names under which a Python file is imported: from the root, or from a source folder at the root."""
    parts = path.decode("utf-8", "replace").removesuffix(".py").split("/")
    if parts[-1] == "__init__":
        parts.pop()
    yield ".".join(parts)
    if parts[0] in _SOURCE_ROOTS:
        yield ".".join(parts[1:])
