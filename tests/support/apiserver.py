"""An API server over HTTP in this process, as far as kopf and the thin client use one.

Discovery, lists, watches and leases; it holds no resources of ours. What a test holds back is answered only when it
lets go.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from aiohttp import web

GROUPS: dict[str, dict[str, str]] = {
    "apis/change2task.dev/v1alpha1": {
        "modernbases": "ModernBase", "taskcandidates": "TaskCandidate", "taskvariants": "TaskVariant",
    },
    "apis/batch/v1": {"jobs": "Job"},
    "api/v1": {"pods": "Pod", "events": "Event", "namespaces": "Namespace"},
}  # fmt: skip
VERBS = ["get", "list", "watch", "create", "patch", "delete"]


@dataclass
class Server:
    """What it was asked, and what it holds. ``held``: watches of these resources are answered when it is let go."""

    leases: dict[str, Any] = field(default_factory=dict)
    watched: list[str] = field(default_factory=list)
    writes: list[str] = field(default_factory=list)
    held: dict[str, asyncio.Event] = field(default_factory=dict)
    away: bool = False
    url: str = ""
    _version: int = 0
    _closing: asyncio.Event = field(default_factory=asyncio.Event)

    def kubeconfig(self, folder: Path) -> Path:
        """A file by which it is reached."""
        path = folder / "kubeconfig"
        told = {
            "apiVersion": "v1", "kind": "Config", "current-context": "c",
            "clusters": [{"name": "c", "cluster": {"server": self.url}}],
            "users": [{"name": "c", "user": {"token": "t"}}],
            "contexts": [{"name": "c", "context": {"cluster": "c", "user": "c"}}],
        }  # fmt: skip
        path.write_text(yaml.safe_dump(told))
        return path

    async def answer(self, request: web.Request) -> web.StreamResponse:
        """Anything that is asked."""
        path = request.path.strip("/")
        if self.away:
            return web.Response(status=503, text="away")
        if request.method != "GET":
            self.writes.append(f"{request.method} {path}")
        if "/leases" in path:
            return await self._lease(request, path)
        if path == "api":
            return web.json_response({"versions": ["v1"]})
        if path == "apis":
            groups = [group.split("/")[1:] for group in GROUPS if group != "api/v1"]
            return web.json_response({"groups": [_group(name, version) for name, version in groups]})
        if path in GROUPS:
            return web.json_response({"resources": [_resource(*one) for one in GROUPS[path].items()]})
        plural = path.rsplit("/", 1)[-1]
        if request.query.get("watch") == "true":
            return await self._watch(request, path, plural)
        return web.json_response({"items": [], "metadata": {"resourceVersion": "1"}, "kind": "List"})

    async def _watch(self, request: web.Request, path: str, plural: str) -> web.StreamResponse:
        if (gate := self.held.get(plural)) is not None:
            await gate.wait()
        self.watched.append(path)
        stream = web.StreamResponse(headers={"Content-Type": "application/json"})
        await stream.prepare(request)
        await self._closing.wait()
        return stream

    async def _lease(self, request: web.Request, path: str) -> web.Response:
        name = path.rsplit("/", 1)[-1]
        if request.method == "GET":
            there = self.leases.get(name)
            return web.json_response(there or {"message": "not found"}, status=200 if there else 404)
        body = await request.json()
        there = self.leases.get(body["metadata"]["name"])
        stale = there and body["metadata"].get("resourceVersion") != there["metadata"]["resourceVersion"]
        if stale:
            return web.json_response({"message": "modified"}, status=409)
        self._version += 1
        made = {**body, "metadata": {**body["metadata"], "resourceVersion": str(self._version), "uid": "l"}}
        self.leases[body["metadata"]["name"]] = made
        return web.json_response(made)


@asynccontextmanager
async def api_server() -> AsyncIterator[Server]:
    """Serve on a free port of this machine."""
    server, app = Server(), web.Application()
    app.router.add_route("*", "/{path:.*}", server.answer)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    server.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    try:
        yield server
    finally:
        server._closing.set()
        await runner.cleanup()


def _group(name: str, version: str) -> dict[str, Any]:
    told = {"groupVersion": f"{name}/{version}", "version": version}
    return {"name": name, "versions": [told], "preferredVersion": told}


def _resource(plural: str, kind: str) -> dict[str, Any]:
    singular = kind.lower()
    return {
        "name": plural, "singularName": singular, "kind": kind, "namespaced": plural != "namespaces", "verbs": VERBS,
        "shortNames": [], "categories": [],
    }  # fmt: skip
