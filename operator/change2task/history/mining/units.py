"""Every commit of a history assigned to the one change it belongs to.

A request's commits are one change, merged or squashed; a merge of a long-lived branch is none, and what it brings in
stands for itself; everything else is a commit by itself. `references` proves one change with git's help; this reads
messages, parents and the forge's references alone, because a history is looked at as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from change2task.history.subjects import is_long_lived, merged_branch, named_request
from change2task.history.wording import unwrapped
from change2task.vcs.commits import CommitInfo

_TIP = re.compile(r"refs/(?:pull|merge-requests|pull-requests)/(\d{1,9})/(?:head|from)")

_MERGED_LINE = re.compile(
    r"(?i)\W*(?:sync|merge|merging)\s+(?:(?:changes\s+)?from\s+)?(?:branch\s+)?['\"`]?(?P<branch>[\w./-]+?)['\"`]?"
    r"(?:\s+(?:in)?to\s+\S+|\s+branch)?\W*(?:\([#!]\d+\))?\W*"
)

Kind = Literal["merge", "squash", "commit", "bundle"]


@dataclass(frozen=True, slots=True)
class Unit:
    """One change: its last commit, what that is compared with, and the commits that came in with it."""

    commit: str
    parent: str | None
    kind: Kind
    number: int | None = None
    inside: tuple[str, ...] = ()


class UnitsDoNotAddUp(Exception):
    """A defect: a commit of the history that belongs to no change, or to two."""


def request_tips(refs: Mapping[str, str]) -> dict[str, int]:
    """The last commits of requests, by the references that forges keep, and their numbers; of several the first."""
    found: dict[str, int] = {}
    for name, oid in refs.items():
        if match := _TIP.fullmatch(name):
            found[oid] = min(int(match[1]), found.get(oid, int(match[1])))
    return found


def units(
    head: str,
    parents: Mapping[str, tuple[str, ...]],
    infos: Mapping[str, CommitInfo],
    tips: Mapping[str, int],
) -> tuple[Unit, ...]:
    """All changes under ``head``, newest first. ``parents`` holds every commit, children before parents.

    Raises UnitsDoNotAddUp.
    """
    found = tuple(_Sorting(parents, infos, tips).sort(head))
    counted = [oid for unit in found for oid in (unit.commit, *unit.inside)]
    if len(counted) != len(parents) or set(counted) != parents.keys():
        raise UnitsDoNotAddUp(
            f"{len(parents)} commits, {len(counted)} of them assigned ({len(set(counted))} different)"
        )
    place = {oid: number for number, oid in enumerate(parents)}
    return tuple(sorted(found, key=lambda unit: place[unit.commit]))


def brings_in_a_line(info: CommitInfo) -> bool:
    """Whether the title says of the whole change that it brings in a long-lived branch: ``Merge main into stable``."""
    match = _MERGED_LINE.fullmatch(unwrapped(info.subject, info.body)[0][:200])
    return match is not None and is_long_lived(match["branch"])


class _Sorting:
    """One walk: lines from old to new, so that a merge's sides are what nobody has claimed before it."""

    def __init__(
        self, parents: Mapping[str, tuple[str, ...]], infos: Mapping[str, CommitInfo], tips: Mapping[str, int]
    ) -> None:
        self._parents = parents
        self._infos = infos
        self._tips = tips
        self._numbers = frozenset(tips.values())
        self._claimed: set[str] = set()

    def sort(self, head: str) -> Iterator[Unit]:
        # Lines wait on a list instead of the call stack: criss-cross merges nest as deep as they like.
        lines = [self._line(head)]
        while lines:
            oid = next(lines[-1], None)
            if oid is None:
                lines.pop()
                continue
            self._claimed.add(oid)
            own = self._parents[oid]
            first, sides = next(iter(own), None), own[1:]
            inside = self._brought_in(sides) if sides else ()
            unit = self._unit(oid, first, sides, inside)
            yield unit
            if unit.kind == "bundle":
                lines.extend(self._line(side) for side in reversed(sides))
            else:
                self._claimed.update(inside)

    def _line(self, tip: str) -> Iterator[str]:
        """Unclaimed commits from a tip along first parents, oldest first; found when the first is asked for."""
        line: list[str] = []
        oid: str | None = tip
        while oid is not None and oid in self._parents and oid not in self._claimed:
            line.append(oid)
            oid = next(iter(self._parents[oid]), None)
        yield from reversed(line)

    def _brought_in(self, sides: tuple[str, ...]) -> tuple[str, ...]:
        """What a merge's sides bring in and nothing before it had, newest first as far as a side is a line."""
        found: dict[str, None] = {}
        waiting = list(sides)
        while waiting:
            oid = waiting.pop()
            if oid in found or oid in self._claimed or oid not in self._parents:
                continue
            found[oid] = None
            waiting.extend(self._parents[oid])
        return tuple(found)

    def _unit(self, oid: str, first: str | None, sides: tuple[str, ...], inside: tuple[str, ...]) -> Unit:
        info = self._infos[oid]
        number = named_request(info.subject, info.body)
        if not sides:
            return Unit(oid, first, "squash" if number is not None else "commit", number)
        if number is None:
            number = next((self._tips[side] for side in sides if side in self._tips), None)
        if self._is_bundle(info, number, sides, inside):
            return Unit(oid, first, "bundle", number)
        return Unit(oid, first, "merge", number, inside)

    def _is_bundle(self, info: CommitInfo, number: int | None, sides: tuple[str, ...], inside: tuple[str, ...]) -> bool:
        if len(inside) < 2:
            return False
        others = {other for oid in inside if (other := self._stands_for(oid, number)) is not None}
        if len(others) > 1 or (len(sides) > 1 and sum(side in set(inside) for side in sides) > 1):
            return True
        if brings_in_a_line(info):
            return True
        branch = merged_branch(info.subject) if number is None else None
        return branch is not None and is_long_lived(branch)

    def _stands_for(self, oid: str, own: int | None) -> int | None:
        """The request that a commit inside a merge stands for; numbers of issues and of forks are not taken."""
        info = self._infos[oid]
        number = named_request(info.subject, info.body)
        sides = info.parents[1:]
        if number is None:
            number = next((self._tips[side] for side in sides if side in self._tips), None)
        if number is None or number == own:
            return None
        if number in self._numbers:
            return number if not sides or any(self._tips.get(side) == number for side in sides) else None
        # Without the forge's references a merge is believed, and "(#12)" in a plain subject may be an issue.
        return number if sides and own not in self._numbers else None
