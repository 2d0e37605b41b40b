"""Dangling gate: what the task patch takes away must not be missed by code that stays.

Undoing a change on later code can remove a definition that later code has come to use. The task state is then
broken code of another feature, whose tests fail with the target's and would pass for observers of the change.
Definitions of modules are followed by their imports. A member's name says nothing of whose it is, unless nobody used
the word before the change and nobody defines it any more: then whoever uses it misses it. What only a compiler can
know is left to ``builds``.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Collection, Iterable, Mapping

from change2task.api.reasons import Reason
from change2task.patch.paths import quote
from change2task.syntax.languages import Language, language_of
from change2task.syntax.queries import uses_api
from change2task.syntax.symbols import names_defined, names_used
from change2task.syntax.tokens import tokens
from change2task.syntax.units import units
from change2task.validate.verdict import Verdict, passed, refused

GATE = "dangling"
_SOURCE_ROOTS = frozenset({"src", "lib", "python"})

Stood = Callable[[Collection[str]], Collection[str]]
"""Those of some names that stood anywhere in the repository before the change."""


def judge(
    before: Mapping[bytes, bytes], after: Mapping[bytes, bytes], others: Mapping[bytes, bytes], stood: Stood
) -> Verdict:
    """Refuse when a definition of ``before`` that is gone in ``after`` is still used in the task state's source.

    ``before`` and ``after`` are the changed files by path on the healthy base and on the task state; ``others`` the
    source files that the task patch leaves alone.
    """
    missed = [
        f"{quote(path)} takes away {name}, which {quote(user)} uses"
        for path, content in sorted(before.items())
        for name in _gone(path, content, after.get(path))
        for user in _users(path, name, after, others)
    ]
    missed += _missed_words(before, after, others, stood)
    missed = list(dict.fromkeys(missed))
    if missed:
        more = f" and {len(missed) - 3} more" if len(missed) > 3 else ""
        return refused(GATE, Reason.DANGLING_REFERENCE, "; ".join(missed[:3]) + more, missed=missed[:20])
    return passed(GATE, Reason.VALIDATED, "nothing taken away is missed")


def _missed_words(
    before: Mapping[bytes, bytes], after: Mapping[bytes, bytes], others: Mapping[bytes, bytes], stood: Stood
) -> list[str]:
    """Names of any depth that nobody defines any more, that were nowhere before the change, and that are used."""
    used = _Used({**others, **after})
    suspects: list[tuple[bytes, str, bytes]] = []
    for path, content in sorted(before.items()):
        language = language_of(path, content[:256])
        if language is None:
            continue
        left = after.get(path)
        gone = _set_in(language, content) - (frozenset() if left is None else _set_in(language, left))
        suspects += [(path, name, user) for name in sorted(gone) for user in used.by(language, name)]
    known = stood({name for _, name, _ in suspects}) if suspects else ()
    return [
        f"{quote(path)} takes away {name}, which {quote(user)} uses"
        for path, name, user in suspects
        if name not in known
    ]


class _Used:
    """The names that a task state's files use and set; files are read where a name is asked for that is in them."""

    def __init__(self, files: Mapping[bytes, bytes]) -> None:
        self._files = [
            (path, content, language)
            for path, content in sorted(files.items())
            if (language := language_of(path, content[:256])) is not None
        ]
        self._names: dict[bytes, tuple[frozenset[str], frozenset[str]]] = {}

    def by(self, language: Language, name: str) -> list[bytes]:
        """The files that use the name; none where a file of the language sets it."""
        word = name.encode()
        users = []
        for path, content, other in self._files:
            if other is not language or word not in content:
                continue
            if path not in self._names:
                self._names[path] = _set_in(language, content), names_used(language, content)
            sets, uses = self._names[path]
            if name in sets:
                return []
            if name in uses:
                users.append(path)
        return users


def _set_in(language: Language, source: bytes) -> frozenset[str]:
    """Names a source brings into being: its definitions, and the members it assigns."""
    found = set(names_defined(language, source))
    words = tokens(language, source)
    for dot, name, sign in zip(words, words[1:], words[2:], strict=False):
        if dot.text == b"." and sign.text in {b"=", b":"}:
            found.add(name.text.decode("utf-8", "backslashreplace"))
    return frozenset(found)


def _gone(path: bytes, before: bytes, after: bytes | None) -> list[str]:
    language = language_of(path, before[:256])
    if language is None:
        return []
    here = set() if after is None else _defined(language, after)
    return sorted(_defined(language, before) - here)


def _defined(language: Language, source: bytes) -> set[str]:
    return {unit.name for unit in units(language, source) if unit.top and unit.parent is None}


def _users(path: bytes, name: str, after: Mapping[bytes, bytes], others: Mapping[bytes, bytes]) -> Iterable[bytes]:
    """Files of the task state that use the definition ``name`` of the module at ``path``."""
    language = language_of(path)
    if language is None:
        return
    everything = {**others, **after}
    if any(name in _defined(language, content) for other, content in everything.items() if _same_unit(path, other)):
        return
    own = after.get(path)
    if own is not None and _bare(language, own, name):
        yield path
    for other, content in sorted(everything.items()):
        if other == path or name.encode() not in content or language_of(other, content[:256]) is not language:
            continue
        if _uses(language, path, other, name, content):
            yield other


def _same_unit(path: bytes, other: bytes) -> bool:
    """Whether two files share one namespace: Go's packages do, elsewhere every file has its own."""
    go = path.endswith(b".go") and other.endswith(b".go")
    return path == other or (go and posixpath.dirname(path) == posixpath.dirname(other))


def _uses(language: Language, path: bytes, other: bytes, name: str, content: bytes) -> bool:
    if language is Language.GO:
        return _same_unit(path, other) and _bare(language, content, name)
    if language is not Language.PYTHON:
        return False
    return any(uses_api(language, content, f"{module}.{name}", include_imports=True) for module in _modules(path))


def _bare(language: Language, source: bytes, name: str) -> bool:
    """Whether the name is used by itself, not as a member of something."""
    before = ""
    for token in tokens(language, source):
        if token.text == name.encode() and before != ".":
            return True
        before = token.text.decode("utf-8", "replace")
    return False


def _modules(path: bytes) -> Iterable[str]:
    """Dotted names under which a Python file is imported: from the root, or from a source folder at the root."""
    parts = path.decode("utf-8", "replace").removesuffix(".py").split("/")
    if parts[-1] == "__init__":
        parts.pop()
    yield ".".join(parts)
    if parts[0] in _SOURCE_ROOTS:
        yield ".".join(parts[1:])
