"""The operator as a program before an API server: when it is ready, and which of two replicas works."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import aiohttp
import pytest

from change2task.cluster.kube import Kube, KubeFault
from change2task.operator.program import LEASE_LOST, Program
from change2task.operator.readiness import watches
from change2task.operator.settings import Images, LeaseSettings, OperatorSettings, RegistrySettings
from tests.operator.test_served import free_port
from tests.support.apiserver import Server, api_server

LEASE = LeaseSettings(name="operator", namespace="system", retry_seconds=1)


@dataclass
class Running:
    """A program under way; ``ended`` are the codes with which it ended itself."""

    program: Program
    stop: asyncio.Event
    task: asyncio.Task[None]
    ended: list[int]

    async def ready(self) -> tuple[int, str]:
        async with (
            aiohttp.ClientSession() as session,
            session.get(f"http://127.0.0.1:{self.program.port}/readyz") as answer,
        ):
            return answer.status, await answer.text()


@asynccontextmanager
async def replica(
    server: Server, folder: Path, name: str = "one", *, lease: LeaseSettings | None = None
) -> AsyncIterator[Running]:
    settings = OperatorSettings(
        registry=RegistrySettings(prefix="registry.example.com/c2t"),
        images=Images(runner="r", builder="b"),
        watch_namespaces=("team",),
        lease=lease,
    )
    ended: list[int] = []
    kube = Kube.connect(server.kubeconfig(folder))
    program = Program(settings, kube, None, name, free_port(), quit=ended.append)
    stop = asyncio.Event()
    task = asyncio.create_task(program.run(stop=stop))
    try:
        yield Running(program, stop, task, ended)
    finally:
        stop.set()
        await asyncio.wait([task], timeout=30)


async def until(true: Callable[[], bool]) -> None:
    async with asyncio.timeout(30):
        while not true():
            await asyncio.sleep(0.02)


@pytest.fixture(autouse=True)
def kubeconfig(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where kopf finds the server."""
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "kubeconfig"))


@pytest.fixture(autouse=True)
def signals() -> Iterator[None]:
    """A program takes signals for itself; the next test gets them back as they were."""
    kept = {one: signal.getsignal(one) for one in (signal.SIGINT, signal.SIGTERM)}
    yield
    for one, handler in kept.items():
        signal.signal(one, handler)


def test_it_is_ready_once_it_has_listed_everything_and_every_watch_is_open(tmp_path: Path) -> None:
    async def play() -> None:
        async with api_server() as server:
            server.held["pods"] = asyncio.Event()
            async with replica(server, tmp_path) as one:
                await until(lambda: len(server.watched) == 4)
                assert await one.ready() == (
                    503,
                    "1 watches are not open yet, such as /api/v1/namespaces/team/pods",
                )
                server.held["pods"].set()
                await until(lambda: one.program.readiness.lacks() is None)
                assert await one.ready() == (200, "ok")
                assert {f"/{path}" for path in server.watched} == set(watches(["team"]))
            assert one.task.exception() is None

    asyncio.run(play())


SETTINGS = """
registry: {prefix: registry.example.com/c2t}
images: {runner: r, builder: b}
watchNamespaces: [team]
lease: {name: operator, namespace: system, retrySeconds: 1}
"""
_ONE = "import sys, socket; name = sys.argv.pop(1); socket.gethostname = lambda: name;" \
       " from change2task.operator.__main__ import main; sys.exit(main())"  # fmt: skip


@asynccontextmanager
async def process(server: Server, folder: Path, name: str) -> AsyncIterator[tuple[asyncio.subprocess.Process, int]]:
    """A replica as a process of its own, and its port."""
    told, port = folder / "operator.yaml", free_port()
    told.write_text(SETTINGS)
    words = ("-c", _ONE, name, f"--settings={told}", f"--kubeconfig={server.kubeconfig(folder)}", f"--port={port}")
    with (folder / f"{name}.log").open("w") as out:
        made = await asyncio.create_subprocess_exec(sys.executable, *words, stderr=out)
    try:
        yield made, port
    finally:
        if made.returncode is None:
            made.terminate()
            await made.wait()


async def is_ready(port: int) -> bool:
    try:
        async with aiohttp.ClientSession() as session, session.get(f"http://127.0.0.1:{port}/readyz") as answer:
            return answer.status == 200
    except aiohttp.ClientConnectionError:
        return False


def test_of_two_replicas_one_works_and_when_it_is_stopped_the_other_takes_over(tmp_path: Path) -> None:
    async def play() -> None:
        async with api_server() as server, process(server, tmp_path, "one") as (one, first_port):

            def holder() -> str:
                return str(server.leases.get("operator", {}).get("spec", {}).get("holderIdentity"))

            await until(lambda: len(server.watched) == 5)
            assert await is_ready(first_port)
            async with process(server, tmp_path, "other") as (other, port):
                async with asyncio.timeout(60):
                    while not await is_ready(port):
                        await asyncio.sleep(0.05)
                assert (holder(), len(server.watched)) == ("one", 5), "it is ready, stands by and hears nothing"
                one.terminate()
                assert await one.wait() == 0
                await until(lambda: holder() == "other" and len(server.watched) == 10)
                other.terminate()
                assert await other.wait() == 0
                assert holder() == "", "it has let go"

    asyncio.run(play())


def test_a_replica_that_cannot_renew_ends_itself_and_writes_nothing_any_more(tmp_path: Path) -> None:
    async def play() -> None:
        async with api_server() as server, replica(server, tmp_path, lease=LEASE) as one:
            await until(lambda: one.program.readiness.lacks() is None)
            server.leases["operator"]["spec"]["holderIdentity"] = "other"
            await until(lambda: one.ended == [LEASE_LOST])
            written = len(server.writes)
            # The program has ended, and its loop's own threads with it.
            with ThreadPoolExecutor(1) as pool, pytest.raises(KubeFault, match="another replica may lead"):
                await asyncio.wrap_future(pool.submit(one.program.kube.delete, "Job", "team", "x", "uid"))
            assert len(server.writes) == written

    asyncio.run(play())
