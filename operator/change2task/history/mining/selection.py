"""Which of the changes that could be candidates are taken: those that promise most, or a sample that all can redraw.

A closer look costs a hundred times a survey's, so it is taken in the order of what the survey promises, and only until
enough are found. Everything that is not taken has a reason here too.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from change2task.api.taskcandidate import Family
from change2task.history.mining.leaving import Left
from change2task.history.mining.score import Score
from change2task.history.mining.survey import Found

_SPARE = 10
_TIMES = 1.25
"""So many more than the limit are looked at closely, since a closer look re-orders them."""


@dataclass(frozen=True)
class Wish:
    """What is asked for. ``sample`` draws so many instead of taking the most promising ones."""

    limit: int = 50
    families: frozenset[Family] = frozenset()
    least: float = 0.0
    sample: int | None = None
    seed: int = 0


Value = TypeVar("Value")


@dataclass(frozen=True)
class Seen(Generic[Value]):
    """What a closer look found of a change that can be a candidate."""

    found: Found
    score: Score
    family: Family
    value: Value


@dataclass(frozen=True)
class Unseen:
    """Why a closer look refuses a change."""

    left: Left
    message: str


@dataclass
class Chosen(Generic[Value]):
    """What is taken, best first, and the fate of the rest with what is to be said of it."""

    taken: list[Seen[Value]] = field(default_factory=list)
    fates: dict[str, Left] = field(default_factory=dict)
    details: dict[str, str] = field(default_factory=dict)


def choose(found: Sequence[Found], look: Callable[[Found], Seen[Value] | Unseen], wish: Wish) -> Chosen[Value]:
    """Look at changes in their order until enough are found, and take those that promise most."""
    chosen: Chosen[Value] = Chosen()
    wanted = enough(wish)
    for one in in_order(found, wish):
        commit = one.unit.commit
        if len(chosen.taken) >= wanted:
            chosen.fates[commit] = Left.NOT_LOOKED_AT if wish.sample is None else Left.NOT_SAMPLED
            continue
        seen = look(one)
        if isinstance(seen, Unseen):
            chosen.fates[commit], chosen.details[commit] = seen.left, seen.message
        elif wish.families and seen.family not in wish.families:
            chosen.fates[commit], chosen.details[commit] = Left.OTHER_FAMILY, seen.family.value
        elif seen.score.value < wish.least:
            chosen.fates[commit], chosen.details[commit] = Left.BELOW_SCORE, seen.score.told()
        else:
            chosen.taken.append(seen)
    # Sorting keeps the order of equals, which is that of history.
    place = {one.unit.commit: number for number, one in enumerate(found)}
    chosen.taken.sort(key=lambda seen: (-seen.score.value, place[seen.found.unit.commit]))
    for seen in chosen.taken[wish.limit :]:
        chosen.fates[seen.found.unit.commit] = Left.BEYOND_LIMIT
        chosen.details[seen.found.unit.commit] = seen.score.told()
    del chosen.taken[wish.limit :]
    return chosen


def enough(wish: Wish) -> int:
    """How many changes that can be candidates are found before the closer looks end."""
    return wish.sample if wish.sample is not None else int(wish.limit * _TIMES) + _SPARE


def in_order(found: Sequence[Found], wish: Wish) -> Iterator[Found]:
    """Changes in the order in which they are looked at closely."""
    if wish.sample is None:
        yield from sorted(found, key=lambda one: -one.score.value)
    else:
        # A digest for each change keeps the draw the same when history grows by others.
        yield from sorted(found, key=lambda one: hashlib.sha256(f"{wish.seed}:{one.unit.commit}".encode()).digest())
