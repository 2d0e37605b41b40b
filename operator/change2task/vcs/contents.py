"""What a repository holds, by id: commits, trees, blobs, and the patches between them.

It knows neither references nor history; `Repository` adds those.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from types import TracebackType
from typing import Self

from change2task.vcs import commits, trees
from change2task.vcs.apply import apply_patch
from change2task.vcs.changes import Change, LineCounts, compare, parse_numstat
from change2task.vcs.commits import CommitInfo
from change2task.vcs.errors import GitFailed, InvalidTree, MissingObject, VcsError
from change2task.vcs.names import Names
from change2task.vcs.objects import Object, ObjectStore, is_oid
from change2task.vcs.place import Place
from change2task.vcs.process import Git
from change2task.vcs.trees import EXECUTABLE, FILE, Entry, Item, Tree

TREE_ENTRIES = 2_000_000
DIFF_OPTIONS = (
    "-r",
    "-p",
    "--binary",
    "--full-index",
    "--no-renames",
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    "--src-prefix=a/",
    "--dst-prefix=b/",
)
_ARGUMENT_BYTES = 60_000
_UNREADABLE = (
    "unable to read",
    "could not read",
    "bad object",
    "bad tree",
    "missing blob",
    "missing object",
    "Not a valid commit name",
    "Not a valid object name",
)


class Contents:
    """The objects of one repository, read and written. Close it to end its processes."""

    def __init__(self, place: Place, objects: Path | None = None) -> None:
        self.path = place.git_dir
        self.place = place
        self.git: Git = place.contents(objects)
        self.objects = ObjectStore(self.git, objects or place.objects, place.algorithm)
        self.names = Names(place.names(objects))
        self._items = lru_cache(maxsize=20_000)(self._read_items)
        self._commit = lru_cache(maxsize=50_000)(self._read_commit)

    @property
    def empty_tree(self) -> str:
        """The id of the tree without entries."""
        return self.objects.name("tree", b"")

    def commit(self, oid: str) -> CommitInfo:
        """The commit of a whole id. Raises MissingObject."""
        return self._commit(oid)

    def _read_commit(self, oid: str) -> CommitInfo:
        return _parsed_commit(oid, self.objects.get(oid, "commit"))

    def commits(self, oids: Iterable[str]) -> Iterator[CommitInfo]:
        """Many commits in the order of their ids, in few questions. Raises MissingObject."""
        wanted = list(oids)
        for oid, data in zip(wanted, self.objects.many(wanted, "commit"), strict=True):
            yield _parsed_commit(oid, data)

    def tree_of(self, treeish: str) -> str:
        """The id of the tree that a revision, or a tree's own id, stands for. Raises MissingObject."""
        if is_oid(treeish):
            found = self.objects.find(treeish)
            if found is not None and found.kind == "tree":
                return treeish
            if found is not None and found.kind == "commit":
                return _parsed_commit(treeish, found.data).tree
            if treeish == self.empty_tree:
                return treeish
        oid = self.names.resolve(f"{treeish}^{{tree}}")
        if oid is None:
            raise MissingObject(treeish, "it names no tree here")
        return oid

    def tree(self, treeish: str) -> Tree:
        """Every leaf of a tree. Raises MissingObject, InvalidTree (damaged, or too large to hold)."""
        root = self.tree_of(treeish)
        self._weigh(root, b"", 0, {})
        entries: dict[bytes, Entry] = {}
        waiting = [(b"", root)]
        while waiting:
            prefix, oid = waiting.pop()
            for item in self.items(oid):
                if item.mode == trees.FOLDER:
                    waiting.append((prefix + item.name + b"/", item.oid))
                else:
                    entries[prefix + item.name] = Entry(item.mode, item.oid)
        return Tree(entries)

    def _weigh(self, oid: str, path: bytes, depth: int, known: dict[str, int]) -> int:
        """How many files and folders a tree unfolds to. A few objects can stand for more than any memory holds."""
        if depth > trees.DEEPEST:
            raise InvalidTree(path, f"it lies deeper than {trees.DEEPEST} folders")
        if oid not in known:
            weight = 1
            for item in self.items(oid):
                folder = item.mode == trees.FOLDER
                weight += self._weigh(item.oid, path + item.name + b"/", depth + 1, known) if folder else 1
            if weight > TREE_ENTRIES:
                raise InvalidTree(path, f"the tree has more than {TREE_ENTRIES} entries")
            known[oid] = weight
        return known[oid]

    def items(self, tree: str) -> tuple[Item, ...]:
        """The items of one folder, by its tree's id. Raises MissingObject."""
        return self._items(tree)

    def _read_items(self, tree: str) -> tuple[Item, ...]:
        if tree == self.empty_tree:
            return ()
        data = self.objects.get(tree, "tree")
        try:
            return trees.parse(data, self.place.oid_bytes)
        except ValueError as error:
            raise MissingObject(tree, f"the tree is damaged: {error}") from error

    def entry(self, treeish: str, path: bytes) -> Entry | None:
        """What lies at one path of a tree, reading only the folders on the way; a folder is no entry."""
        oid = self.tree_of(treeish)
        *folders, last = path.split(b"/")
        for folder in folders:
            found = next((item for item in self.items(oid) if item.name == folder), None)
            if found is None or found.mode != trees.FOLDER:
                return None
            oid = found.oid
        leaf = next((item for item in self.items(oid) if item.name == last), None)
        return Entry(leaf.mode, leaf.oid) if leaf and leaf.mode != trees.FOLDER else None

    def file(self, treeish: str, path: bytes) -> bytes | None:
        """A regular file's content; None where there is none: nothing, a folder, a link, a submodule."""
        entry = self.entry(treeish, path)
        return self.blob(entry.oid) if entry is not None and entry.mode in {FILE, EXECUTABLE} else None

    def blob(self, oid: str) -> bytes:
        """The bytes of a blob. Raises MissingObject, ObjectTooLarge."""
        return self.objects.get(oid, "blob")

    def blobs(self, oids: Iterable[str]) -> Iterator[bytes]:
        """Many blobs in order, in few questions. Raises MissingObject, ObjectTooLarge."""
        return self.objects.many(oids, "blob")

    def find(self, oid: str) -> Object | None:
        """An object of whatever kind by its whole id; None when it is not there."""
        return self.objects.find(oid)

    def write_blob(self, data: bytes) -> str:
        """Store bytes and give their id."""
        return self.objects.write("blob", data)

    def write_tree(self, tree: Tree) -> str:
        """Store a tree and give its id; its blobs need not be there. Raises InvalidTree."""
        root, objects = trees.build(tree, lambda data: self.objects.name("tree", data))
        self.objects.write_missing("tree", objects)
        return root

    def edit(self, treeish: str, changes: Mapping[bytes, Entry | None]) -> str:
        """The id of a stored tree with some entries replaced or (None) removed. Raises MissingObject, InvalidTree."""
        return self.write_tree(self.tree(treeish).replacing(changes))

    def write_commit(self, tree: str, parents: Collection[str], message: str, *, epoch: int = 0) -> str:
        """Store a commit that depends on nothing but its arguments. `epoch` is in seconds, UTC."""
        identity = f"change2task <change2task@localhost> {epoch} +0000"
        lines = [f"tree {tree}", *(f"parent {parent}" for parent in parents)]
        text = "\n".join([*lines, f"author {identity}", f"committer {identity}", "", message.rstrip("\n"), ""])
        return self.objects.write("commit", text.encode())

    def diff(self, old_tree: str, new_tree: str, *, context: int = 3, paths: Collection[bytes] | None = None) -> bytes:
        """The patch from one tree to another, as `git diff --binary --full-index --no-renames` prints it.

        `paths` restricts it to these files and whatever lies below them. Raises MissingObject.
        """
        old, new = self.tree_of(old_tree), self.tree_of(new_tree)
        if old == new or (paths is not None and not paths):
            return b""
        words = ("diff-tree", *DIFF_OPTIONS, f"-U{context}", "--end-of-options", old, new, "--")
        chunks = [()] if paths is None else _chunks(sorted(paths))
        return b"".join(self.run(*words, *chunk) for chunk in chunks)

    def changed_paths(self, old: str | None, new: str | None) -> tuple[Change, ...]:
        """The paths that differ between two trees or commits, without renames; None is the side before everything.

        Needs no process and reads only folders that differ. Raises MissingObject, InvalidTree.
        """
        before = None if old is None else self.tree_of(old)
        after = None if new is None else self.tree_of(new)
        return compare(self.items, before, after)

    def numstat(self, old: str, new: str) -> Mapping[bytes, LineCounts]:
        """Lines added and removed by path, without renames. Raises MissingObject."""
        words = ("diff-tree", "-r", "--numstat", "-z", "--no-renames", "--no-ext-diff", "--no-textconv")
        return parse_numstat(self.run(*words, "--end-of-options", self.tree_of(old), self.tree_of(new)))

    def apply(
        self,
        tree: str,
        patch: bytes,
        *,
        reverse: bool = False,
        context: int | None = None,
        three_way: bool = False,
    ) -> str:
        """The id of the tree with a patch applied. `context` is how many lines of it must match (all by default).

        Raises PatchDoesNotApply, MissingObject.
        """
        start = self.tree_of(tree)
        try:
            return apply_patch(self.git, start, patch, reverse=reverse, context=context, three_way=three_way)
        except GitFailed as error:
            raise naming_object(error) from error

    def run(self, *words: str | bytes | Path, stdin: bytes = b"", codes: tuple[int, ...] = (0,)) -> bytes:
        """The output of a git command on the objects. Raises MissingObject where git names one, else GitFailed."""
        try:
            return self.git.run(*words, stdin=stdin, codes=codes).stdout
        except GitFailed as error:
            raise naming_object(error) from error

    def close(self) -> None:
        """End all processes; the next use starts new ones."""
        self.objects.close()
        self.names.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def naming_object(error: GitFailed) -> VcsError:
    """The more precise error when git complains of an object that it cannot read."""
    for line in error.detail.splitlines():
        if any(sign in line for sign in _UNREADABLE):
            oid = next((word for word in line.replace("'", " ").split() if is_oid(word)), None)
            return MissingObject(oid or "unknown", line)
    return error


def _parsed_commit(oid: str, data: bytes) -> CommitInfo:
    try:
        return commits.parse(oid, data)
    except ValueError as error:
        raise MissingObject(oid, str(error)) from error


def _chunks(paths: list[bytes]) -> list[tuple[bytes, ...]]:
    chunks: list[tuple[bytes, ...]] = []
    current: list[bytes] = []
    size = 0
    for path in paths:
        if current and size + len(path) > _ARGUMENT_BYTES:
            chunks.append(tuple(current))
            current, size = [], 0
        current.append(path)
        size += len(path) + 1
    return [*chunks, tuple(current)]
