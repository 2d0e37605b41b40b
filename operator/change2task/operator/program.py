"""The operator as a program: parts put together, run until asked to stop.

One process and one active replica. Everything it needs to go on after a crash is on the cluster and in the registry;
what it holds in memory is counted anew.
"""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

import structlog

from change2task.cluster import names
from change2task.cluster.kube import Json, Kube, KubeFault
from change2task.cluster.registry import Registry, RegistryFault
from change2task.operator.base_acts import BaseActs
from change2task.operator.base_look import BaseLook
from change2task.operator.candidate_acts import CandidateActs
from change2task.operator.candidate_look import CandidateLook
from change2task.operator.election import Election
from change2task.operator.events import Events
from change2task.operator.garbage import REPOSITORIES, mark
from change2task.operator.jobs import is_over
from change2task.operator.leader import Leader
from change2task.operator.metrics import Metrics
from change2task.operator.mining_acts import MiningActs
from change2task.operator.mining_look import InTurn, MiningLook
from change2task.operator.queue import Queue
from change2task.operator.readiness import Readiness
from change2task.operator.running import Running
from change2task.operator.schedule import Key
from change2task.operator.served import served
from change2task.operator.settings import Caps, LeaseSettings, OperatorSettings
from change2task.operator.sweeping import Sweep
from change2task.operator.variant_acts import VariantActs
from change2task.operator.variant_look import VariantLook
from change2task.operator.watching import RESOURCES, Watched

log = structlog.get_logger(__name__)

RESYNC_SECONDS = 300.0
DEAF_SECONDS = 900.0
"""A watch that has kept something back for so long is dead."""
FIRST_SWEEP_SECONDS, SWEEP_SECONDS = 1800.0, 86_400.0
LEASE_LOST = 5
"""Exit code of a replica that may not act any more."""
_LEASE_SECONDS = (2.0, 4.0)
"""For connecting and for an answer: reading and renewing must fit into the time that a renewal may take."""


def utc_now() -> datetime:
    """The time now."""
    return datetime.now(UTC)


def _marking(installation: str) -> Callable[[str], str]:
    return lambda digest: mark(installation, utc_now().date(), digest)


def _on_signal(stop: asyncio.Event) -> None:
    for wanted in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(wanted, stop.set)


class Look(Protocol):
    """Looks at resources of one kind; blocking."""

    def look(self, key: Key) -> float | None:
        """Look once; gives the seconds after which to look again unasked."""
        ...


@dataclass
class Program:
    """One operator; ``auth`` is a registry's credentials file where there is one, ``authorities`` whom it trusts.

    ``quit`` ends the process at once.
    """

    settings: OperatorSettings
    kube: Kube
    auth: Path | None
    instance: str
    port: int
    authorities: Path | None = None
    quit: Callable[[int], object] = os._exit

    def __post_init__(self) -> None:
        registry = self.settings.registry
        self.readiness = Readiness.of(self.settings.watch_namespaces)
        self.leader = None if self.settings.lease is None else self._candidate(self.settings.lease)
        if self.leader is not None:
            self.kube = self.kube.replacing(may_write=self.leader.election.leads)
        self.running, self.metrics = Running(self.settings.caps), Metrics()
        keeper = Registry(
            registry.prefix,
            insecure=registry.insecure,
            auth=self.auth,
            authorities=self.authorities,
            mark=None if registry.garbage is None else _marking(registry.garbage.installation),
            marked=REPOSITORIES,
        )
        spaces = self.settings.watch_namespaces, self.settings.builds_namespace
        self.sweep = None
        if registry.garbage is not None:
            self.sweep = Sweep(self.kube, keeper, registry.garbage, *spaces, lambda: utc_now().date())
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

    def _candidate(self, lease: LeaseSettings) -> Leader:
        kube = self.kube.replacing(seconds=_LEASE_SECONDS)
        return Leader(Election(kube, lease, self.instance, utc_now, time.monotonic))

    async def run(self, ready: asyncio.Event | None = None, stop: asyncio.Event | None = None) -> None:
        """Work until SIGTERM or SIGINT, or ``stop``. Raises KubeFault where the cluster cannot be read at the start."""
        loop, stop = asyncio.get_running_loop(), stop or asyncio.Event()
        _on_signal(stop)
        threads = ThreadPoolExecutor(max_workers=self.settings.workers + 4)
        loop.set_default_executor(threads)
        async with served(self.port, self.metrics, self._wrong, self._lacks):
            if self.leader is None:
                await self._work(stop, ready)
            elif await self.leader.acquired(stop):
                # Renewed from now on: the first list takes its time too.
                lease = loop.create_task(self._renewed(self.leader), name="lease")
                try:
                    await self._work(stop, ready, lease)
                finally:
                    lease.cancel()
                    # Only when nothing of ours can write any more; looks under way end with their requests.
                    await self.leader.let_go(after=threads.shutdown)

    async def _work(self, stop: asyncio.Event, ready: asyncio.Event | None, *more: asyncio.Task[None]) -> None:
        loop = asyncio.get_running_loop()
        self.metrics.leads.set(1)
        await self._resync(loop.time())
        self.readiness.listed = True
        tasks = [
            loop.create_task(self._watch(stop), name="watch"),
            loop.create_task(self.queue.run(), name="queue"),
            loop.create_task(self._resync_for_ever(), name="resync"),
            *more,
            *([] if self.sweep is None else [loop.create_task(self._sweep_for_ever(self.sweep), name="sweep")]),
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

    async def _renewed(self, leader: Leader) -> None:
        await leader.lost()
        log.error("lease.lost", said=leader.election.said)
        self.quit(LEASE_LOST)

    async def _watch(self, stop: asyncio.Event) -> None:
        from change2task.operator import glue  # noqa: PLC0415 - it brings kopf, which no test of the rest needs

        begun = asyncio.Event()

        async def heard_again() -> None:
            # kopf takes signals for itself, and its end would then be one that should not be.
            await begun.wait()
            _on_signal(stop)

        signals = asyncio.ensure_future(heard_again())
        try:
            await glue.watch(
                self.watched, self.settings.watch_namespaces, stop, begun=begun, opened=self.readiness.opened
            )
        finally:
            signals.cancel()

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

    async def _sweep_for_ever(self, sweep: Sweep) -> None:
        """Once a day, and first when what begins with the operator has come to rest."""
        await asyncio.sleep(FIRST_SWEEP_SECONDS)
        while True:
            try:
                await asyncio.to_thread(sweep.sweep)
            except (KubeFault, RegistryFault) as fault:
                log.warning("garbage.not_swept", detail=str(fault))
            await asyncio.sleep(SWEEP_SECONDS)

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

    def _lacks(self) -> str | None:
        """What it waits for before it answers; a replica that stands by, and knows who leads, is as ready as can be."""
        if self.leader is None or self.leader.election.leads():
            return self.readiness.lacks()
        election, lease = self.leader.election, self.settings.lease
        assert lease is not None
        read = election.read_at
        late = read is None or time.monotonic() - read > lease.duration_seconds
        return f"the lease was not read: {election.said or 'not asked yet'}" if late else None
