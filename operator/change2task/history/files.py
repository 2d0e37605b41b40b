"""The files between two commits: what happened to each, which part it plays, and its content on either side.

Trees are compared as values, so nothing is checked out and no filter of the repository runs. Content is read only
where a question needs it.
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from functools import cached_property
from typing import Literal

from change2task.api.modernbase import Scope
from change2task.history.contents import is_binary
from change2task.history.fragments import Fragments, fragments_of
from change2task.history.models import FileChange
from change2task.history.names import is_news_file, is_news_fragment
from change2task.history.roles import Roles
from change2task.patch.paths import quote, unquote
from change2task.syntax.languages import language_of
from change2task.vcs.repository import Repository
from change2task.vcs.trees import EXECUTABLE, FILE, SUBMODULE, SYMLINK, Entry, Tree

Status = Literal["added", "deleted", "modified", "renamed", "modeChanged", "typeChanged"]


def roles_of(repo: Repository, tree: Tree, scope: Scope, checks: Container[bytes] = ()) -> Roles:
    """The roles of the files of one tree, of which ``checks`` are known to hold tests. Raises MissingObject."""
    return Roles(scope, tree, attributes_of(repo, tree), checks, fragments_in(repo, tree))


def fragments_in(repo: Repository, tree: Tree) -> Fragments:
    """Where a tree's project says that its news fragments lie. Raises MissingObject."""

    def read(path: bytes) -> bytes | None:
        entry = tree[path]
        return repo.blob(entry.oid) if entry.mode in {FILE, EXECUTABLE} else None

    return fragments_of(tree, read)


def attributes_of(repo: Repository, tree: Tree) -> dict[bytes, bytes]:
    """A tree's ``.gitattributes``, by path. Raises MissingObject."""
    return {
        path: repo.blob(entry.oid)
        for path, entry in tree.items()
        if path.rpartition(b"/")[2] == b".gitattributes" and entry.mode in {FILE, EXECUTABLE}
    }


class ChangedFiles:
    """What a change did to files. Every method raises MissingObject where the repository is incomplete."""

    def __init__(
        self, repo: Repository, before: str | None, after: str, scope: Scope, checks: Container[bytes] = ()
    ) -> None:
        """``before``: the before-state's commit, None for the empty tree; ``checks``: files known to hold tests."""
        self._repo = repo
        self._old_tree = before or repo.empty_tree
        self._new_tree = after
        self._before = repo.tree(self._old_tree)
        self._after = repo.tree(after)
        self._fragments = fragments_in(repo, self._after)
        self._roles = Roles(scope, self._after, attributes_of(repo, self._after), checks, self._fragments)

    def read_before(self, path: bytes) -> bytes | None:
        """The content of a path in the before-state; None when it is not there or is a submodule."""
        return self._read(self._before.get(path))

    def read_after(self, path: bytes) -> bytes | None:
        """The content of a path in the after-state; None when it is not there or is a submodule."""
        return self._read(self._after.get(path))

    def news(self, path: bytes) -> bytes | None:
        """The content after the change, if the file is a change log or a news fragment."""
        *folders, name = path.decode("utf-8", "surrogateescape").split("/")
        log = is_news_file(tuple(folders), name)
        return self.read_after(path) if log or self.is_fragment(path) else None

    def is_fragment(self, path: bytes) -> bool:
        """Whether the file is one change's news, as the project's configuration says.

        Where that says nothing the name does, and outside of the product, where fragments are mislaid at times, too.
        """
        said = self._fragments.says(path)
        if said or (said is False and self._roles.in_product(path)):
            return said
        return is_news_fragment(path.rpartition(b"/")[2].decode("utf-8", "replace"))

    @cached_property
    def files(self) -> tuple[FileChange, ...]:
        """Every file of the change, by path."""
        differing = [p for p in sorted({*self._before, *self._after}) if self._before.get(p) != self._after.get(p)]
        created = any(p not in self._before for p in differing)
        deleted = any(p not in self._after for p in differing)
        renames = self._repo.renames(self._old_tree, self._new_tree) if created and deleted else {}
        old_of = {new: old for old, new in renames.items() if old not in self._after and new not in self._before}
        moved = set(old_of.values())
        return tuple(self._file(path, old_of.get(path)) for path in differing if path not in moved)

    @cached_property
    def own_packages(self) -> frozenset[str]:
        """Names under which the project imports itself: its top folders with code, and their children under src."""
        names = set()
        for path in self._after:
            parts = path.decode("utf-8", "surrogateescape").split("/")
            if len(parts) > 1:
                names.add(parts[1] if parts[0] in {"src", "lib"} and len(parts) > 2 else parts[0])
            elif parts[0].endswith(".py"):
                names.add(parts[0][:-3])
        return frozenset(names)

    def patch(self, files: Iterable[FileChange]) -> bytes:
        """The change of these files as git prints it, renames as a deletion and a creation, three lines of context."""
        paths = {unquote(name) for f in files for name in (f.path, f.old_path) if name is not None}
        return self._repo.diff(self._old_tree, self._new_tree, paths=paths)

    def modern_path(self, file: FileChange, after: str, head: str) -> str | None:
        """Where a file lies on the base, followed rename by rename; None when it is gone.

        A file that the change deleted can come back as long as its path is free.
        """
        path = unquote(file.path)
        if file.status == "deleted":
            return file.path if self._repo.entry(head, path) is None else None
        found = self._repo.follow(path, after, head)
        return quote(found) if found is not None else None

    def _read(self, entry: Entry | None) -> bytes | None:
        if entry is None or entry.mode == SUBMODULE:
            return None
        return self._repo.blob(entry.oid)

    def _file(self, path: bytes, old_path: bytes | None) -> FileChange:
        old, new = self._before.get(old_path or path), self._after.get(path)
        contents = [c for c in (self._read(new), self._read(old)) if c is not None]
        head = contents[0][:256] if contents else b""
        entries = [entry for entry in (old, new) if entry is not None]
        plain = all(entry.mode in {FILE, EXECUTABLE} for entry in entries)
        language = language_of(path, head) if plain else None
        return FileChange(
            path=quote(path),
            old_path=quote(old_path) if old_path is not None else None,
            status="renamed" if old_path is not None else _status(old, new),
            role=self._roles.role(path, contents[0] if contents else None),
            binary=plain and any(is_binary(c) for c in contents),
            language=language.value if language is not None else None,
            submodule=any(entry.mode == SUBMODULE for entry in entries),
            symlink=any(entry.mode == SYMLINK for entry in entries),
            protected=self._roles.protected(path) or (old_path is not None and self._roles.protected(old_path)),
        )


def _status(old: Entry | None, new: Entry | None) -> Status:
    if old is None:
        return "added"
    if new is None:
        return "deleted"
    if old.oid == new.oid:
        return "modeChanged"
    return "modified" if {old.mode, new.mode} <= {FILE, EXECUTABLE} or old.mode == new.mode else "typeChanged"
