"""What an earlier run found a base to be, and whether what is made of it now is the same.

It exists because tasks rest on a base for good: its environment may be thrown away and built again, but only under the
lock it was first built with, and only as the same environment with the same checks. What differs is this machine's
doing and no word about the repository.
"""

from __future__ import annotations

from change2task.api.model import Model
from change2task.base import lock as locks
from change2task.base.environment import Environment
from change2task.base.inventory import Inventory
from change2task.base.places import Tools
from change2task.base.recipe import Recipe
from change2task.checks.passes import InfrastructureFault

_SHOWN = 5
_WAY_OUT = (
    "what is stored stays; run it where it was made, or use another --store, where its candidates are judged anew"
)


class NotAsItWas(InfrastructureFault):
    """A base that is known cannot be had here as it was; the message says in what it differs."""

    def __init__(self, differs: str) -> None:
        super().__init__(f"it was ready in an earlier run and cannot be made again as it was: {differs}; {_WAY_OUT}")


class Held(Model):
    """The environment of a known base: what building it again is held to.

    ``key`` is the environment's. ``lock`` is what its first building froze, None where setup installed nothing that a
    lock could hold; ``setup`` the steps that worked then; ``dated`` whether the index was held to the recipe's date.
    """

    key: str
    interpreter: str | None
    setup: tuple[str, ...]
    dated: bool
    lock: str | None

    def recipe(self, recipe: Recipe) -> Recipe:
        """The recipe as it worked: no richer way of setup is tried, nor a poorer one."""
        poorer: Recipe | None = recipe
        while poorer is not None and poorer.setup != self.setup:
            poorer = poorer.falling_back("it did when the base was made")
        return (poorer or recipe).replacing(fallbacks=())

    def check_key(self, key: str, tools: Tools) -> None:
        """Raises NotAsItWas where another environment would be built than the one that is known."""
        if key == self.key:
            return
        if self.interpreter is not None and tools.described() != self.interpreter:
            raise NotAsItWas(f"its environment was made with {self.interpreter}, here it would be {tools.described()}")
        raise NotAsItWas("its sandbox, the folders it sees, its image or its recipe are others than they were")

    def locked(self, lock: str) -> str:
        """The lock of what was installed now, which is the known one. Raises NotAsItWas for other packages.

        Hashes are compared by whoever installs: an index may list more files for the same release today.
        """
        now, then = locks.pins(lock), locks.pins(self.lock or "")
        if now == then:
            return self.lock or ""
        others = sorted(name for name in now.keys() | then.keys() if now.get(name) != then.get(name))
        told = ", ".join(f"{name} {then.get(name, 'absent')} -> {now.get(name, 'absent')}" for name in others[:_SHOWN])
        more = f" and {len(others) - _SHOWN} more" if len(others) > _SHOWN else ""
        raise NotAsItWas(f"its setup does not keep to the lock stored with it: {told}{more}")

    def holds(self, environment: Environment) -> bool:
        """Whether an environment that stands is this one."""
        return environment.key == self.key and (environment.lock or "") == (self.lock or "")


class Known(Model):
    """A base that an earlier run found ready: its frozen commit, its key, its environment and its checks."""

    commit: str
    key: str
    environment: Held
    inventory: Inventory

    def check_key(self, key: str) -> None:
        """Raises NotAsItWas for another key of the base."""
        if key != self.key:
            raise NotAsItWas("its check command or its rebuild steps are others than they were")

    def agrees(self, found: Inventory) -> bool:
        """Whether checks came out as they are known to."""
        return not self.inventory.contradictions(found)

    def check_inventory(self, found: Inventory) -> None:
        """Raises NotAsItWas where checks come out otherwise, by no chance of their own."""
        told = self.inventory.contradictions(found)
        if told:
            more = f" and {len(told) - _SHOWN} more" if len(told) > _SHOWN else ""
            raise NotAsItWas(f"its checks come out otherwise: {'; '.join(told[:_SHOWN])}{more}")
