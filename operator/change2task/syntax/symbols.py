"""Which symbols lines belong to, and which names a source defines and uses.

It exists for the footprint of a patch (how many symbols it touches) and for heuristics over names. It resolves
no scopes: a name is a word here. Where a dotted API is used is left to `queries`.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection

from change2task.syntax.grammars import grammar
from change2task.syntax.languages import Language
from change2task.syntax.tokens import tokens
from change2task.syntax.trees import Span
from change2task.syntax.units import Unit, units


def units_at(language: Language, source: bytes, lines: Collection[int]) -> tuple[Unit, ...]:
    """The innermost units that hold any of these 1-based lines, in file order, attached comments and
    decorators included.
    """
    wanted = sorted(set(lines))
    everything = units(language, source)
    holders: dict[int, set[int]] = {line: set() for line in wanted}
    outer: dict[int, set[Span]] = {}
    for index, unit in enumerate(everything):
        low = bisect_left(wanted, unit.span.first_line)
        high = bisect_right(wanted, unit.span.last_line)
        for line in wanted[low:high]:
            holders[line].add(index)
            if unit.parent is not None:
                outer.setdefault(line, set()).add(everything[unit.parent].span)
    held = sorted(
        {i for line, found in holders.items() for i in found if everything[i].span not in outer.get(line, ())}
    )
    return tuple(everything[index] for index in held)


def symbols_touched(language: Language, source: bytes, lines: Collection[int]) -> tuple[str, ...]:
    """The names of the innermost units that hold these lines, each once, in file order.

    Lines outside every unit (imports, module-level calls) belong to no symbol. Callers unite the two sides of
    a patch.
    """
    return tuple(dict.fromkeys(unit.name for unit in units_at(language, source, lines)))


def names_defined(language: Language, source: bytes) -> frozenset[str]:
    """The short names of all units: functions, methods, classes, types and module-level names."""
    return frozenset(unit.short for unit in units(language, source))


def names_used(language: Language, source: bytes) -> frozenset[str]:
    """Every identifier written anywhere in code, definitions included; never from comments or plain strings."""
    kinds = grammar(language).identifiers
    return frozenset(
        token.text.decode("utf-8", "backslashreplace") for token in tokens(language, source) if token.kind in kinds
    )
