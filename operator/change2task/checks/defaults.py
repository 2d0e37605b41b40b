"""The command of a format that a manifest leaves to its default, where one is usual.

It exists on its own because both who infers recipes and who checks manifests ask for it.
"""

from __future__ import annotations

_COMMANDS: dict[str, tuple[str, ...]] = {
    "unittest": ("python", "-m", "unittest"),
    "go": ("go", "test", "./..."),
    "cargo": ("cargo", "test"),
    "node": ("node", "--test"),
    "jest": ("npx", "jest"),
    "vitest": ("npx", "vitest", "run"),
    "mocha": ("npx", "mocha"),
}


def default_command(check_format: str) -> tuple[str, ...] | None:
    """The usual command of a format; None where there is none, or the schema's own default is it."""
    return _COMMANDS.get(check_format)
