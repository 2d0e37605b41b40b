"""What a change's files say of it: which parts it touches, how much, and what of them is left on the base.

Roles are those of `roles`, by path alone, since reading every version of every file would take longer than the whole
survey; the closer look at a candidate reads them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from change2task.history.mining.leaving import Left
from change2task.history.models import Role
from change2task.history.roles import Roles
from change2task.vcs.counted import CountedChange
from change2task.vcs.trees import SUBMODULE

MOST_LINES: Final = 1000
"""Source lines added and removed, beyond which a change is no single task."""
MOST_FILES: Final = 40
"""Source files, likewise."""
_TYPES = (b".pyi", b".d.ts", b".d.mts", b".d.cts")
_GENERATED = (Role.GENERATED, Role.METADATA)


@dataclass(frozen=True, slots=True)
class Touched:
    """What is known of a change's files without reading one. Paths are those after the change."""

    source: tuple[bytes, ...] = ()
    tests: tuple[bytes, ...] = ()
    lines: int = 0
    source_alive: int = 0
    tests_alive: int = 0
    left: Left | None = None
    detail: str = ""


class Survivors:
    """Where files of the past lie on the base, learnt from the newest change to the oldest."""

    def __init__(self, head: Collection[bytes]) -> None:
        self._head = frozenset(head)
        self._by_name: defaultdict[bytes, list[bytes]] = defaultdict(list)
        for path in head:
            self._by_name[path.rpartition(b"/")[2]].append(path)
        self._later: dict[bytes, bytes] = {}

    def on_base(self, path: bytes) -> bytes | None:
        """The path that a file has on the base, as far as renames tell, else by a name that is there but once."""
        later = self._later.get(path, path)
        if later in self._head:
            return later
        named = self._by_name.get(later.rpartition(b"/")[2], ())
        return named[0] if len(named) == 1 and not later.endswith(b"/__init__.py") else None

    def before(self, changes: Iterable[CountedChange]) -> None:
        """Go to the time before a change."""
        moved: dict[bytes, bytes] = {}
        for one in changes:
            if one.change.status == "renamed":
                moved[one.change.old_path] = self._later.get(one.change.path, one.change.path)
            elif one.change.status == "added":
                self._later.pop(one.change.path, None)
        self._later.update(moved)


def touched(
    changes: Sequence[CountedChange] | None,
    roles: Callable[[bytes], Role],
    protected: Callable[[bytes], bool],
    survivors: Survivors,
    needs_no_test: bool,
) -> Touched:
    """What a change touches, and why it is left out if that alone says so."""
    if changes is None:
        return Touched(left=Left.DAMAGED)
    real = [one for one in changes if one.change.old is None or one.change.new is None or _oids_differ(one)]
    if not real:
        return Touched(left=Left.EMPTY)
    plain = [one for one in real if not _is_submodule(one)]
    if len(plain) < len(real) and all(one.change.path.endswith(b".gitmodules") for one in plain):
        return Touched(left=Left.SUBMODULE_ONLY)
    by_role: defaultdict[Role, list[CountedChange]] = defaultdict(list)
    for one in plain:
        role = roles(one.change.path)
        by_role[Role.METADATA if role is Role.SOURCE and protected(one.change.path) else role].append(one)
    source, tests = by_role[Role.SOURCE], by_role[Role.TESTS]
    found = Touched(
        source=tuple(one.change.path for one in source),
        tests=tuple(one.change.path for one in tests),
        lines=sum((one.lines.added or 0) + (one.lines.removed or 0) for one in source),
        source_alive=sum(_survives(one, survivors) for one in source),
        tests_alive=sum(_survives(one, survivors) for one in tests if one.change.new is not None),
    )
    left, detail = _why_left(found, by_role, needs_no_test)
    return replace(found, left=left, detail=detail) if left else found


def _why_left(
    found: Touched, by_role: Mapping[Role, Sequence[CountedChange]], needs_no_test: bool
) -> tuple[Left | None, str]:
    source = by_role.get(Role.SOURCE, ())
    if not source:
        if found.tests:
            return Left.TESTS_ONLY, ""
        return (Left.METADATA_ONLY if any(by_role.get(role) for role in _GENERATED) else Left.DOCS_ONLY), ""
    if all(one.lines.added is None for one in source):
        return Left.BINARY_ONLY, ""
    if all(path.endswith(_TYPES) for path in found.source):
        return Left.TYPES_ONLY, ""
    if found.lines > MOST_LINES or len(source) > MOST_FILES:
        return Left.TOO_LARGE, f"{found.lines} source lines in {len(source)} files"
    if not (found.tests or needs_no_test or any(path.endswith(b".rs") for path in found.source)):
        return Left.NO_TESTS, ""
    if not found.source_alive:
        return Left.NO_HOST, ""
    return None, ""


def _oids_differ(one: CountedChange) -> bool:
    old, new = one.change.old, one.change.new
    return old is not None and new is not None and old.oid != new.oid


def _is_submodule(one: CountedChange) -> bool:
    return any(side is not None and side.mode == SUBMODULE for side in (one.change.old, one.change.new))


def _survives(one: CountedChange, survivors: Survivors) -> bool:
    """Whether a file is on the base; one that the change deleted can come back where its path is free."""
    there = survivors.on_base(one.change.path)
    return there is None if one.change.new is None else there is not None


def role_of(roles: Roles) -> Callable[[bytes], Role]:
    """Roles by path, each path asked about once."""
    known: dict[bytes, Role] = {}

    def role(path: bytes) -> Role:
        if path not in known:
            known[path] = roles.role(path)
        return known[path]

    return role
