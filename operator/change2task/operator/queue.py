"""The work queue: a bounded number of looks at a time, each in its own task, none lost and none doubled.

What is looked at when is ``schedule``'s; a look is any coroutine function of a key. A look that raises is logged and
tried again after its back-off: nothing that happens to one object stops the others.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable

import structlog

from change2task.operator.schedule import Backoff, Key, Schedule

log = structlog.get_logger(__name__)

Look = Callable[[Key], Awaitable[float | None]]
"""Looks at an object; gives the seconds after which it wants to look again unasked, or None."""


class Queue:
    """Belongs to one event loop; ``add`` and ``forget`` may be called from any of its coroutines."""

    def __init__(self, look: Look, *, workers: int, backoff: Backoff | None = None) -> None:
        self._look = look
        self._workers = workers
        self._schedule = Schedule(backoff or Backoff(), random.random)
        self._wake = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()

    def __len__(self) -> int:
        """Keys that wait or are ready."""
        return len(self._schedule)

    @property
    def working(self) -> int:
        """How many objects are being looked at."""
        return self._schedule.working

    def add(self, key: Key) -> None:
        """Look at this object soon."""
        self._schedule.add(key)
        self._wake.set()

    def add_after(self, key: Key, seconds: float) -> None:
        """Look at this object in so many seconds at the latest."""
        self._schedule.add_at(key, asyncio.get_running_loop().time() + seconds)
        self._wake.set()

    def forget(self, key: Key) -> None:
        """The object is gone."""
        self._schedule.forget(key)

    async def run(self) -> None:
        """Work until cancelled; looks under way are cancelled with it and waited for."""
        loop = asyncio.get_running_loop()
        try:
            while True:
                self._wake.clear()
                while len(self._tasks) < self._workers and (key := self._schedule.take(loop.time())) is not None:
                    task = loop.create_task(self._one(key), name="/".join(key))
                    self._tasks.add(task)
                    task.add_done_callback(self._ended)
                await self._until_woken()
        finally:
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _until_woken(self) -> None:
        due = self._schedule.next_due()
        full = len(self._tasks) >= self._workers
        seconds = None if due is None or full else max(0.0, due - asyncio.get_running_loop().time())
        try:
            async with asyncio.timeout(seconds):
                await self._wake.wait()
        except TimeoutError:
            return

    async def _one(self, key: Key) -> None:
        loop = asyncio.get_running_loop()
        try:
            after = await self._look(key)
        except Exception:
            log.exception("look.failed", kind=key.kind, namespace=key.namespace, name=key.name)
            self._schedule.done(key, loop.time(), failed=True)
        else:
            self._schedule.done(key, loop.time(), after=after)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        self._wake.set()
