"""The Docker engine as this program reaches it: clients, what it can hold, and a clear word where there is none.

It exists because the SDK's clients belong to one thread each, and because what an engine lets pass without a limit
(a kernel without memory control, a rootless engine) must be known before anything relies on it.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from typing import Any, Self

import docker
import requests
from docker.errors import DockerException

from change2task.api.model import Model
from change2task.runtime.errors import SandboxError

USUAL_SOCKET = "unix:///var/run/docker.sock"
# Longer than any answer but those that are waited for on purpose; an engine that is silent for so long is broken.
_SECONDS = 120
# What the SDK lets through when the engine goes away in the middle of a call.
FAULTS = (DockerException, requests.RequestException, OSError)


class Facts(Model):
    """What an engine can hold: limits of its kernel, its filter of system calls, and whose its containers are.

    ``rootless``: its root is the user who runs it. ``remapped``: root inside is nobody outside, unless asked.
    """

    version: str
    memory: bool
    swap: bool
    pids: bool
    seccomp: bool
    rootless: bool
    remapped: bool
    root: str

    @classmethod
    def of(cls, info: Mapping[str, Any]) -> Self:
        """Read the engine's own description (``docker info``)."""
        options = [str(option).split(",") for option in info.get("SecurityOptions") or ()]
        names = {words[0].removeprefix("name="): words[1:] for words in options}
        return cls(
            version=str(info.get("ServerVersion", "")),
            memory=bool(info.get("MemoryLimit")),
            swap=bool(info.get("SwapLimit")),
            pids=bool(info.get("PidsLimit")),
            seccomp="seccomp" in names and "profile=unconfined" not in names["seccomp"],
            rootless="rootless" in names,
            remapped="userns" in names,
            root=str(info.get("DockerRootDir", "")),
        )


class Engine:
    """An engine that has answered. Safe to use from several threads: each gets a client of its own."""

    def __init__(self, environ: Mapping[str, str], version: str, facts: Facts) -> None:
        self.environ, self.facts = environ, facts
        self._version = version
        self._own = threading.local()

    @classmethod
    def connect(cls, environ: Mapping[str, str] = os.environ) -> Self:
        """The engine that DOCKER_HOST or the current context names, else the usual socket. Raises SandboxError."""
        where = environ.get("DOCKER_HOST") or USUAL_SOCKET
        try:
            client = _client(environ, "auto")
            info = client.info()
        except FAULTS as error:
            raise SandboxError(_absent(where, error)) from error
        if info.get("OSType") != "linux":
            raise SandboxError(f"the Docker engine at {where} runs {info.get('OSType')} containers; Linux's are needed")
        engine = cls(environ, client.api_version, Facts.of(info))
        engine._own.client = client
        return engine

    @property
    def client(self) -> docker.APIClient:
        """This thread's client."""
        if not hasattr(self._own, "client"):
            self._own.client = _client(self.environ, self._version)
        client: docker.APIClient = self._own.client
        return client

    def close(self) -> None:
        """Close this thread's client; for threads that end."""
        if hasattr(self._own, "client"):
            self._own.client.close()
            del self._own.client


def _client(environ: Mapping[str, str], version: str) -> docker.APIClient:
    return docker.from_env(environment=dict(environ), version=version, timeout=_SECONDS).api


def _absent(where: str, error: BaseException) -> str:
    chain: list[BaseException] = [error]
    while (before := chain[-1].__cause__ or chain[-1].__context__) is not None:
        chain.append(before)
    if any(isinstance(one, PermissionError) for one in chain):
        return (
            f"this user may not use the Docker engine at {where}; become a member of the socket's group (docker), or"
            " use --runtime process"
        )
    return (
        f"no Docker engine answers at {where} ({chain[-1]}); start one (your distribution's docker.io or docker-ce,"
        " or a rootless one), say where it is in DOCKER_HOST, or use --runtime process"
    )
