"""Ids for tests of which a report tells classes, files or neither.

An id is a file of the tree, `::`, and the test's name in it as ``syntax`` finds it there, wherever the report lets us
know the file: it says so itself, or it names a class that is written in one file of that name. Else the id is what
the report says. The list of the tree's files comes from the sandbox: false, it makes names that nobody asks for.
"""

from __future__ import annotations

import posixpath
from collections import defaultdict
from collections.abc import Iterable

from change2task.checks.ids import to_model
from change2task.checks.readers.report import Told

_CLASS_FILES = ("java", "kt", "groovy", "scala", "cs", "php")


class Places:
    """The files of a tree, and the ids of tests in it. ``root`` is where the tree lay."""

    def __init__(self, root: str, files: Iterable[str]) -> None:
        self._root = root.rstrip("/") + "/"
        self._files = frozenset(file.removeprefix("./") for file in files)
        self._by_name: defaultdict[str, list[str]] = defaultdict(list)
        for file in sorted(self._files):
            stem, _, kind = file.rpartition(".")
            if kind in _CLASS_FILES:
                self._by_name[posixpath.basename(stem)].append(file)

    def identity(self, test: Told, report: str) -> str:
        """The id of a test of the report at this path."""
        file = self._file(test.file)
        if file is not None:
            return _joined(file, _within(file, test.owner, test.name))
        if test.owner and test.owner != test.name:
            module = self._module(test.owner)
            if module is not None:
                return _joined(module, _within(module, test.owner, test.name))
            file = self._class_file(test.owner, report)
            if file is not None:
                return _joined(file, _method(test.owner, test.name))
            return _joined(test.owner, test.name)
        if report in self._files:
            return _joined(report, test.name)
        return to_model(test.name)

    def _file(self, told: str) -> str | None:
        if not told:
            return None
        inside = told.removeprefix(self._root)
        if inside.startswith("/"):
            return None
        known = posixpath.normpath(inside)
        return known if known in self._files else None

    def _module(self, owner: str) -> str | None:
        """The Python file that a dotted name begins with."""
        parts = owner.split(".")
        names = ("/".join(parts[:count]) + ".py" for count in range(len(parts), 0, -1))
        return next((name for name in names if name in self._files), None)

    def _class_file(self, owner: str, report: str) -> str | None:
        """The one file that a class of this name is written in; of several, the one nearest to the report."""
        outer = owner.partition("$")[0].replace("\\", ".")
        path = outer.replace(".", "/")
        found = [
            file
            for file in self._by_name.get(posixpath.basename(path), ())
            if f"/{file.rpartition('.')[0]}".endswith(f"/{path}")
        ]
        if len(found) > 1:
            near = [len(posixpath.commonprefix((file, report))) for file in found]
            found = [file for file, shared in zip(found, near, strict=True) if shared == max(near)]
        return found[0] if len(found) == 1 else None


def _joined(scope: str, name: str) -> str:
    return to_model(f"{scope}::{name}")


def _method(owner: str, name: str) -> str:
    """`Outer.Inner.method` of a class and a method; a failure of the class as a whole has no method."""
    simple = owner.replace("\\", ".").rpartition(".")[2].replace("$", ".")
    return f"{simple}.{name}" if name else simple


def _within(file: str, owner: str, name: str) -> str:
    """The test's name within a file that is known: what its class adds to the file's own name stands before it."""
    stem = file.rpartition(".")[0]
    dotted = stem.replace("/", ".")
    plain = owner.replace("\\", ".")
    if not plain or plain in (name, dotted) or (f".{dotted}".endswith(f".{plain}") and not file.endswith(_CLASS_FILES)):
        return name or posixpath.basename(stem)
    if plain.startswith(f"{dotted}."):
        inner = f"{plain.removeprefix(f'{dotted}.')}.{name}"
        return inner if not file.endswith(".py") else f"{plain.removeprefix(f'{dotted}.').replace('.', '::')}::{name}"
    return _method(owner, name)
