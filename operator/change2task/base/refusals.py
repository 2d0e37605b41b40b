"""Recipes that a sandbox cannot honour.

It exists so that a manifest that asks for more is told so before anything runs, rather than failing in a setup step.
Only what a manifest says is looked at; what this machine happens to lack (an interpreter, an image) is found out when
it is needed, and is no fault of the manifest.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

from change2task.api.modernbase import Environment
from change2task.base.recipe import python_of_image

Kind = Literal["bubblewrap", "plain", "docker"]
NO_IMAGE = "is absent, and --runtime docker needs an image to start from, such as python:3.12-slim"


class Refusal(NamedTuple):
    """What a manifest says that cannot be had: the field below spec.environment, its value, and the way out."""

    field: str
    value: object
    message: str

    def __str__(self) -> str:
        return f"spec.environment.{self.field}: {self.message} (got {self.value!r})"


def refusals(environment: Environment, kind: str) -> Iterator[Refusal]:
    """Everything in a base's environment that this kind of sandbox cannot do; nothing where it can do it all."""
    packages, image = environment.system_packages, environment.image
    if kind == "docker":
        for option in (package for package in packages if package.startswith("-")):
            yield Refusal("systemPackages", option, "an option of the package manager is no package")
        return
    if packages:
        yield Refusal(
            "systemPackages",
            list(packages),
            "these need an image of their own; use --runtime docker, or install them on this machine and take them out"
            " of the manifest",
        )
    if image is not None and python_of_image(image) is None:
        yield Refusal(
            "image",
            image,
            "it can only be had with --runtime docker; the process runtime knows python:X.Y, for an interpreter of"
            " this machine",
        )
