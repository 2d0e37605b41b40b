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
    ``go`` is the least version of Go, ``least`` that of another compiler. ``arguments`` go after a check command that
    the manifest left to its default; ``command`` is one in its place. ``held`` says in a sentence what holds other
    packages than Python's to a date, ``loose`` why nothing does.
    """

    setup: tuple[str, ...]
    rebuild: tuple[str, ...] = ()
    env: dict[str, str] = Field(default_factory=dict)
    specifier: str = ""
    listed: tuple[str, ...] = ()
    go: str = ""
    least: str | None = None
    arguments: tuple[str, ...] = ()
    command: tuple[str, ...] | None = None
    held: str | None = None
    loose: str | None = None
    evidence: tuple[str, ...] = ()
    note: str = ""
    fallbacks: tuple[InferredSetup, ...] = ()
