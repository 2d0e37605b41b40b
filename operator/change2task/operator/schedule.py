"""When which key is looked at: fair between namespaces, never two looks at one key at a time, later after failures.

Pure: time comes in as seconds of any steady clock, and chance as a function. Waiting and running are the queue's.
"""

from __future__ import annotations

import heapq
from collections import OrderedDict, deque
from collections.abc import Callable
from typing import NamedTuple


class Key(NamedTuple):
    """One object of the cluster."""

    kind: str
    namespace: str
    name: str


class Backoff(NamedTuple):
    """Seconds before the next look after one, two, … failures in a row: doubling, up to a most, with chance taken off.

    ``spread``: the share of the delay that chance may take off, so that what failed together does not return together.
    """

    first: float = 1.0
    most: float = 60.0
    spread: float = 0.5

    def delay(self, failures: int, chance: float) -> float:
        """``chance`` from 0 to 1; failures from 1."""
        whole = min(self.most, self.first * 2.0 ** min(failures - 1, 32))
        return whole * (1 - self.spread * chance)


class Schedule:
    """Keys that wait, keys that are ready, and keys that are being looked at."""

    def __init__(self, backoff: Backoff, chance: Callable[[], float]) -> None:
        self._backoff = backoff
        self._chance = chance
        self._ready: OrderedDict[str, deque[Key]] = OrderedDict()
        self._listed: set[Key] = set()
        self._due: dict[Key, float] = {}
        self._heap: list[tuple[float, Key]] = []
        self._working: set[Key] = set()
        self._again: set[Key] = set()
        self._failures: dict[Key, int] = {}

    def __len__(self) -> int:
        """Keys that wait or are ready, those being looked at not counted."""
        return len(self._listed) + len(self._due)

    @property
    def working(self) -> int:
        """How many keys are being looked at."""
        return len(self._working)

    def add(self, key: Key) -> None:
        """A look is wanted now. During a look it is remembered, since that look may have gathered too early.

        Events of an object whose looks fail do not outrun its back-off: a failing look may be what causes them.
        """
        if key in self._failures and key in self._due:
            return
        self._due.pop(key, None)
        if key in self._working:
            self._again.add(key)
        elif key not in self._listed:
            self._listed.add(key)
            self._ready.setdefault(key.namespace, deque()).append(key)

    def add_at(self, key: Key, when: float) -> None:
        """A look is wanted by then; an earlier wish stands."""
        if key in self._listed or key in self._again or self._due.get(key, when + 1) <= when:
            return
        self._due[key] = when
        heapq.heappush(self._heap, (when, key))

    def take(self, now: float) -> Key | None:
        """The next key to look at, from the namespace that has waited longest for a turn; None when none is ready."""
        self._ripen(now)
        if not self._ready:
            return None
        namespace, keys = self._ready.popitem(last=False)
        key = keys.popleft()
        if keys:
            self._ready[namespace] = keys
        self._listed.discard(key)
        self._working.add(key)
        return key

    def done(self, key: Key, now: float, *, failed: bool = False, after: float | None = None) -> None:
        """A look has ended: look again ``after`` seconds, or when it failed after its back-off, or at once if asked."""
        self._working.discard(key)
        if failed:
            self._failures[key] = self._failures.get(key, 0) + 1
            delay = self._backoff.delay(self._failures[key], self._chance())
            self._again.discard(key)
            self.add_at(key, now + delay)
            return
        self._failures.pop(key, None)
        if key in self._again:
            self._again.discard(key)
            self.add(key)
        elif after is not None:
            self.add_at(key, now + after)

    def forget(self, key: Key) -> None:
        """The object is gone: nothing of it is kept."""
        self._due.pop(key, None)
        self._failures.pop(key, None)
        self._again.discard(key)
        if key in self._listed:
            self._listed.discard(key)
            keys = self._ready[key.namespace]
            keys.remove(key)
            if not keys:
                del self._ready[key.namespace]

    def next_due(self) -> float | None:
        """When the next waiting key ripens; None when none waits."""
        while self._heap and self._due.get(self._heap[0][1]) != self._heap[0][0]:
            heapq.heappop(self._heap)
        return self._heap[0][0] if self._heap else None

    def _ripen(self, now: float) -> None:
        while (when := self.next_due()) is not None and when <= now:
            key = heapq.heappop(self._heap)[1]
            del self._due[key]
            self.add(key)
