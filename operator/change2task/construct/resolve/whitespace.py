"""One side of a clash changed blanks alone: formatters, or code moved into a deeper block."""

from __future__ import annotations

from collections.abc import Sequence

from change2task.construct.resolve.clash import Clash, Settled
from change2task.construct.resolve.shift import Shift


def whitespace(clash: Clash) -> Settled | None:
    """The older lines, indented as the modern ones are; the modern lines where the change itself was of blanks."""
    base = _packed(clash.base)
    if base and base == _packed(clash.theirs):
        return Settled(clash.ours, "the change was of blanks alone; kept as it is")
    if base and base == _packed(clash.ours):
        shift = Shift.between(clash.base, clash.ours)
        if shift is not None:
            return Settled(shift.lines(clash.theirs), "put back, later work changed blanks alone")
    return None


def _packed(lines: Sequence[bytes]) -> bytes:
    return b"".join(b"".join(lines).split())
