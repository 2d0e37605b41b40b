"""Environments on this machine: its interpreters, and folders that are mounted, or are where they are.

It exists beside ``on_image``; see ``site`` for what the two have in common.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from change2task.base import compilers, disk, toolchains
from change2task.base.environment import Environment, PlacedEnvironment
from change2task.base.index import IndexSettings
from change2task.base.places import BaseImage, Tools
from change2task.base.recipe import Recipe
from change2task.runtime.models import Mount
from change2task.runtime.sandbox import Sandbox

_KEY = ".key"


@dataclass(frozen=True)
class MachineFoundation:
    """This machine; ``interpreters`` lists what it has."""

    sandbox: Sandbox
    cache: Path
    index: IndexSettings
    environ: Mapping[str, str]
    interpreters: Callable[[], tuple[toolchains.Interpreter, ...]]

    def tools(self, recipe: Recipe) -> Tools:
        """See Foundation.tools."""
        if recipe.toolchain == "python":
            return Tools(interpreter=toolchains.pick(recipe.python, recipe.as_of, self.interpreters(), self.environ))
        if recipe.toolchain == "go":
            root, version = toolchains.go_root(self.environ)
            toolchains.check_go(recipe.go, version)
            return Tools(go_root=root, go_version=version)
        if compilers.known(recipe.toolchain):
            ask = toolchains.shell(self.environ)
            return Tools(compiler=compilers.found(recipe.toolchain, ask, least=recipe.least))
        return Tools()

    def placed(self, environment: Environment, folder: Path) -> PlacedEnvironment | None:
        """See Foundation.placed; of environments at one real path the last one built is whole."""
        content = self.content(folder)
        if not self.sandbox.isolation.fixed_paths and _read(content / _KEY) != folder.name:
            return None
        return PlacedEnvironment(environment=environment, folder=folder, content=content)

    def content(self, folder: Path) -> Path:
        """Where an environment's files lie: in its folder, or where the sandbox needs them for want of mounts."""
        return folder / "env" if self.sandbox.isolation.fixed_paths else Path(self.sandbox.layout.env)

    @contextmanager
    def site(self, tools: Tools, recipe: Recipe, key: str, staging: Path) -> Iterator[MachineSite]:
        """See Foundation.site."""
        layout = self.sandbox.layout
        fixed = self.sandbox.isolation.fixed_paths
        yield MachineSite(
            foundation=self,
            key=key,
            content=self.content(staging),
            work=staging / "work" if fixed else Path(layout.work),
            home=staging / "home" if fixed else Path(layout.home),
            uv=toolchains.uv_program(),
        )


@dataclass(frozen=True)
class MachineSite:
    """Folders of this machine."""

    foundation: MachineFoundation
    key: str
    content: Path
    work: Path
    home: Path
    uv: Path

    @property
    def sandbox(self) -> Sandbox:
        """See Site.sandbox: states run in the same."""
        return self.foundation.sandbox

    @property
    def index(self) -> IndexSettings:
        """See Site.index: as this machine has it."""
        return self.foundation.index

    @property
    def files(self) -> tuple[Mount, ...]:
        """See Site.files: each where it is."""
        return tuple(Mount(source=path, target=str(path)) for path in self.index.files)

    def begin(self) -> None:
        """See Site.begin: all that setup could write are the folders."""

    def take_back(self) -> None:
        """See Site.take_back: it is this user's already."""

    def layers(self) -> tuple[Path, ...]:
        """See Site.layers: there is no elsewhere."""
        return ()

    def settle(self) -> BaseImage | None:
        """See Site.settle: it stays where it is."""
        if self.sandbox.isolation.filesystem:
            disk.share(self.content, self.foundation.cache / "pool")
        if not self.sandbox.isolation.fixed_paths:
            (self.content / _KEY).write_text(self.key)
        return None


def _read(path: Path) -> str | None:
    return path.read_text() if path.is_file() else None
