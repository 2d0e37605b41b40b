"""``/healthz`` and ``/metrics`` as a kubelet and a Prometheus ask them."""

from __future__ import annotations

import asyncio
import socket

import aiohttp

from change2task.operator.metrics import Metrics
from change2task.operator.served import served


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def asked(path: str, wrong: str | None, lacks: str | None = None) -> tuple[int, str]:
    async def ask() -> tuple[int, str]:
        port, metrics = free_port(), Metrics()
        metrics.looks.labels("ModernBase", "done").inc()
        async with (
            served(port, metrics, lambda: wrong, lambda: lacks),
            aiohttp.ClientSession() as session,
            session.get(f"http://127.0.0.1:{port}{path}") as answer,
        ):
            return answer.status, await answer.text()

    return asyncio.run(ask())


def test_all_is_well() -> None:
    assert asked("/healthz", None) == (200, "ok")


def test_what_is_wrong_is_said_and_is_no_health() -> None:
    assert asked("/healthz", "the watch is deaf") == (503, "the watch is deaf")


def test_what_it_waits_for_is_said_and_is_no_fault_of_its_health() -> None:
    assert asked("/readyz", None) == (200, "ok")
    assert asked("/readyz", None, "the first list is under way") == (503, "the first list is under way")
    assert asked("/healthz", None, "the first list is under way") == (200, "ok")


def test_looks_and_the_process_itself_are_measured() -> None:
    code, text = asked("/metrics", None)
    assert code == 200
    assert 'change2task_looks_total{kind="ModernBase",outcome="done"} 1.0' in text
    assert "process_resident_memory_bytes" in text
