"""A whole tree as one immutable mapping from path to entry, and its form in git's objects.

Everything above this room edits trees by replacing entries, never by touching a checkout; a tree's id is then its
proof. Reading and writing the objects is left to the repository.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from change2task.vcs.errors import InvalidTree

FILE = 0o100644
EXECUTABLE = 0o100755
SYMLINK = 0o120000
SUBMODULE = 0o160000
FOLDER = 0o040000
DEEPEST = 200
_LEAVES = frozenset((FILE, EXECUTABLE, SYMLINK, SUBMODULE))


class Entry(NamedTuple):
    """One leaf: `mode` is FILE, EXECUTABLE, SYMLINK or SUBMODULE; `oid` a blob's, of a submodule the commit's."""

    mode: int
    oid: str


class Item(NamedTuple):
    """One line of a tree object; a folder's mode is FOLDER."""

    mode: int
    name: bytes
    oid: str


_Folder = dict[bytes, "_Folder | Entry"]


class Tree(Mapping[bytes, Entry]):
    """Paths and entries in git's order of paths; two trees are equal when their entries are."""

    __slots__ = ("_entries",)

    def __init__(self, entries: Mapping[bytes, Entry]) -> None:
        self._entries = {path: entries[path] for path in sorted(entries)}

    def __getitem__(self, path: bytes) -> Entry:
        return self._entries[path]

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def __repr__(self) -> str:
        return f"Tree({len(self)} entries)"

    def __hash__(self) -> int:
        return hash(tuple(self._entries.items()))

    def replacing(self, changes: Mapping[bytes, Entry | None]) -> Tree:
        """A tree with some entries replaced or, where None is given, removed."""
        entries: dict[bytes, Entry] = dict(self._entries)
        for path, entry in changes.items():
            if entry is None:
                entries.pop(path, None)
            else:
                entries[path] = entry
        return Tree(entries)

    def below(self, folder: bytes) -> Tree:
        """The entries under a folder, with their whole paths."""
        prefix = folder.rstrip(b"/") + b"/"
        return Tree({path: entry for path, entry in self._entries.items() if path.startswith(prefix)})


def leaf_mode(mode: int) -> int:
    """The mode as git keeps it: old repositories hold others, such as 100664."""
    kind = mode & 0o170000
    if kind == 0o100000:
        return EXECUTABLE if mode & 0o100 else FILE
    return kind


def parse(data: bytes, oid_bytes: int) -> tuple[Item, ...]:
    """The items of a tree object. Raises ValueError when it is damaged."""
    items: list[Item] = []
    position = 0
    while position < len(data):
        blank = data.index(b" ", position)
        end = data.index(b"\0", blank)
        mode = int(data[position:blank], 8)
        oid = data[end + 1 : end + 1 + oid_bytes]
        if len(oid) != oid_bytes:
            raise ValueError("the tree ends inside an object id")
        canonical = FOLDER if mode & 0o170000 == FOLDER else leaf_mode(mode)
        items.append(Item(canonical, data[blank + 1 : end], oid.hex()))
        position = end + 1 + oid_bytes
    return tuple(items)


def serialise(items: list[Item]) -> bytes:
    """The tree object of one folder."""
    # Git sorts folders as if their names ended in a slash.
    items.sort(key=lambda item: item.name + b"/" if item.mode == FOLDER else item.name)
    return b"".join(b"%o %s\0%s" % (item.mode, item.name, bytes.fromhex(item.oid)) for item in items)


def build(tree: Tree, name: Callable[[bytes], str]) -> tuple[str, list[bytes]]:
    """The root's id and every folder's object, children first; `name` gives the id of an object. Raises InvalidTree."""
    root: _Folder = {}
    for path, entry in tree.items():
        if entry.mode not in _LEAVES:
            raise InvalidTree(path, f"mode {entry.mode:o} is none that git keeps")
        *folders, last = path.split(b"/")
        if not last or b"" in folders or b"\0" in path:
            raise InvalidTree(path, "a path has no empty parts and no NUL")
        if len(folders) > DEEPEST:
            raise InvalidTree(path, f"it lies deeper than {DEEPEST} folders")
        here = root
        for folder in folders:
            below = here.setdefault(folder, {})
            if not isinstance(below, dict):
                raise InvalidTree(path, f"{folder.decode(errors='replace')} is a file as well as a folder")
            here = below
        if last in here:
            raise InvalidTree(path, "it is a folder as well as a file")
        here[last] = entry
    objects: list[bytes] = []
    return _build(root, name, objects), objects


def _build(folder: _Folder, name: Callable[[bytes], str], objects: list[bytes]) -> str:
    items: list[Item] = []
    for key, value in folder.items():
        if isinstance(value, dict):
            items.append(Item(FOLDER, key, _build(value, name, objects)))
        else:
            items.append(Item(value.mode, key, value.oid))
    data = serialise(items)
    objects.append(data)
    return name(data)
