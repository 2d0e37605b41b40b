"""What the Jobs of a step may take, whatever the step is of."""

from __future__ import annotations

from typing import Final

DEADLINE_OVERHEAD: Final = 600
"""Seconds of a step's Job for its trusted containers and images."""
SECONDS_A_PASS: Final = 60
"""Seconds that a slot may take beyond its suite's own limit."""
