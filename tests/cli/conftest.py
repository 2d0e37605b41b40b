"""The world that the commands are tried in."""

from tests.support.world import variables, world

__all__ = ["variables", "world"]
