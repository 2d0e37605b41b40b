"""The faults this room raises; faults while a command runs are told in its Outcome instead."""

from __future__ import annotations


class SandboxError(Exception):
    """A sandbox was asked for something it cannot do; the message says what and the way out."""


class Cancelled(Exception):
    """The run was cancelled while it waited for its turn."""
