"""What environments stand on, and where one is made: the seam between building and the kind of sandbox.

It exists so that building reads the same whether an environment lies in a folder of this machine or in an image. The
two kinds are in ``on_machine`` and ``on_image``.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from change2task.base.environment import Environment, PlacedEnvironment
from change2task.base.index import IndexSettings
from change2task.base.places import BaseImage, Tools
from change2task.base.recipe import Recipe
from change2task.runtime.models import Mount
from change2task.runtime.sandbox import Sandbox


class Site(Protocol):
    """Where one environment is made."""

    @property
    def sandbox(self) -> Sandbox:
        """What setup's commands run in."""

    @property
    def content(self) -> Path:
        """The folder of this machine that setup finds at ``layout.env``."""

    @property
    def work(self) -> Path:
        """The folder of this machine that setup finds at ``layout.work``."""

    @property
    def home(self) -> Path:
        """The folder of this machine that setup finds at ``layout.home``."""

    @property
    def uv(self) -> Path:
        """A uv that runs where setup runs."""

    @property
    def index(self) -> IndexSettings:
        """The package index as setup finds it."""

    @property
    def files(self) -> tuple[Mount, ...]:
        """Files that the index's settings name."""

    def begin(self) -> None:
        """Start afresh: nothing that an earlier attempt did is left."""

    def take_back(self) -> None:
        """Make what setup wrote this program's own, to look at and to remove."""

    def layers(self) -> tuple[Path, ...]:
        """Folders of what setup wrote elsewhere than into the folders above, laid out at the same paths."""

    def settle(self) -> BaseImage | None:
        """Put the content, whole and looked through, where states will find it; the image if that is in one."""


class Foundation(Protocol):
    """What environments stand on: this machine's own system, or images."""

    def tools(self, recipe: Recipe) -> Tools:
        """What the recipe gets. Raises ToolchainMissing, InfrastructureFault, Faulted, Cancelled."""

    def placed(self, environment: Environment, folder: Path) -> PlacedEnvironment | None:
        """A recorded environment of the cache, if it is still whole. Raises InfrastructureFault."""

    def site(self, tools: Tools, recipe: Recipe, key: str, staging: Path) -> AbstractContextManager[Site]:
        """A place to make an environment, named ``key`` in the cache.

        ``staging`` is a folder of its own, not made yet. Raises as ``tools``.
        """
