"""A sandbox that says what it runs, for those who watch with -v and for the log of the run."""

from __future__ import annotations

import shlex
import threading

import structlog

from change2task.runtime.docker.sandbox import DockerSandbox
from change2task.runtime.models import Command, Isolation, Layout, Outcome
from change2task.runtime.sandbox import Sandbox

log = structlog.get_logger(__name__)


class ToldSandbox:
    """Runs commands in another sandbox; secrets stand in variables, which are not told."""

    def __init__(self, inner: Sandbox) -> None:
        self._inner = inner

    @property
    def name(self) -> str:
        """The inner one's."""
        return self._inner.name

    @property
    def isolation(self) -> Isolation:
        """The inner one's."""
        return self._inner.isolation

    @property
    def layout(self) -> Layout:
        """The inner one's."""
        return self._inner.layout

    @property
    def containers(self) -> DockerSandbox | None:
        """The inner one's."""
        return self._inner.containers

    def run(self, command: Command, *, cancel: threading.Event | None = None) -> Outcome:
        """As the inner one."""
        log.debug("command", line=shlex.join(command.argv), network=command.network, log=str(command.log or ""))
        outcome = self._inner.run(command, cancel=cancel)
        log.debug("command.ended", **outcome.document())
        return outcome
