"""Environments by key: built once, whatever is asked for how often and however a run was killed.

It exists so that twenty tasks, two runs at once and a killed run all end with one whole environment. A build happens
in a folder beside its final place and is moved there when everything is known, so what has the final name is whole.
How one is built is left to ``attempt``.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import structlog
from filelock import FileLock, Timeout

from change2task.base import toolchains
from change2task.base.attempt import Attempt, remove
from change2task.base.environment import (
    DOCUMENT,
    Environment,
    PlacedEnvironment,
    environment_key,
)
from change2task.base.index import IndexSettings
from change2task.base.index import settings as index_settings
from change2task.base.on_image import ImageFoundation
from change2task.base.on_machine import MachineFoundation
from change2task.base.recipe import Recipe
from change2task.base.site import Foundation
from change2task.checks.passes import Cancelled, InfrastructureFault
from change2task.runtime.models import Limits
from change2task.runtime.sandbox import Sandbox
from change2task.vcs.repository import Repository

_log = structlog.get_logger(__name__)
_POLL_SECONDS = 0.5
DEFAULT_LIMITS = Limits(seconds=1800, memory_bytes=8 << 30, processes=1024, disk_bytes=16 << 30)


@dataclass(frozen=True)
class Builder:
    """Builds environments below ``cache``; ``interpreters`` lists what this machine has, ``index`` is as it sees it."""

    sandbox: Sandbox
    cache: Path
    index: IndexSettings
    environ: Mapping[str, str]
    limits: Limits = DEFAULT_LIMITS
    cancel: threading.Event | None = None
    interpreters: Callable[[], tuple[toolchains.Interpreter, ...]] = tuple

    @classmethod
    def on_this_machine(
        cls,
        sandbox: Sandbox,
        cache: Path,
        environ: Mapping[str, str] = os.environ,
        *,
        limits: Limits = DEFAULT_LIMITS,
        cancel: threading.Event | None = None,
    ) -> Builder:
        """A builder with this machine's interpreters and index settings."""
        return cls(
            sandbox=sandbox,
            cache=cache,
            index=index_settings(environ),
            environ=environ,
            limits=limits,
            cancel=cancel,
            interpreters=partial(toolchains.installed, environ),
        )

    @property
    def foundation(self) -> Foundation:
        """What environments stand on, by the kind of sandbox that states run in."""
        containers = self.sandbox.containers
        if containers is not None:
            return ImageFoundation(containers, self.cache, self.index, self.environ, self.limits, self.cancel)
        return MachineFoundation(self.sandbox, self.cache, self.index, self.environ, self.interpreters)

    def build(self, repository: Repository, url: str, tree: str, recipe: Recipe) -> PlacedEnvironment:
        """The environment of a tree, from the cache or built now.

        Raises Faulted (the base's fault), ToolchainMissing, InfrastructureFault, Cancelled.
        """
        foundation = self.foundation
        tools = foundation.tools(recipe)
        key = environment_key(tree, recipe, tools, self.sandbox)
        home = self.cache / "environments"
        home.mkdir(parents=True, exist_ok=True)
        with self._alone(home / f".{key}.lock"):
            standing = self.standing(key)
            if standing is not None:
                _log.debug("environment stands", key=key[:12])
                return standing
            for stale in home.glob(f".building-{key}-*"):
                remove(stale)
            staging = home / f".building-{key}-{os.getpid()}"
            try:
                with foundation.site(tools, recipe, key, staging) as site:
                    Attempt(self, site, repository, url, tree, tools, key, staging).run(recipe)
                remove(home / key)
                staging.rename(home / key)
            finally:
                remove(staging)
        placed = self.standing(key)
        if placed is None:
            raise InfrastructureFault(f"environment {home / key} vanished while it was put in place; run again")
        return placed

    def standing(self, key: str) -> PlacedEnvironment | None:
        """The whole environment of a key in the cache, or None."""
        folder = self.cache / "environments" / key
        document = folder / DOCUMENT
        if not document.is_file():
            return None
        return self.foundation.placed(Environment.model_validate_json(document.read_bytes()), folder)

    @contextmanager
    def _alone(self, path: Path) -> Iterator[None]:
        held = FileLock(path)
        while True:
            try:
                held.acquire(timeout=_POLL_SECONDS)
                break
            except Timeout:
                if self.cancel is not None and self.cancel.is_set():
                    raise Cancelled("stopped while another run built the same environment") from None
        try:
            yield
        finally:
            held.release()
