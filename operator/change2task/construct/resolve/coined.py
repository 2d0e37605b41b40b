"""The change only added here, and what it added has grown: statements that use the names it coined go.

A line that became a statement of six, or a list that later work went on filling, is no line that can be followed. But
the change brought a name with it, `ignored_files` say, which stood nowhere in the file before. What uses the name
descends from the change or builds on it, and cannot run without it; what is left stays as it is today.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from change2task.construct.resolve.align import align
from change2task.construct.resolve.clash import Clash, Settled
from change2task.construct.resolve.nested import Nested, nested
from change2task.construct.resolve.words import tells, words

_MOST_LINES = 400
_LEAST = 20
"""Signs of a line below which that it stands twice may be chance."""
_HANDLERS = (b"except", b"finally", b"catch")


def coined(clash: Clash) -> Settled | None:
    """The modern lines without the statements that use a coined name, or that the change added as they stand."""
    if not clash.coined or not clash.ours or len(clash.ours) > _MOST_LINES or not _only_added(clash):
        return None
    statements = nested(clash.ours)
    if statements is None:
        return None
    known = {line.strip() for line in clash.theirs}
    added = {text for line in clash.base if len(text := line.strip()) >= _LEAST} - known
    kept = _without(statements, clash.coined, added)
    if kept is None or len(kept) == len(clash.ours):
        return None
    return Settled(kept, "statements that use what the change coined taken away")


def _only_added(clash: Clash) -> bool:
    """Whether every telling line of the older side is there after the change too, in order."""
    wanted = [line for line in clash.theirs if tells(line)]
    matched = sum(match.length for match in align([line for line in clash.base if tells(line)], wanted))
    return matched == len(wanted)


def _without(statements: Sequence[Nested], names: frozenset[bytes], added: set[bytes]) -> tuple[bytes, ...] | None:
    """The lines that stay; None where something would be left that goes on from what is gone."""
    left: list[bytes] = []
    gone = False
    for one in statements:
        if one.goes_on and gone:
            return None
        inner = _without(one.inner, names, added)
        if inner is None:
            return None
        emptied = bool(one.inner) and not any(tells(line) for line in inner)
        gone = _uses([*one.head, *one.tail], names) or (not one.inner and _is_added(one, added)) or emptied
        if gone and one.head[0].lstrip(b"} \t").startswith(_HANDLERS):
            return None
        if not gone:
            left += (*one.head, *inner, *one.tail)
    return tuple(left)


def _is_added(one: Nested, added: set[bytes]) -> bool:
    return all(line.strip() in added for line in one.head if tells(line)) and any(map(tells, one.head))


def _uses(lines: Iterable[bytes], names: frozenset[bytes]) -> bool:
    return not names.isdisjoint(words(b"".join(lines)))
