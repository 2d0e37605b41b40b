"""Exit codes: 0 complete whatever the verdicts, 2 bad input, 3 infrastructure, 130 stopped by the user."""

from __future__ import annotations

OK = 0
BAD_INPUT = 2
INFRASTRUCTURE = 3
INTERRUPTED = 130


class InputError(Exception):
    """Something the user gave cannot be used; the message names it and the way out."""


class InfrastructureError(Exception):
    """The machine could not do its part; no verdict was made of it."""
