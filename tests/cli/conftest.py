"""The worlds that the commands are tried in."""

from tests.support.troubles import troubles
from tests.support.world import variables, world

__all__ = ["troubles", "variables", "world"]
