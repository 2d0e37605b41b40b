"""Which globs say where a task's answer may lie and what is put back: short enough to read, true of every file.

A list of all test files of a large project would neither fit into a resource nor be read by anybody, and it would not
cover files an agent adds. Which file plays which part is decided by ``history.roles``.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Final

from change2task.history.globs import as_text, literal
from change2task.history.names import is_test_folder, may_be_test_folder
from change2task.patch.paths import unquote

_TEST_FILES: Final = (
    (re.compile(r"test_.*\.py"), "**/test_*.py"),
    (re.compile(r".*_test\.py"), "**/*_test.py"),
    (re.compile(r".*_test\.go"), "**/*_test.go"),
    (re.compile(r".*\.test\.([cm]?[jt]sx?)"), "**/*.test.*"),
    (re.compile(r".*\.spec\.([cm]?[jt]sx?)"), "**/*.spec.*"),
    (re.compile(r".*Test\.java"), "**/*Test.java"),
    (re.compile(r".*_test\.rs"), "**/*_test.rs"),
)


def covering(paths: Iterable[str], others: Collection[str]) -> tuple[str, ...]:
    """Globs that cover these quoted paths and none of the ``others``.

    Whole folders where they hold nothing else, and names of test files where no other file has such a name.
    """
    mixed = {folder for path in others for folder in _above(unquote(path))}
    taken = {_name(path) for path in others}
    named = [(name, glob) for name, glob in _TEST_FILES if not any(name.fullmatch(one) for one in taken)]
    globs: dict[str, None] = {}
    for path in sorted(paths):
        raw = unquote(path)
        whole = next((_below(folder) for folder in _above(raw) if folder not in mixed), None)
        by_name = next((glob for name, glob in named if name.fullmatch(_name(path))), None)
        globs[whole or by_name or literal(raw)] = None
    return tuple(globs)


def source_globs(paths: Iterable[str]) -> tuple[str, ...]:
    """Globs of the places where the project keeps its sources: topmost folders, and kinds of files at the root."""
    globs: dict[str, None] = {}
    for path in sorted(paths):
        top, inside, _ = unquote(path).partition(b"/")
        stem, dot, kind = top.rpartition(b".")
        globs[_below(top) if inside else literal(top) if not (dot and stem) else "*." + literal(kind)] = None
    return tuple(globs) or ("**",)


def test_globs(paths: Iterable[str]) -> tuple[str, ...]:
    """Globs that cover the places and names where the project keeps its tests; quoted paths come in."""
    globs: dict[str, None] = {}
    for path in paths:
        *folders, name = as_text(unquote(path)).split("/")
        depth = next((n for n, f in enumerate(folders) if is_test_folder(f) or may_be_test_folder(f)), None)
        if depth is not None:
            globs[_below("/".join(folders[: depth + 1]).encode("utf-8", "surrogateescape"))] = None
            continue
        globs.update((glob, None) for pattern, glob in _TEST_FILES if pattern.fullmatch(name))
    return tuple(globs) or ("tests/**",)


test_globs.__test__ = False  # type: ignore[attr-defined]


def _name(path: str) -> str:
    return as_text(unquote(path)).rpartition("/")[2]


def _above(path: bytes) -> list[bytes]:
    """The folders a path lies in, the root first."""
    parts = path.split(b"/")[:-1]
    return [b"/".join(parts[:count]) for count in range(len(parts) + 1)]


def _below(folder: bytes) -> str:
    return f"{literal(folder)}/**" if folder else "**"
