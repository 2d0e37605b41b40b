"""Waiting for the lease, keeping it, and letting it go: ``election`` on the event loop.

A replica that has lost it is ended by whoever runs it, at once and without tidying up: what its threads are in the
middle of can be stopped in no other way. Nothing is lost by that, as by any other crash.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import structlog

from change2task.operator.election import Election

log = structlog.get_logger(__name__)


@dataclass
class Leader:
    """Belongs to one event loop; the lease has a thread of its own, since all others may be busy."""

    election: Election
    pause: Callable[[float], Awaitable[None]] = asyncio.sleep
    _thread: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1, "lease"), init=False)

    async def acquired(self, stop: asyncio.Event) -> bool:
        """Wait until this replica leads; False where it was stopped before."""
        while not stop.is_set():
            if await self._step():
                log.info("lease.held", holder=self.election.me)
                return True
            await self._paused(stop)
        return False

    async def lost(self) -> None:
        """Renew for as long as that goes; returns when this replica must not act any more."""
        while True:
            await self.pause(min(self.election.settings.retry_seconds, max(0.0, self.election.left())))
            step = asyncio.ensure_future(self._step())
            await asyncio.wait([step], timeout=max(0.0, self.election.left()))
            if not self.election.leads():
                step.cancel()
                return

    async def let_go(self, after: Callable[[], None]) -> None:
        """At the end of all work, which ``after`` waits for."""

        def end() -> None:
            after()
            self.election.let_go()

        await asyncio.get_running_loop().run_in_executor(self._thread, end)
        self._thread.shutdown(wait=False)

    async def _step(self) -> bool:
        return await asyncio.get_running_loop().run_in_executor(self._thread, self.election.step)

    async def _paused(self, stop: asyncio.Event) -> None:
        stopping = asyncio.ensure_future(stop.wait())
        waiting = asyncio.ensure_future(self.pause(self.election.settings.retry_seconds))
        _, left = await asyncio.wait([stopping, waiting], return_when=asyncio.FIRST_COMPLETED)
        for task in left:
            task.cancel()
