"""Level 2, late: function by function, and where one does not merge, the function as it was before the change.

It can take away what later work brought into that function; the gates decide.
"""

from __future__ import annotations

from change2task.construct.resolve.parts import Part
from change2task.construct.resolve.shift import Shift
from change2task.construct.resolve.stack import Merged
from change2task.construct.resolve.worded import split_lines
from change2task.construct.strategies.merging import Merging
from change2task.construct.strategies.unit_merge import by_units
from change2task.construct.undo import Versions


class OlderUnits(Merging):
    """Functions merged, else put back whole."""

    def __init__(self) -> None:
        super().__init__("older-units", 2, _merge)


def _merge(versions: Versions) -> Merged:
    return by_units(versions, _whole)


def _whole(part: Part, today: Part, older: Part) -> bytes:
    lines = split_lines(older.text)
    shift = Shift.between(split_lines(part.text), split_lines(today.text))
    return b"".join(shift.lines(lines) if shift is not None else lines)
