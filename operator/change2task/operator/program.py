"""The operator as a program: parts put together, run until asked to stop.

One process and one active replica. Everything it needs to go on after a crash is on the cluster and in the registry;
what it holds in memory is counted anew.
"""

from __future__ import annotations

import asyncio
import signal
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

import structlog

from change2task.cluster import names
from change2task.cluster.kube import Json, Kube, KubeFault
from change2task.cluster.registry import Registry
from change2task.operator.base_acts import BaseActs
from change2task.operator.base_look import BaseLook
from change2task.operator.candidate_acts import CandidateActs
from change2task.operator.candidate_look import CandidateLook
from change2task.operator.events import Events
from change2task.operator.jobs import is_over
from change2task.operator.metrics import Metrics
from change2task.operator.mining_acts import MiningActs
from change2task.operator.mining_look import InTurn, MiningLook
from change2task.operator.queue import Queue
from change2task.operator.running import Running
from change2task.operator.schedule import Key
from change2task.operator.served import served
from change2task.operator.settings import Caps, OperatorSettings
from change2task.operator.variant_acts import VariantActs
from change2task.operator.variant_look import VariantLook
from change2task.operator.watching import RESOURCES, Watched

log = structlog.get_logger(__name__)

RESYNC_SECONDS = 300.0
DEAF_SECONDS = 900.0
"""A watch that has kept something back for so long is dead."""


def utc_now() -> datetime:
    """The time now."""
    return datetime.now(UTC)


class Look(Protocol):
    """Looks at resources of one kind; blocking."""

    def look(self, key: Key) -> float | None:
        """Look once; gives the seconds after which to look again unasked."""
        ...


@dataclass
class Program:
    """One operator; ``auth`` is a registry's credentials file where there is one, ``authorities`` whom it trusts."""

    settings: OperatorSettings
    kube: Kube
    auth: Path | None
    instance: str
    port: int
    authorities: Path | None = None

    def __post_init__(self) -> None:
        registry = self.settings.registry
        self.running, self.metrics = Running(self.settings.caps), Metrics()
        keeper = Registry(registry.prefix, insecure=registry.insecure, auth=self.auth, authorities=self.authorities)
        events = Events(self.kube, utc_now, self.instance)
        builds = self.settings.caps.builds
        self.builds = Running(Caps(per_base=builds, per_namespace=builds, cluster=builds, builds=builds))
        acts = CandidateActs(self.kube, keeper, self.settings, self.running, utc_now)
        base_acts = BaseActs(self.kube, keeper, self.settings, self.running, utc_now, self.builds)
        mining_acts = MiningActs(self.kube, keeper, self.settings, self.running, utc_now)
        self.looks: dict[str, Look] = {
            "ModernBase": InTurn((BaseLook(base_acts, events), MiningLook(mining_acts, events))),
            "TaskCandidate": CandidateLook(acts, events),
            "TaskVariant": VariantLook(VariantActs(self.kube, keeper, self.settings, self.running, utc_now), events),
        }
        self.queue = Queue(self._look, workers=self.settings.workers)
        self.watched = Watched(self.queue, self.running)

    async def run(self, ready: asyncio.Event | None = None) -> None:
        """Work until SIGTERM or SIGINT. Raises KubeFault where the cluster cannot be read at the start."""
        loop, stop = asyncio.get_running_loop(), asyncio.Event()
        for wanted in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(wanted, stop.set)
        loop.set_default_executor(ThreadPoolExecutor(max_workers=self.settings.workers + 4))
        await self._resync(loop.time())
        async with served(self.port, self.metrics, self._wrong):
            tasks = [
                loop.create_task(self._watch(stop), name="watch"),
                loop.create_task(self.queue.run(), name="queue"),
                loop.create_task(self._resync_for_ever(), name="resync"),
            ]
            if ready is not None:
                ready.set()
            stopping = loop.create_task(stop.wait(), name="stop")
            ended, _ = await asyncio.wait([*tasks, stopping], return_when=asyncio.FIRST_COMPLETED)
            for task in tasks:
                task.cancel()
            for task in tasks:
                with suppress(asyncio.CancelledError):
                    await task
            if stopping not in ended:
                raise RuntimeError(f"{', '.join(task.get_name() for task in ended)} ended, which should not")

    async def _watch(self, stop: asyncio.Event) -> None:
        from change2task.operator import glue  # noqa: PLC0415 - it brings kopf, which no test of the rest needs

        await glue.watch(self.watched, self.settings.watch_namespaces, stop)

    async def _look(self, key: Key) -> float | None:
        look = self.looks.get(key.kind)
        if look is None:
            return None
        started, outcome = time.monotonic(), "failed"
        try:
            with structlog.contextvars.bound_contextvars(kind=key.kind, namespace=key.namespace, name=key.name):
                again = await asyncio.to_thread(look.look, key)
            outcome = "done"
            return again
        finally:
            self.metrics.looks.labels(key.kind, outcome).inc()
            self.metrics.seconds.labels(key.kind).observe(time.monotonic() - started)
            self.metrics.queued.set(len(self.queue))
            self.metrics.jobs.set(len(self.running))
            self.metrics.waiting.set(self.running.waiting)

    async def _resync_for_ever(self) -> None:
        while True:
            await asyncio.sleep(RESYNC_SECONDS)
            try:
                await self._resync(asyncio.get_running_loop().time())
            except KubeFault as fault:
                log.warning("resync.failed", detail=str(fault))

    async def _resync(self, now: float) -> None:
        """Look at everything there is, and find out whether the watch tells of it."""
        known = self.watched.known()
        shown, builds = await asyncio.to_thread(lambda: (list(self._list()), list(self._list_builds())))
        self.watched.listed(shown, now, known)
        self.builds.only("", [job["metadata"]["name"] for job in builds if not is_over(job)])
        for job in builds:
            self.watched.build(job, self.builds)
        self.metrics.deaf.set(self.watched.deaf_for(now))
        log.info("resync", resources=len(shown))

    def _list(self) -> Iterable[tuple[str, Json]]:
        for namespace in self.settings.watch_namespaces or (None,):
            for kind in RESOURCES:
                for item in self.kube.list(kind, namespace):
                    yield kind, {"kind": kind, **item}
            for item in self.kube.list("Job", namespace, **{names.MANAGED: names.MANAGER}):
                yield "Job", item

    def _list_builds(self) -> Iterable[Json]:
        return self.kube.list("Job", self.settings.builds_namespace, **{names.MANAGED: names.MANAGER})

    def _wrong(self) -> str | None:
        late = self.watched.deaf_for(asyncio.get_running_loop().time())
        return None if late < DEAF_SECONDS else f"the watch has kept something back for {late:.0f} s"
