"""Whether a pod is closed, found out from inside of it: before anything of a repository runs there.

A policy that is written is not a policy that is enforced; some network plug-ins take them and do nothing. So each pod
tries what must not work: the API server, the cluster's names, and the addresses that our own builds reach. Only what
answers is open; what is refused on the way says nothing against the pod. The node itself cannot be closed by a policy,
and is not asked.
"""

from __future__ import annotations

import os
import select
import socket
import struct
import time
from collections.abc import Iterable, Mapping
from pathlib import Path

import structlog

from change2task.checks.passes import InfrastructureFault

log = structlog.get_logger(__name__)

_QUERY = struct.pack(">HHHHHH", 0x6332, 0x0100, 1, 0, 0, 0) + b"\x0akubernetes\x07default\x03svc\x00" + b"\0\1\0\1"
"""A question for the API server's address, as any resolver asks it (RFC 1035)."""
_AGAIN_SECONDS = 1.0
RESOLVER = Path("/etc/resolv.conf")


class NotClosed(InfrastructureFault):
    """Something answers that code of a repository must not reach; the message names it."""


def check_closed(targets: Iterable[str], *, allow_open: bool, patience: float = 30.0) -> None:
    """Raises NotClosed where something answers, unless that is allowed; then it is told.

    A policy takes hold some time after a pod has begun, longer on a busy node; so it is asked again for ``patience``
    seconds.
    """
    tried, until = (*known_targets(), *targets), time.monotonic() + patience
    while found := open_ways(tried, name_servers()):
        if allow_open or time.monotonic() > until:
            break
        log.info("pod.not_closed_yet", open=found)
        time.sleep(_AGAIN_SECONDS)
    if not found:
        return
    if not allow_open:
        raise NotClosed(f"from this pod these answer, and must not: {', '.join(found)}")
    log.warning("pod.not_closed", open=found)


def known_targets(environ: Mapping[str, str] = os.environ) -> tuple[str, ...]:
    """What every pod is told of by Kubernetes: the API server, host:port."""
    host, port = environ.get("KUBERNETES_SERVICE_HOST"), environ.get("KUBERNETES_SERVICE_PORT")
    return (f"{host}:{port}",) if host and port else ()


def name_servers(resolver: Path = RESOLVER) -> tuple[str, ...]:
    """Addresses of the pod's name servers."""
    try:
        lines = resolver.read_text(errors="replace").splitlines()
    except OSError:
        return ()
    return tuple(words[1] for words in map(str.split, lines) if len(words) > 1 and words[0] == "nameserver")


def open_ways(targets: Iterable[str], servers: Iterable[str], seconds: float = 2.0) -> tuple[str, ...]:
    """Those of the targets (IP:port, by TCP) and name servers (by UDP) that answer within the time."""
    waiting: dict[socket.socket, str] = {}
    asked: dict[socket.socket, str] = {}
    try:
        for target in targets:
            if (connection := _connecting(target)) is not None:
                waiting[connection] = target
        for server in servers:
            if (question := _asking(server)) is not None:
                asked[question] = f"name server {server}"
        return tuple(sorted(_answering(waiting, asked, time.monotonic() + seconds)))
    finally:
        for one in (*waiting, *asked):
            one.close()


def _answering(waiting: dict[socket.socket, str], asked: dict[socket.socket, str], until: float) -> set[str]:
    found: set[str] = set()
    writing, reading = list(waiting), list(asked)
    while (writing or reading) and (left := until - time.monotonic()) > 0:
        readable, writable, _ = select.select(reading, writing, [], left)
        for connection in writable:
            writing.remove(connection)
            if connection.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) == 0:
                found.add(waiting[connection])
        for question in readable:
            reading.remove(question)
            if _answered(question):
                found.add(asked[question])
    return found


def _connecting(target: str) -> socket.socket | None:
    """A connection under way; None where there is not even a way to begin."""
    host, _, port = target.rpartition(":")
    try:
        [family, kind, protocol, _, address] = socket.getaddrinfo(host.strip("[]"), int(port), type=socket.SOCK_STREAM)[
            0
        ]
        connection = socket.socket(family, kind, protocol)
    except (OSError, ValueError):
        return None
    connection.setblocking(False)
    try:
        connection.connect(address)
    except BlockingIOError:
        return connection
    except OSError:
        connection.close()
        return None
    return connection


def _asking(server: str) -> socket.socket | None:
    family = socket.AF_INET6 if ":" in server else socket.AF_INET
    question = socket.socket(family, socket.SOCK_DGRAM)
    question.setblocking(False)
    try:
        question.connect((server, 53))
        question.send(_QUERY)
    except OSError:
        question.close()
        return None
    return question


def _answered(question: socket.socket) -> bool:
    try:
        return question.recv(512)[:2] == _QUERY[:2]
    except OSError:
        return False
