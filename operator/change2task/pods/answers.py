"""What builds have said, kept in an image: by question the environment that came of it, or why none can.

It exists so that a container without an engine gets the same answers as the one that built, faults included. A question
is asked of the tree and the recipe alone: what an image has to offer can only be found out where images run.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from change2task.api.model import Model
from change2task.base.build import Builder
from change2task.base.builds import NotBuilt
from change2task.base.environment import DOCUMENT, Environment, PlacedEnvironment, environment_key
from change2task.base.faults import BaseFault, Faulted
from change2task.base.known import Held
from change2task.base.recipe import Recipe
from change2task.checks.passes import InfrastructureFault
from change2task.vcs.repository import Repository

ANSWERS = "answers"
"""The folder of answers beside those of environments."""
KIND = "docker"


class BuildAnswer(Model):
    """What a build came to: the key of its environment, or the fault that the base has."""

    key: str | None = None
    fault: BaseFault | None = None


def question(tree: str, recipe: Recipe) -> str:
    """What is asked of a build: 64 hex digits."""
    document = [tree, recipe.identity(), [one.document() for one in recipe.fallbacks]]
    return hashlib.sha256(json.dumps(document, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def placed_in(folder: Path, key: str) -> PlacedEnvironment:
    """An environment by its key in a folder of environments. Raises InfrastructureFault."""
    place = folder / key
    try:
        document = Environment.model_validate_json((place / DOCUMENT).read_bytes())
    except (OSError, ValueError) as error:
        raise InfrastructureFault(f"environment {key[:12]} cannot be read from this image: {error}") from error
    return PlacedEnvironment(environment=document, folder=place, content=None)


@dataclass(frozen=True)
class AnsweredBuilds:
    """Hands out what was built and lies in ``folder``; ``cache`` is a folder of its own."""

    folder: Path
    cache: Path
    kind: str = KIND

    def build(
        self, repository: Repository, url: str, tree: str, recipe: Recipe, held: Held | None = None
    ) -> PlacedEnvironment:
        """See Builds.build."""
        path = self.folder / ANSWERS / f"{question(tree, recipe)}.json"
        if not path.is_file():
            raise NotBuilt
        try:
            answer = BuildAnswer.model_validate_json(path.read_bytes())
        except (OSError, ValueError) as error:
            raise InfrastructureFault(f"{path} cannot be read from this image: {error}") from error
        if answer.fault is not None:
            raise Faulted(answer.fault.reason, answer.fault.message, answer.fault.condition)
        if answer.key is None:
            raise InfrastructureFault(f"{path} says neither what was built nor why nothing could be")
        placed = placed_in(self.folder, answer.key)
        if held is not None:
            held.check_key(placed.environment.key, placed.environment.tools)
        return placed


class Shelf(Protocol):
    """Where environments are kept for everybody, by key."""

    def find(self, key: str, folder: Path) -> str | None:
        """The base image of an environment that is kept, whose document and leftovers are put into ``folder``."""

    def keep(self, placed: PlacedEnvironment) -> str:
        """Keep an environment; its base image by digest."""


@dataclass(frozen=True)
class RecordedBuilds:
    """Has built what is neither in this image nor on the shelf, and remembers every answer.

    ``answers`` are by question, ``placed`` the environments by key, ``images`` their base images.
    """

    builder: Builder
    earlier: AnsweredBuilds
    shelf: Shelf
    answers: dict[str, BuildAnswer] = field(default_factory=dict)
    placed: dict[str, PlacedEnvironment] = field(default_factory=dict)
    images: dict[str, str] = field(default_factory=dict)

    @property
    def kind(self) -> str:
        """See Builds.kind."""
        return self.builder.kind

    @property
    def cache(self) -> Path:
        """See Builds.cache."""
        return self.builder.cache

    def build(
        self, repository: Repository, url: str, tree: str, recipe: Recipe, held: Held | None = None
    ) -> PlacedEnvironment:
        """See Builds.build."""
        asked = question(tree, recipe)
        try:
            placed = self._had(repository, url, tree, recipe, held)
        except Faulted as faulted:
            self.answers[asked] = BuildAnswer(fault=faulted.fault)
            raise
        key = placed.environment.key
        self.answers[asked] = BuildAnswer(key=key)
        self.placed[key] = placed
        return placed

    def _had(self, repository: Repository, url: str, tree: str, recipe: Recipe, held: Held | None) -> PlacedEnvironment:
        try:
            return self.earlier.build(repository, url, tree, recipe, held)
        except NotBuilt:
            tools = self.builder.foundation.tools(recipe)
        key = environment_key(tree, recipe, tools, self.builder.sandbox)
        kept = self.builder.cache / "kept"
        image = self.shelf.find(key, kept / key)
        if image is not None:
            self.images[key] = image
            return placed_in(kept, key)
        placed = self.builder.build(repository, url, tree, recipe, held)
        self.images[key] = self.shelf.keep(placed)
        return placed
