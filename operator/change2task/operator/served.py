"""``/healthz``, ``/readyz`` and ``/metrics``: whether the operator hears the cluster, and what it does."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from aiohttp import web
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from change2task.operator.metrics import Metrics


@asynccontextmanager
async def served(
    port: int, metrics: Metrics, wrong: Callable[[], str | None], lacks: Callable[[], str | None]
) -> AsyncIterator[None]:
    """Serve while the context lasts; ``wrong`` says what is wrong, ``lacks`` what is waited for, if anything is."""

    def answering(what: Callable[[], str | None]) -> Callable[[web.Request], Awaitable[web.Response]]:
        async def answer(_: web.Request) -> web.Response:
            told = what()
            return web.Response(text=told or "ok", status=200 if told is None else 503)

        return answer

    async def measured(_: web.Request) -> web.Response:
        return web.Response(body=generate_latest(metrics.registry), headers={"Content-Type": CONTENT_TYPE_LATEST})

    app = web.Application()
    app.add_routes(
        [web.get("/healthz", answering(wrong)), web.get("/readyz", answering(lacks)), web.get("/metrics", measured)]
    )
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    try:
        await web.TCPSite(runner, "0.0.0.0", port).start()  # noqa: S104 - a pod's own address
        yield
    finally:
        await runner.cleanup()
