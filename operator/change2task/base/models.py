"""A base that is ready: the commit that is frozen, its environment, and what its checks are worth.

It exists as the value that alignment, construction and validation start from; how it came to be is left to ``prepare``.
"""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from change2task.api.model import Model
from change2task.api.modernbase import TriedRevision
from change2task.base.environment import PlacedEnvironment
from change2task.base.faults import BaseFault
from change2task.base.inventory import Inventory
from change2task.checks.laying import CheckCommand


class PreparedBase(Model):
    """A healthy modern revision with one environment.

    ``key`` identifies commit, environment and checks. ``durations`` are seconds a test; ``seconds`` what each stage
    took now (absent: it stood already).
    """

    key: str
    url: str
    commit: str
    commit_time: datetime
    tree: str
    environment: PlacedEnvironment
    checks: CheckCommand
    inventory: Inventory
    durations: dict[str, float] = {}
    tried: tuple[TriedRevision, ...] = ()
    seconds: dict[str, float] = {}

    @property
    def inventory_digest(self) -> str:
        """SHA-256 of the inventory's canonical bytes."""
        return self.inventory.content_hash()

    def evidence(self) -> dict[str, bytes]:
        """What is kept for good, by kind: inventory, recipe, lock, setup log. Free of secrets and of times."""
        environment = self.environment.environment
        recipe = environment.recipe.replacing(command=self.checks.command, format=self.checks.format)
        found = {"inventory": self.inventory.canonical(), "recipe": recipe.canonical()}
        if environment.lock is not None:
            found["lock"] = environment.lock.encode()
        logs = [(step.step, self.environment.folder / "logs" / step.log) for step in environment.steps]
        text = b"".join(b"$ " + step.encode() + b"\n" + path.read_bytes() for step, path in logs if path.is_file())
        if text:
            found["setup"] = text
        return found


class NoBase(Model):
    """A base that cannot be had: its fault, and every revision that was tried."""

    fault: BaseFault
    tried: tuple[TriedRevision, ...] = ()
    seconds: dict[str, float] = Field(default_factory=dict)
