"""kopf, and nothing but kopf: its watch feeds our queue; none of its handlers does work.

Event handlers are never retried and change handlers copy whole specs into annotations, so all that happens here is that
a key is enqueued; what is done about it, and how often, is the queue's and the looks'.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from http import HTTPStatus
from typing import Any

import aiohttp
import kopf

from change2task.api.metadata import GROUP, VERSION
from change2task.cluster.names import MANAGED, MANAGER
from change2task.operator.watching import Watched

_PLURALS = {"modernbases": "ModernBase", "taskcandidates": "TaskCandidate", "taskvariants": "TaskVariant"}
_SELECTOR = f"{MANAGED}={MANAGER}"


def registry_of(watched: Watched, opened: Callable[[str], None]) -> kopf.OperatorRegistry:
    """Handlers that tell ``watched`` what the watch told, and ``opened`` the path of each watch that was accepted."""
    registry = kopf.OperatorRegistry()

    for plural, kind in _PLURALS.items():

        async def resource(*, _kind: str = kind, event: Any, **_: Any) -> None:
            watched.resource(_kind, dict(event["object"]), gone=event["type"] == "DELETED")

        kopf.on.event(GROUP, VERSION, plural, registry=registry, id=f"see-{plural}")(resource)

    async def job(*, event: Any, **_: Any) -> None:
        watched.job(dict(event["object"]), gone=event["type"] == "DELETED")

    async def pod(*, event: Any, **_: Any) -> None:
        watched.pod(dict(event["object"]))

    async def login(**told: Any) -> Any:
        info = kopf.login_with_service_account(**told) or kopf.login_with_kubeconfig(**told)
        return None if info is None else _listened_to(info, opened)

    kopf.on.login(registry=registry, id="login")(login)
    kopf.on.event("batch", "v1", "jobs", labels={MANAGED: MANAGER}, registry=registry, id="see-jobs")(job)
    kopf.on.event("", "v1", "pods", labels={MANAGED: MANAGER}, registry=registry, id="see-pods")(pod)
    return registry


def _listened_to(info: kopf.ConnectionInfo, opened: Callable[[str], None]) -> kopf.AiohttpSession:
    """The session that kopf would make of this, and ``opened`` is told of each watch that the server accepts.

    kopf itself says nowhere whether its watches are in place.
    """

    async def ended(_: aiohttp.ClientSession, __: object, params: aiohttp.TraceRequestEndParams) -> None:
        asked = params.response.request_info.url
        if params.response.status == HTTPStatus.OK and asked.query.get("watch") == "true":
            opened(asked.path)

    trace = aiohttp.TraceConfig()
    trace.on_request_end.append(ended)
    session = aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=0, ssl=info.as_ssl_context()),
        headers=info.as_http_headers(),
        proxy=info.proxy_url,
        trust_env=info.trust_env,
        trace_configs=[trace],
    )
    return kopf.AiohttpSession(
        server=info.server,
        aiohttp_session=session,
        default_namespace=info.default_namespace,
        priority=info.priority,
        expiration=info.expiration,
    )


def settings_of(*, namespaced: bool) -> kopf.OperatorSettings:
    """Settings of kopf: our own names, one replica, watches that notice their own death, nothing posted by itself."""
    settings = kopf.OperatorSettings()
    settings.peering.standalone = True
    settings.posting.enabled = False
    settings.scanning.disabled = namespaced
    settings.persistence.finalizer = f"{GROUP}/operator"
    settings.persistence.progress_storage = kopf.AnnotationsProgressStorage(prefix=GROUP)
    settings.persistence.diffbase_storage = kopf.AnnotationsDiffBaseStorage(prefix=GROUP, key="last-seen")
    settings.watching.label_selectors["batch", "v1", "jobs"] = _SELECTOR
    settings.watching.label_selectors["v1", "pods"] = _SELECTOR
    settings.watching.chunk_size = 500
    settings.watching.server_timeout = 600
    settings.watching.client_timeout = 660
    settings.watching.connect_timeout = 10
    settings.networking.connect_timeout = 10
    settings.networking.request_timeout = 60
    settings.queueing.exit_timeout = 10
    settings.process.ultimate_exiting_timeout = 20
    return settings


async def watch(
    watched: Watched,
    namespaces: Sequence[str],
    stop: asyncio.Event,
    *,
    begun: asyncio.Event,
    opened: Callable[[str], None],
) -> None:
    """Watch until ``stop``: these namespaces, or all where none is named. ``begun`` is set when kopf has started."""
    await kopf.operator(
        registry=registry_of(watched, opened),
        settings=settings_of(namespaced=bool(namespaces)),
        namespaces=namespaces,
        clusterwide=not namespaces,
        ready_flag=begun,
        stop_flag=stop,
    )
