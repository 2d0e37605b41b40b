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
from change2task.base.places import Tools
from change2task.base.recipe import Recipe
from change2task.checks.passes import Cancelled, InfrastructureFault
from change2task.runtime.models import Limits
from change2task.runtime.sandbox import Sandbox
from change2task.vcs.repository import Repository

_log = structlog.get_logger(__name__)
_POLL_SECONDS = 0.5
DEFAULT_LIMITS = Limits(seconds=1800, memory_bytes=8 << 30, processes=1024, disk_bytes=16 << 30)


@dataclass(frozen=True)
class Builder:
    """Builds environments below ``cache``; ``interpreters`` lists what this machine has."""

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

    def tools(self, recipe: Recipe) -> Tools:
        """What of this machine the recipe gets. Raises ToolchainMissing."""
        if recipe.toolchain == "python":
            return Tools(interpreter=toolchains.pick(recipe.python, recipe.as_of, self.interpreters(), self.environ))
        if recipe.toolchain == "go":
            root, version = toolchains.go_root(self.environ)
            toolchains.check_go(recipe.go, version)
            return Tools(go_root=root, go_version=version)
        return Tools()

    def build(self, repository: Repository, url: str, tree: str, recipe: Recipe) -> PlacedEnvironment:
        """The environment of a tree, from the cache or built now.

        Raises Faulted (the base's fault), ToolchainMissing, InfrastructureFault, Cancelled.
        """
        tools = self.tools(recipe)
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
                Attempt(self, repository, url, tree, tools, key, staging).run(recipe)
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
        environment = Environment.model_validate_json(document.read_bytes())
        content = self.content(folder)
        if not self.sandbox.isolation.fixed_paths and _read(content / ".key") != key:
            return None
        return PlacedEnvironment(environment=environment, folder=folder, content=content)

    def content(self, folder: Path) -> Path:
        """Where an environment's files lie: in its folder, or where the sandbox needs them for want of mounts."""
        return folder / "env" if self.sandbox.isolation.fixed_paths else Path(self.sandbox.layout.env)

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


def _read(path: Path) -> str | None:
    return path.read_text() if path.is_file() else None
