"""The parts of a restoration patch: its hunks, its files, the functions it changes, each to be left out once.

A part that may be left out without any check noticing is a part that an answer need not bring, so the oracle of a task
is as strong as the share of parts that are noticed. Here the states without one part are made; running checks on them
is left to ``validate``. What differs in comments, layout or docstrings alone is no part: no check can notice it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from change2task.patch.model import FilePatch, Hunk, UnifiedPatch
from change2task.patch.paths import quote
from change2task.patch.unified import parse_patch
from change2task.syntax.definitions import UnitKind
from change2task.syntax.languages import language_of
from change2task.syntax.tokens import same_code
from change2task.syntax.units import Unit, units
from change2task.vcs.errors import PatchDoesNotApply
from change2task.vcs.repository import Repository
from change2task.vcs.trees import Entry, Tree

PartKind = Literal["hunk", "file", "function"]


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
        self._repository, self._task, self._healthy = repository, task_tree, healthy_tree
        self._patch = parse_patch(repository.diff(task_tree, healthy_tree))

    def hunks(self) -> Iterator[Part]:
        for file in self._patch.files:
            if len(file.hunks) < 2:
                continue
            for hunk in file.hunks:
                others = tuple(one for one in file.hunks if one is not hunk)
                part = self._part("hunk", file, hunk, self._applied(file, replace(file, hunks=others)))
                if part is not None:
                    yield replace(part, alone=self._applied_alone(replace(file, hunks=(hunk,))))

    def files(self) -> Iterator[Part]:
        for file in self._patch.files:
            first = file.hunks[0] if file.hunks else None
            part = self._part("file", file, first, self._applied(file, None))
            if part is not None:
                single = len(file.hunks) < 2
                yield replace(part, alone=self._applied_alone(file) if single else None)

    def functions(self) -> Iterator[Part]:
        for file in self._patch.files:
            path = file.path
            before, after = self._content(self._task, path), self._content(self._healthy, path)
            language = None if after is None else language_of(path, after[:256])
            if before is None or after is None or language is None:
                continue
            earlier = {unit.key: unit for unit in units(language, before)}
            for unit in units(language, after):
                old = earlier.get(unit.key)
                if old is None or not _is_function(unit) or _text(before, old) == _text(after, unit):
                    continue
                content = after[: unit.code_start] + _text(before, old) + after[unit.span.end :]
                if same_code(language, content, after, docstrings=False):
                    continue
                line = after.count(b"\n", 0, unit.code_start) + 1
                lines = _text(after, unit).count(b"\n") + 1
                yield Part("function", quote(path), line, unit.name, lines, self._with(path, content))

    def _part(self, kind: PartKind, file: FilePatch, hunk: Hunk | None, without: str | None) -> Part | None:
        if without is None or self._says_the_same(file.path, without):
            return None
        line = 1 if hunk is None else _first_changed(hunk)
        hunks = file.hunks if kind == "file" or hunk is None else (hunk,)
        lines = sum(line.kind != " " for one in hunks for line in one.lines)
        return Part(kind, quote(file.path), line, "", lines, without)

    def _says_the_same(self, path: bytes, tree: str) -> bool:
        """Whether the file differs from the restored one in what no check can notice."""
        ours, healthy = self._content(tree, path), self._content(self._healthy, path)
        language = None if healthy is None else language_of(path, healthy[:256])
        if ours is None or healthy is None or language is None:
            return False
        return same_code(language, ours, healthy, docstrings=False)

    def _applied(self, file: FilePatch, instead: FilePatch | None) -> str | None:
        files = tuple(instead if one is file else one for one in self._patch.files)
        return self._apply(UnifiedPatch(tuple(one for one in files if one is not None)))

    def _applied_alone(self, file: FilePatch) -> str | None:
        return self._apply(UnifiedPatch((file,)))

    def _apply(self, patch: UnifiedPatch) -> str | None:
        if not patch.files:
            return self._task
        try:
            return self._repository.apply(self._task, patch.render())
        except PatchDoesNotApply:
            # Git finds a hunk's place by its lines; where the others have changed those, its file stands for it.
            return None

    def _content(self, tree: str, path: bytes) -> bytes | None:
        entry = self._repository.entry(tree, path)
        return None if entry is None else self._repository.blob(entry.oid)

    def _with(self, path: bytes, content: bytes) -> str:
        entries: dict[bytes, Entry] = dict(self._repository.tree(self._healthy))
        entries[path] = Entry(entries[path].mode, self._repository.write_blob(content))
        return self._repository.write_tree(Tree(entries))


def _is_function(unit: Unit) -> bool:
    return unit.kind in {UnitKind.FUNCTION, UnitKind.METHOD} and unit.body is not None


def _text(source: bytes, unit: Unit) -> bytes:
    return source[unit.code_start : unit.span.end]


def _first_changed(hunk: Hunk) -> int:
    """The line of the new side at which the hunk begins to change something."""
    unchanged = next((number for number, line in enumerate(hunk.lines) if line.kind != " "), 0)
    return max(1, hunk.new_start + unchanged)
