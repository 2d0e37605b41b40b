"""The world of a whole run, whose candidates are driven once more by the programs of pods."""

from __future__ import annotations

from tests.support.world import variables, world

__all__ = ["variables", "world"]
