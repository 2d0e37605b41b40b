"""Where ``prepare_base`` has its environments from: whoever builds them, or hands out what others have built.

It exists because a container that decides has no engine to build with; there an environment lies in its image, or has
to be built elsewhere first.
"""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from change2task.base.environment import PlacedEnvironment
from change2task.base.known import Held
from change2task.base.recipe import Recipe
from change2task.vcs.repository import Repository


class NotBuilt(Exception):
    """An environment is asked for that is still to be built, which cannot be done here."""


class Builds(Protocol):
    """Gives environments."""

    @property
    def kind(self) -> str:
        """The name of the sandboxes that states run in."""

    @property
    def cache(self) -> Path:
        """The folder for whatever need not be found out twice."""

    def build(
        self, repository: Repository, url: str, tree: str, recipe: Recipe, held: Held | None = None
    ) -> PlacedEnvironment:
        """The environment of a tree; ``held``: the known one and no other.

        Raises Faulted (the base's fault), ToolchainMissing, InfrastructureFault, Cancelled, NotBuilt.
        """
