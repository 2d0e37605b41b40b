"""The parts of a restoration patch: its hunks, its files, the functions it changes, each to be left out once.

A part that may be left out without any check noticing is a part that an answer need not bring, so the oracle of a task
is as strong as the share of parts that are noticed. Here the states without one part are made; running checks on them
is left to ``validate``. What differs in comments, layout or docstrings alone is no part: no check can notice it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from change2task.patch.model import Hunk
from change2task.patch.paths import quote
from change2task.patch.unified import parse_patch
from change2task.syntax.definitions import UnitKind
from change2task.syntax.languages import language_of
from change2task.syntax.tokens import same_code
from change2task.syntax.units import Unit, units
from change2task.vcs.repository import Repository
from change2task.vcs.trees import Entry, Tree

PartKind = Literal["hunk", "file", "function"]
_CODING = re.compile(rb"[ \t\f]*#.*?coding[:=]")
"""Python's own pattern (language reference, "Encoding declarations")."""


@dataclass(frozen=True)
class Part:
    """One part of G: where it stands in the restored state, how many lines it changes, and the state without it.

    ``path`` is quoted, ``line`` counts from 1, ``name`` is the function's, empty for hunks and files. ``alone`` is the
    task state with nothing but this part restored, for hunks only.
    """

    kind: PartKind
    path: str
    line: int
    name: str
    lines: int
    without: str
    alone: str | None = None


def parts_of(repository: Repository, task_tree: str, healthy_tree: str) -> list[Part]:
    """All parts of the way from ``task_tree`` to ``healthy_tree``: hunks, files, functions, each in the patch's order.

    No two leave the same state. The whole way is a part only where it is the only one: a single hunk, without which
    the task state itself is left.
    """
    found = _Parts(repository, task_tree, healthy_tree)
    seen = {healthy_tree}
    parts: list[Part] = []
    for part in (*found.hunks(), *found.files(), *found.functions()):
        if part.without not in seen:
            seen.add(part.without)
            parts.append(part)
    smaller = [part for part in parts if part.without != task_tree]
    return smaller or parts


class _Parts:
    def __init__(self, repository: Repository, task_tree: str, healthy_tree: str) -> None:
        self._repository, self._task_tree, self._healthy_tree = repository, task_tree, healthy_tree
        self._task, self._healthy = repository.tree(task_tree), repository.tree(healthy_tree)
        self._patch = parse_patch(repository.diff(task_tree, healthy_tree))

    def hunks(self) -> Iterator[Part]:
        for file in self._patch.files:
            before = self._repository.file(self._task_tree, file.path)
            if len(file.hunks) < 2 or before is None:
                continue
            for hunk in file.hunks:
                others = spliced(before, [one for one in file.hunks if one is not hunk])
                if self._says_the_same(file.path, others):
                    continue
                without = self._with(self._healthy, file.path, others)
                alone = self._with(self._task, file.path, spliced(before, [hunk]))
                line, lines = _first_changed(hunk), _changed([hunk])
                yield Part("hunk", quote(file.path), line, "", lines, without, alone)

    def files(self) -> Iterator[Part]:
        for file in self._patch.files:
            path = file.path
            was, now = self._task.get(path), self._healthy.get(path)
            same_mode = was is not None and now is not None and was.mode == now.mode
            before = self._repository.file(self._task_tree, path)
            if same_mode and before is not None and self._says_the_same(path, before):
                continue
            line = _first_changed(file.hunks[0]) if file.hunks else 1
            alone = None if len(file.hunks) > 1 else self._tree(self._task, path, now)
            without = self._tree(self._healthy, path, was)
            yield Part("file", quote(path), line, "", _changed(file.hunks), without, alone)

    def functions(self) -> Iterator[Part]:
        for file in self._patch.files:
            path = file.path
            before = self._repository.file(self._task_tree, path)
            after = self._repository.file(self._healthy_tree, path)
            language = None if after is None else language_of(path, after[:256])
            if before is None or after is None or language is None:
                continue
            earlier = {unit.key: unit for unit in units(language, before)}
            for unit in units(language, after):
                old = earlier.get(unit.key)
                if old is None or not _is_function(unit) or _text(before, old) == _text(after, unit):
                    continue
                content = after[: unit.code_start] + _text(before, old) + after[unit.span.end :]
                if self._says_the_same(path, content):
                    continue
                line = after.count(b"\n", 0, unit.code_start) + 1
                lines = _text(after, unit).count(b"\n") + 1
                yield Part("function", quote(path), line, unit.name, lines, self._with(self._healthy, path, content))

    def _says_the_same(self, path: bytes, content: bytes) -> bool:
        """Whether a content differs from the restored one in what no check can notice."""
        healthy = self._repository.file(self._healthy_tree, path)
        language = None if healthy is None else language_of(path, healthy[:256])
        if healthy is None or language is None or _first_lines(content) != _first_lines(healthy):
            return False
        return same_code(language, content, healthy, docstrings=False)

    def _with(self, tree: Tree, path: bytes, content: bytes) -> str:
        mode = (tree.get(path) or self._healthy[path]).mode
        return self._tree(tree, path, Entry(mode, self._repository.write_blob(content)))

    def _tree(self, tree: Tree, path: bytes, entry: Entry | None) -> str:
        """A tree with one path as it is given; what it would lie below, or what lies below it, goes."""
        entries = {
            other: one
            for other, one in tree.items()
            if other != path and (entry is None or not (other.startswith(path + b"/") or path.startswith(other + b"/")))
        }
        if entry is not None:
            entries[path] = entry
        return self._repository.write_tree(Tree(entries))


def spliced(content: bytes, hunks: Sequence[Hunk]) -> bytes:
    """A content with these hunks of a patch that was made for it, each at the lines it names and nowhere else."""
    rows = _rows(content)
    for hunk in sorted(hunks, key=lambda one: one.old_start, reverse=True):
        # An empty side starts after the line that git names.
        first = hunk.old_start - (hunk.old_count > 0)
        rows[first : first + hunk.old_count] = [line.text for line in hunk.lines if line.kind != "-"]
    return b"".join(rows)


def _rows(content: bytes) -> list[bytes]:
    """Lines as git counts them: they end with a newline, and with nothing else."""
    rows = [row + b"\n" for row in content.split(b"\n")]
    rows[-1] = rows[-1][:-1]
    return rows if rows[-1] else rows[:-1]


def _changed(hunks: Sequence[Hunk]) -> int:
    return sum(line.kind != " " for hunk in hunks for line in hunk.lines)


def _first_lines(content: bytes) -> list[bytes]:
    """What an interpreter is named by, and a coding, which are comments and say something."""
    return [line for line in content.split(b"\n", 2)[:2] if line.startswith(b"#!") or _CODING.match(line)]


def _is_function(unit: Unit) -> bool:
    return unit.kind in {UnitKind.FUNCTION, UnitKind.METHOD} and unit.body is not None


def _text(source: bytes, unit: Unit) -> bytes:
    return source[unit.code_start : unit.span.end]


def _first_changed(hunk: Hunk) -> int:
    """The line of the new side at which the hunk begins to change something."""
    unchanged = next((number for number, line in enumerate(hunk.lines) if line.kind != " "), 0)
    return max(1, hunk.new_start + unchanged)
