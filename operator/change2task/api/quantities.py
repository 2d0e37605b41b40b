"""Kubernetes quantities as numbers, so that amounts can be compared before a cluster is asked."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Final

_PARTS: Final = re.compile(r"(?P<number>[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?P<unit>[numkMGTPE]|[KMGTPE]i|[eE][+-]?[0-9]+)?")
_TENS: Final = {"n": -9, "u": -6, "m": -3, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_TWOS: Final = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}


def amount(quantity: str) -> Decimal:
    """The number that a quantity like ``500m`` or ``1Gi`` stands for. ValueError for what is none."""
    found = _PARTS.fullmatch(quantity.removeprefix("+"))
    if found is None:
        raise ValueError(f"{quantity!r} is no quantity such as 500m, 2 or 1Gi")
    number, unit = Decimal(found["number"]), found["unit"] or ""
    if unit in _TWOS:
        return number * Decimal(2) ** _TWOS[unit]
    if unit[:1] in {"e", "E"} and len(unit) > 1:
        return number.scaleb(int(unit[1:]))
    return number.scaleb(_TENS.get(unit, 0))
