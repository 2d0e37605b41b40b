"""The change's tests found again on the healthy base: by name, through renames, moves and parametrisation.

A historical test function maps to every healthy case of the function it has become (paper, "Establishing the
Modern Task Base": mapped target checks must pass on H). Pure: it compares names; whether a mapped test fails
on the task state is left to ``validate``.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence

from change2task.api.model import Model
from change2task.checks.naming import Naming


class HistoricalTest(Model):
    """A test function the change added or altered: its quoted path then and now (None: the file is gone)."""

    path: str
    modern_path: str | None
    function: str


class MappedTest(Model):
    """A historical test function and the healthy cases on the base that it has become."""

    historical: HistoricalTest
    scope: str
    function: str
    how: str
    ids: tuple[str, ...]


class LostTest(Model):
    """A historical test function that has no counterpart on the base, and why."""

    historical: HistoricalTest
    why: str
    scope: str | None = None
    """Where its counterpart stands that is not healthy; None when there is none."""


class TestMap(Model):
    """The outcome of mapping a change's tests."""

    mapped: tuple[MappedTest, ...]
    lost: tuple[LostTest, ...]

    @property
    def ids(self) -> tuple[str, ...]:
        """All mapped ids, each once, sorted."""
        return tuple(sorted({check for test in self.mapped for check in test.ids}))

    @property
    def places(self) -> frozenset[tuple[str, str]]:
        """The modern functions mapped to, as (scope, function)."""
        return frozenset((test.scope, test.function) for test in self.mapped)


class Inventoried(Model):
    """The base's checks as far as mapping needs them."""

    healthy: tuple[str, ...]
    other: dict[str, str]
    """Every id that is not healthy, and what it is instead (failing, unstable, skipped, …)."""


def map_tests(
    historical: Iterable[HistoricalTest],
    inventory: Inventoried,
    naming: Naming,
    is_own: Callable[[HistoricalTest, tuple[str, str]], bool] = lambda _test, _place: True,
) -> TestMap:
    """Map each historical test function to a modern one; two historical functions may share one.

    ``is_own`` says of a namesake elsewhere whether it can be the change's test: younger than the change's parent, and
    alike.
    """
    index = _Index(inventory, naming, is_own)
    mapped: list[MappedTest] = []
    lost: list[LostTest] = []
    for test in historical:
        place, how = index.find(test)
        if place is None:
            lost.append(LostTest(historical=test, why=how, scope=index.unhealthy_scope(test)))
            continue
        ids = index.healthy[place]
        mapped.append(MappedTest(historical=test, scope=place[0], function=place[1], how=how, ids=tuple(sorted(ids))))
    return TestMap(mapped=tuple(mapped), lost=tuple(lost))


Place = tuple[str, str]


class _Index:
    def __init__(self, inventory: Inventoried, naming: Naming, is_own: Callable[[HistoricalTest, Place], bool]) -> None:
        self._naming = naming
        self._is_own = is_own
        self.healthy: dict[Place, list[str]] = defaultdict(list)
        self._unhealthy: dict[Place, str] = {}
        self._by_function: dict[str, set[Place]] = defaultdict(set)
        self._by_last_name: dict[str, set[Place]] = defaultdict(set)
        for check in inventory.healthy:
            place = naming.name(check).place
            self.healthy[place].append(check)
            self._by_function[place[1]].add(place)
            self._by_last_name[_last(place[1])].add(place)
        for check, state in inventory.other.items():
            self._unhealthy.setdefault(naming.name(check).place, state)

    def find(self, test: HistoricalTest) -> tuple[Place | None, str]:
        scopes = self._scopes(test)
        for scope in scopes:
            if (scope, test.function) in self.healthy:
                return (scope, test.function), "same name"
        for scope in scopes:
            if (state := self._unhealthy.get((scope, test.function))) is not None:
                return None, f"its counterpart is {state} on the base"
        return self._elsewhere(test, scopes)

    def unhealthy_scope(self, test: HistoricalTest) -> str | None:
        """The scope where the test stands under its name without being healthy."""
        return next((s for s in self._scopes(test) if (s, test.function) in self._unhealthy), None)

    def _scopes(self, test: HistoricalTest) -> list[str]:
        paths = (path for path in (test.modern_path, test.path) if path is not None)
        return list(dict.fromkeys(self._naming.scope_of(path) for path in paths))

    def _elsewhere(self, test: HistoricalTest, scopes: Sequence[str]) -> tuple[Place | None, str]:
        last = _last(test.function)
        attempts: tuple[tuple[str, set[Place]], ...] = (
            ("same name in the same file, another class", {p for p in self._by_last_name[last] if p[0] in scopes}),
            ("unique qualified name in another file", self._by_function[test.function]),
            ("unique name in another file", self._by_last_name[last]),
        )
        for how, found in attempts:
            places = {place for place in found if self._is_own(test, place)}
            if len(places) == 1:
                return next(iter(places)), how
            if len(places) > 1:
                return None, f"{len(places)} tests of that name are on the base"
        return None, "no test of that name is on the base"


def _last(function: str) -> str:
    return function.rsplit("::", 1)[-1].rsplit(".", 1)[-1]
