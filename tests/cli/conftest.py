"""The worlds that the commands are tried in."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.troubles import troubles
from tests.support.world import World, variables, world

__all__ = ["store", "troubles", "variables", "world"]


@pytest.fixture
def store(world: World, tmp_path: Path) -> Path:
    """A store of one's own."""
    return world.copy(tmp_path)
