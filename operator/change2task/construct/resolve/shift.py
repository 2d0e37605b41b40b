"""How far later work moved lines to the right or left, so that older lines can follow them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from change2task.construct.resolve.words import indent_of


@dataclass(frozen=True, slots=True)
class Shift:
    """Lines indented by `was` are indented by `now` instead, and deeper ones as much deeper."""

    was: bytes
    now: bytes

    @classmethod
    def between(cls, base: Sequence[bytes], ours: Sequence[bytes]) -> Shift | None:
        """The one shift of two equally many lines, or of their first ones; None when there is none to tell."""
        one = next((line for line in base if line.strip()), None)
        other = next((line for line in ours if line.strip()), None)
        return None if one is None or other is None else cls(indent_of(one), indent_of(other))

    def lines(self, lines: Sequence[bytes]) -> tuple[bytes, ...]:
        """The lines, moved; those that are less indented than the shift says follow as far as they can."""
        return tuple(self._moved(line) for line in lines)

    def _moved(self, line: bytes) -> bytes:
        if self.was == self.now or not line.strip():
            return line
        if line.startswith(self.was):
            return self.now + line[len(self.was) :]
        indent = indent_of(line)
        shallower = len(self.was) - len(indent)
        if self.was.startswith(indent) and shallower <= len(self.now):
            return self.now[: len(self.now) - shallower] + line[len(indent) :]
        return line
