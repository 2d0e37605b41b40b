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
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

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
from change2task.base.known import Held
from change2task.base.on_image import ImageFoundation
from change2task.base.on_machine import MachineFoundation
from change2task.base.places import Tools
from change2task.base.recipe import Recipe
from change2task.base.site import Foundation
from change2task.checks.passes import Cancelled, InfrastructureFault
from change2task.runtime.models import Limits
from change2task.runtime.sandbox import Sandbox
from change2task.vcs.repository import Repository

_log = structlog.get_logger(__name__)
_POLL_SECONDS = 0.5
DEFAULT_LIMITS = Limits(seconds=1800, memory_bytes=8 << 30, processes=1024, disk_bytes=16 << 30)


class _Work(NamedTuple):
    """What is to be built."""

    repository: Repository
    url: str
    tree: str
    recipe: Recipe
    tools: Tools
    key: str
    held: Held | None


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
    def kind(self) -> str:
        """See Builds.kind."""
        return self.sandbox.name

    @property
    def foundation(self) -> Foundation:
        """What environments stand on, by the kind of sandbox that states run in."""
        containers = self.sandbox.containers
        if containers is not None:
            return ImageFoundation(containers, self.cache, self.index, self.environ, self.limits, self.cancel)
        return MachineFoundation(self.sandbox, self.cache, self.index, self.environ, self.interpreters)

    def build(
        self, repository: Repository, url: str, tree: str, recipe: Recipe, held: Held | None = None
    ) -> PlacedEnvironment:
        """The environment of a tree, from the cache or built now; ``held``: the known one and no other.

        Raises Faulted (the base's fault), ToolchainMissing, InfrastructureFault, Cancelled.
        """
        tools = self.foundation.tools(recipe)
        key = environment_key(tree, recipe, tools, self.sandbox)
        if held is not None:
            held.check_key(key, tools)
        home = self.cache / "environments"
        home.mkdir(parents=True, exist_ok=True)
        work = _Work(repository, url, tree, recipe, tools, key, held)
        placed = self._placed(work, home / key)
        if held is None or held.holds(placed.environment):
            return placed
        return self._placed(work, home / _apart(held))

    def _placed(self, work: _Work, folder: Path) -> PlacedEnvironment:
        """What stands in a folder of the cache, or is built there now."""
        with self._alone(folder.parent / f".{folder.name}.lock"):
            standing = self.standing(folder.name)
            if standing is not None:
                _log.debug("environment stands", key=work.key[:12])
                return standing
            self._build(work, folder)
        placed = self.standing(folder.name)
        if placed is None:
            raise InfrastructureFault(f"environment {folder} vanished while it was put in place; run again")
        return placed

    def _build(self, work: _Work, folder: Path) -> None:
        """Build into ``folder``, which is there only when all of it is."""
        for stale in folder.parent.glob(f".building-{folder.name}-*"):
            remove(stale)
        staging = folder.parent / f".building-{folder.name}-{os.getpid()}"
        try:
            with self.foundation.site(work.tools, work.recipe, folder.name, staging) as site:
                Attempt(self, site, work.repository, work.url, work.tree, work.tools, work.key, staging, work.held).run(
                    work.recipe
                )
            remove(folder)
            staging.rename(folder)
        finally:
            remove(staging)

    def standing(self, place: str) -> PlacedEnvironment | None:
        """The whole environment in a place of the cache, which is its key or one apart, or None."""
        folder = self.cache / "environments" / place
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


def _apart(held: Held) -> str:
    """Where a known environment lies if another with its key, but other packages, lies at the key already."""
    return sha256(f"{held.key}\n{held.lock}".encode()).hexdigest()
