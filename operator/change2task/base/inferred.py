"""What inference for a language hands to the recipe.

It exists on its own so that inferring modules and the recipe need not know each other.
"""

from __future__ import annotations

from pydantic import Field

from change2task.api.model import Model


class InferredSetup(Model):
    """Steps and settings read off a project's files, each with its evidence in a sentence.

    ``note`` names this way of setup among several; ``fallbacks`` are poorer ways, best first.
    ``specifier`` and ``listed`` narrow the Python interpreter: PEP 440 and minors such as 3.12;
    ``go`` is the least version of Go. ``arguments`` go after a check command that the manifest left to its default.
    """

    setup: tuple[str, ...]
    rebuild: tuple[str, ...] = ()
    env: dict[str, str] = Field(default_factory=dict)
    specifier: str = ""
    listed: tuple[str, ...] = ()
    go: str = ""
    arguments: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    note: str = ""
    fallbacks: tuple[InferredSetup, ...] = ()
