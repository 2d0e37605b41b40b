"""What leads from the healthy tree to a task state, cut into pieces that can be left out one by one."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from change2task.construct.resolve.align import align
from change2task.construct.resolve.parts import parts
from change2task.construct.resolve.worded import split_lines
from change2task.construct.resolve.words import tells
from change2task.patch.paths import quote
from change2task.syntax.languages import language_of
from change2task.vcs.repository import Repository
from change2task.vcs.trees import EXECUTABLE, FILE, Entry

MOST_BYTES = 400_000
_TEXTS = frozenset({FILE, EXECUTABLE})


@dataclass(frozen=True, slots=True)
class Piece:
    """Lines ``first`` to ``last`` (from 0, half open) of a healthy file and what stands there on the task state.

    ``lines`` is None where the file as a whole comes or goes. ``within``: the healthy file's function around it, or "".
    """

    path: bytes
    first: int
    last: int
    lines: tuple[bytes, ...] | None
    within: str

    @property
    def size(self) -> int:
        """How many lines go and come."""
        return self.last - self.first + len(self.lines or ())

    def where(self) -> str:
        """The place, for people."""
        return f"{quote(self.path)}, line {self.first + 1}" if self.lines is not None else quote(self.path)


class Pieces:
    """The pieces of one task state, and trees with some of them left as they are on the healthy base."""

    def __init__(self, repository: Repository, healthy: str, task: str) -> None:
        self._repository, self._healthy = repository, repository.tree(healthy)
        self._task = repository.tree(task)
        paths = [change.path for change in repository.changed_paths(healthy, task)]
        self.all: tuple[Piece, ...] = tuple(piece for path in paths for piece in self._of(path))

    def without(self, left: Collection[int]) -> str:
        """The task state with the pieces of these numbers undone."""
        changes: dict[bytes, Entry | None] = {}
        for path in dict.fromkeys(piece.path for piece in self.all):
            kept = [p for number, p in enumerate(self.all) if p.path == path and number not in left]
            changes[path] = self._entry(path, kept)
        return self._repository.write_tree(self._healthy.replacing(changes))

    def _entry(self, path: bytes, kept: Sequence[Piece]) -> Entry | None:
        was, now = self._healthy.get(path), self._task.get(path)
        if not kept:
            return was
        if was is None or now is None or any(piece.lines is None for piece in kept):
            return now
        lines = list(split_lines(self._repository.blob(was.oid)))
        for piece in sorted(kept, key=lambda piece: piece.first, reverse=True):
            lines[piece.first : piece.last] = piece.lines or ()
        return Entry(now.mode, self._repository.write_blob(b"".join(lines)))

    def _of(self, path: bytes) -> Iterator[Piece]:
        was, now = self._healthy.get(path), self._task.get(path)
        texts = [self._repository.blob(e.oid) for e in (was, now) if e is not None and e.mode in _TEXTS]
        if len(texts) < 2 or max(map(len, texts)) > MOST_BYTES or any(b"\0" in text for text in texts):
            yield Piece(path, 0, 0, None, "")
            return
        healthy, task = map(split_lines, texts)
        language = language_of(path, texts[0][:256])
        functions = list(parts(language, texts[0]).values()) if language is not None else []
        one = other = 0
        for end, other_end, length in [*align(healthy, task, telling=tells), (len(healthy), len(task), 0)]:
            if end > one or other_end > other:
                around = next((f.key for f in functions if f.first <= one + 1 <= f.last), "")
                yield Piece(path, one, end, tuple(task[other:other_end]), around)
            one, other = end + length, other_end + length
