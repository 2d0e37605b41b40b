"""A proposed tree whose code misses names, made whole: what later code needs comes back, what nobody needs goes.

Undoing a change on later code takes definitions away that code written since has come to use, and brings code back
that uses what has gone since. Three remedies, and only where names are surely missed (``construct.missed``): a name
that is only handed on (imported, exported) by a file of the change is no longer handed on; else its definition or
import comes back as it is on the healthy base; a name that code from before the change uses comes back with that code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from change2task.construct.go_imports import balanced
from change2task.construct.leftover import without_leftovers
from change2task.construct.missed import Missed, defined, missed
from change2task.construct.models import Assignment, Region
from change2task.construct.placing import with_name, without_imports
from change2task.construct.standing import standing
from change2task.patch.paths import quote, unquote
from change2task.syntax.faults import new_syntax_errors
from change2task.syntax.languages import Language, language_of
from change2task.syntax.python_names import module_names, unbound_names
from change2task.vcs.errors import MissingObject, ObjectTooLarge
from change2task.vcs.repository import Repository
from change2task.vcs.trees import EXECUTABLE, FILE, Entry

MOST_ROUNDS = 6
MOST_MISSED = 40
MOST_BYTES = 400_000


@dataclass(frozen=True, slots=True)
class Repaired:
    """A tree in which nothing is missed any more, what was done, and what was missed, in a sentence."""

    tree: str
    regions: tuple[Region, ...]
    missed: str


class Undefined(Exception):
    """Code that came back uses names that nothing binds and that cannot be brought back; the message names them."""


def repair(repository: Repository, assignment: Assignment, tree: str) -> Repaired | None:
    """The repaired tree; None where nothing is missed, or later code misses what cannot be kept. Raises Undefined."""
    try:
        return _Repair(repository, assignment, tree).run()
    except (MissingObject, ObjectTooLarge):
        return None


class _Repair:
    def __init__(self, repository: Repository, assignment: Assignment, tree: str) -> None:
        self._repository, self._assignment, self._tree = repository, assignment, tree
        changes = repository.changed_paths(assignment.healthy_tree, tree)
        self._was = {c.path: t for c in changes if (t := self._text(c.old)) is not None}
        self._now = {c.path: t for c in changes if (t := self._text(c.new)) is not None}
        self._modes = {c.path: c.old.mode for c in changes if c.old is not None}
        self._own = {unquote(p) for f in assignment.files for p in (f.before, f.modern) if p is not None}
        self._others: dict[bytes, bytes] | None = None
        self._regions: list[Region] = []

    def run(self) -> Repaired | None:
        first = "; ".join(said for said in (self._balanced(), self._cleared()) if said)
        for _ in range(MOST_ROUNDS):
            lacking, unbound = self._missed(), list(self._unbound())
            if not lacking and not unbound:
                break
            if len(lacking) + len(unbound) > MOST_MISSED:
                return None
            first = first or _sentence(lacking, unbound)
            mended = [
                self._mend(path, name, lacking) for path, name in dict.fromkeys((m.path, m.name) for m in lacking)
            ]
            if not all(mended):
                return None
            for path, name in unbound:
                if not self._bring(path, name):
                    raise Undefined(f"{quote(path)} would use {name}, which nothing defines any more")
        else:
            return None
        if not first or self._broken():
            return None
        return Repaired(self._written(), tuple(self._regions), first)

    def _balanced(self) -> str:
        """Go's imports brought into line with their uses; in a sentence what was wrong with them."""
        for path, text in sorted(self._now.items()):
            if language_of(path, text[:256]) is Language.GO:
                was = [self._was[path]] if path in self._was else []
                self._now[path], said = balanced(text, [*was, *self._older(path)])
                for how in said:
                    self._say(path, how)
        return "; ".join(region.how for region in self._regions[:3])

    def _cleared(self) -> str:
        """Definitions of the change that were left where they have moved to, taken away; in a sentence which."""
        found: list[str] = []
        for path, text in sorted(self._now.items()):
            language = language_of(path, text[:256])
            after, before = [*reversed(list(self._older(path))), b"", b""][:2]
            if language is None or not after or not before:
                continue
            self._now[path], names = without_leftovers(language, path, (before, after), text, self._used_beside(path))
            for name in names:
                self._say(path, f"{name} taken away: the change added it, it has moved since, and nothing uses it now")
            found += [
                f"{quote(path)} still holds {name}, which the change added and nothing uses now" for name in names
            ]
        return "; ".join(found[:3])

    def _used_beside(self, path: bytes) -> Callable[[str], bool]:
        def used(name: str) -> bool:
            if self._others is None:
                self._others = dict(self._sources())
            beside = {**self._others, **self._now}
            return any(name.encode() in text for other, text in beside.items() if other != path)

        return used

    def _missed(self) -> tuple[Missed, ...]:
        gone = (defined(path, text) - defined(path, self._now.get(path, b"")) for path, text in self._was.items())
        if not any(gone):
            return ()
        if self._others is None:
            self._others = dict(self._sources())
        others = {path: text for path, text in self._others.items() if path not in self._now}
        return missed(
            self._was, self._now, others, lambda names: standing(self._repository, self._assignment.before_tree, names)
        )

    def _unbound(self) -> Iterator[tuple[bytes, str]]:
        """Names that Python code of the tree uses and nothing binds, though on the healthy base all was well."""
        for path, text in sorted(self._now.items()):
            if language_of(path, text[:256]) is Language.PYTHON:
                fresh = unbound_names(text) - unbound_names(self._was.get(path, b""))
                for older in self._older(path):
                    fresh -= unbound_names(older)
                had = module_names(self._was.get(path, b"")) or frozenset()
                yield from ((path, name) for name in sorted(fresh - had))

    def _mend(self, path: bytes, name: str, lacking: tuple[Missed, ...]) -> bool:
        users = sorted({m.user for m in lacking if (m.path, m.name) == (path, name)})
        if path not in users and all(self._only_hands_on(user, name) for user in users):
            for user in users:
                self._now[user] = without_imports(Language.PYTHON, self._now.get(user) or self._other(user), [name])
                self._say(user, f"{name} is no longer handed on")
            return True
        if path not in self._now:
            self._now[path] = self._was[path]
            self._say(path, f"kept, since {quote(users[0])} uses {name}")
            return True
        return self._put(path, name, self._was[path], f"{name} kept, since {quote(users[0])} uses it")

    def _only_hands_on(self, user: bytes, name: str) -> bool:
        if user not in self._own or language_of(user) is not Language.PYTHON:
            return False
        text = self._now.get(user) or self._other(user)
        left = without_imports(Language.PYTHON, text, [name])
        return left != text and name not in unbound_names(left) | (module_names(left) or frozenset())

    def _bring(self, path: bytes, name: str) -> bool:
        """A name that only code from before the change uses, from the file as it was then or after the change."""
        return any(
            self._put(path, name, older, f"{name} brought back, since older code uses it")
            for older in self._older(path)
        )

    def _older(self, path: bytes) -> Iterator[bytes]:
        """The file's version before the change, then the one after it."""
        for file in self._assignment.files:
            if file.modern is None or unquote(file.modern) != path:
                continue
            for tree, old in ((self._assignment.before_tree, file.before), (self._assignment.after_tree, file.after)):
                entry = None if old is None else self._repository.entry(tree, unquote(old))
                if (text := self._text(entry)) is not None:
                    yield text

    def _put(self, path: bytes, name: str, source: bytes, how: str) -> bool:
        now = self._now[path]
        language = language_of(path, now[:256])
        found = None if language is None else with_name(language, source, now, name)
        if found is None:
            return False
        self._now[path] = found
        self._say(path, how)
        return True

    def _say(self, path: bytes, how: str) -> None:
        self._regions.append(Region(path=quote(path), how=how))

    def _broken(self) -> bool:
        return any(
            new_syntax_errors(language, self._was.get(path, b""), text)
            for path, text in self._now.items()
            if (language := language_of(path, text[:256])) is not None
            and path in {unquote(r.path) for r in self._regions}
        )

    def _written(self) -> str:
        repository = self._repository
        healthy = repository.tree(self._assignment.healthy_tree)
        repaired = {unquote(region.path) for region in self._regions}
        changes: dict[bytes, Entry | None] = {}
        for path in repaired:
            mode = self._modes.get(path) or healthy[path].mode
            changes[path] = Entry(mode, repository.write_blob(self._now[path]))
        return repository.edit(self._tree, changes)

    def _sources(self) -> Iterator[tuple[bytes, bytes]]:
        tree = self._repository.tree(self._assignment.healthy_tree)
        for path in map(unquote, self._assignment.sources):
            text = self._text(tree.get(path)) if language_of(path) is not None else None
            if text is not None:
                yield path, text

    def _other(self, path: bytes) -> bytes:
        return (self._others or {}).get(path, b"")

    def _text(self, entry: Entry | None) -> bytes | None:
        if entry is None or entry.mode not in {FILE, EXECUTABLE}:
            return None
        text = self._repository.blob(entry.oid)
        return text if len(text) <= MOST_BYTES else None


def _sentence(lacking: tuple[Missed, ...], unbound: list[tuple[bytes, str]]) -> str:
    shown = [f"{quote(m.user)} misses {m.name}" for m in lacking] + [f"{quote(p)} misses {n}" for p, n in unbound]
    return "; ".join(dict.fromkeys(shown[:3])) + (f" and {len(shown) - 3} more" if len(shown) > 3 else "")
