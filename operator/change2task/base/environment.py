"""An environment that stands: what it was made from, what it holds, and how a state's command gets it.

It exists as the border between building and using: a state needs a folder, mounts, variables and leftovers, and
nothing of how they came to be.
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path
from typing import Final

from pydantic import Field

from change2task.api.model import Model
from change2task.api.modernbase import BuiltEnvironment
from change2task.base.places import BaseImage, Tools, path_folders, state_variables
from change2task.base.recipe import Recipe
from change2task.runtime.environment import Environment as RuntimeEnvironment
from change2task.runtime.models import Layout
from change2task.runtime.sandbox import Sandbox

STAGE: Final = "environment/1"
DOCUMENT: Final = "environment.json"
LEFTOVERS: Final = "leftovers"
_NO_MODULE: Final = (".dist-info", ".egg-info", ".pth", ".egg-link", ".data")


class StepRecord(Model):
    """One setup step that was run: the line, its exit code, wall seconds and the name of its log."""

    step: str
    exit_code: int | None
    seconds: float
    log: str


class Environment(Model):
    """What is known of a built environment; ``recipe`` is the one that worked.

    ``dated``: everything in it is of the recipe's date or held by a lock; ``dated_detail`` says how or why not.
    ``lock`` is requirements text with hashes of what was installed, ``unlocked`` what no lock can hold.
    ``leftovers`` are quoted paths that setup left in the work folder. ``bytes`` counts shared files once. ``image``
    holds the environment where sandboxes are containers.
    """

    key: str
    recipe: Recipe
    tools: Tools
    layout: Layout
    dated: bool
    dated_detail: str
    lock: str | None = None
    unlocked: tuple[str, ...] = ()
    leftovers: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    steps: tuple[StepRecord, ...] = ()
    bytes: int = Field(default=0, ge=0)
    image: BaseImage | None = None

    @property
    def lock_digest(self) -> str | None:
        """SHA-256 of the lock."""
        return None if self.lock is None else hashlib.sha256(self.lock.encode()).hexdigest()

    def summary(self) -> BuiltEnvironment:
        """The part for a base's status."""
        return BuiltEnvironment(
            key=self.key,
            image=self.recipe.image if self.image is None else self.image.name,
            digest=None if self.image is None else self.image.id,
            interpreter=self.tools.described(),
            dated=self.dated,
            as_of=self.recipe.as_of,
            lock_digest=self.lock_digest,
            setup=self.recipe.setup,
            bytes=self.bytes,
        )


class PlacedEnvironment(Model):
    """An environment on this machine: ``folder`` holds its document, logs and leftovers.

    ``content`` is the folder that states get mounted; None where they have it in their image.
    """

    environment: Environment
    folder: Path
    content: Path | None

    def modules(self) -> frozenset[str]:
        """Names of the top-level Python modules that a state finds in it and in the standard library; none for Go."""
        if self.environment.tools.interpreter is None:
            return frozenset()
        image = self.environment.image
        names = set(image.modules) if image is not None else installed_modules(self.content)
        # Packages that ship their tests under these names do not make them a dependency's.
        return frozenset(names | sys.stdlib_module_names) - {"test", "tests"}

    def runtime(self) -> RuntimeEnvironment:
        """The environment as states get it: read-only, with leftovers laid beside their trees."""
        environment = self.environment
        image = None if environment.image is None else environment.image.id
        return runtime_environment(
            environment.tools, environment.layout, self.content, self.folder / LEFTOVERS, environment.recipe.env, image
        )


def installed_modules(content: Path | None) -> set[str]:
    """Names of the top-level modules that are installed in an environment's folder."""
    if content is None:
        return set()
    installed = (entry.name for entry in content.glob("lib/python*/site-packages/*"))
    names = {name.partition(".")[0] for name in installed if not name.endswith(_NO_MODULE)}
    return {name for name in names if name.isidentifier()}


def runtime_environment(
    tools: Tools,
    layout: Layout,
    content: Path | None,
    leftovers: Path | None,
    env: dict[str, str],
    image: str | None = None,
) -> RuntimeEnvironment:
    """What commands are run in; ``env`` is the recipe's own. Raises ToolchainMissing."""
    return RuntimeEnvironment(
        folder=content,
        image=image,
        leftovers=leftovers,
        toolchain=tools.mounts(),
        path=path_folders(layout, tools),
        variables={**state_variables(layout, tools), **env},
    )


def environment_key(tree: str, recipe: Recipe, tools: Tools, sandbox: Sandbox) -> str:
    """The identity of an environment: 64 hex digits over everything that decides its content."""
    document = {
        "stage": STAGE,
        "tree": tree,
        "recipe": recipe.identity(),
        "fallbacks": [one.setup for one in recipe.fallbacks],
        "tools": tools.document(),
        "sandbox": sandbox.name,
        "layout": sandbox.layout.document(),
    }
    return hashlib.sha256(json.dumps(document, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
