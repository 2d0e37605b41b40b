"""Recipes that a sandbox cannot honour.

It exists so that a manifest that asks for more is told so before anything runs, rather than failing in a setup step.
Only what a manifest says is looked at; what this machine happens to lack (an interpreter, an image) is found out when
it is needed, and is no fault of the manifest.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from change2task.api.modernbase import ModernBaseSpec
from change2task.base.recipe import python_of_image

NO_IMAGE = "is absent, and --runtime docker needs an image to start from, such as python:3.12-slim"
_FIXED = re.compile(r"(?<![\w./-])/c2t(?![\w.-])")

WITHOUT_IMAGES = "recipes with systemPackages, or with an image other than python:X.Y"
WITHOUT_MOUNTS = "recipes that name paths below /c2t"


class Refusal(NamedTuple):
    """What a manifest says that cannot be had: the field, its value, and the way out."""

    field: str
    value: object
    message: str

    def __str__(self) -> str:
        return f"{self.field}: {self.message} (got {self.value!r})"


def refused_by(kind: str) -> tuple[str, ...]:
    """Which recipes a kind of sandbox refuses, in words for people; ``refusals`` finds them."""
    return {"docker": (), "plain": (WITHOUT_IMAGES, WITHOUT_MOUNTS)}.get(kind, (WITHOUT_IMAGES,))


def refusals(spec: ModernBaseSpec, kind: str) -> Iterator[Refusal]:
    """Everything in a base's recipe that this kind of sandbox cannot do; nothing where it can do it all."""
    if kind == "docker":
        yield from _options(spec)
        return
    yield from _without_images(spec)
    if kind == "plain":
        yield from _without_mounts(spec)


def _options(spec: ModernBaseSpec) -> Iterator[Refusal]:
    for package in spec.environment.system_packages:
        if package.startswith("-"):
            said = "an option of the package manager is no package"
            yield Refusal("spec.environment.systemPackages", package, said)


def _without_images(spec: ModernBaseSpec) -> Iterator[Refusal]:
    packages, image = spec.environment.system_packages, spec.environment.image
    if packages:
        yield Refusal(
            "spec.environment.systemPackages",
            list(packages),
            "these need an image of their own; use --runtime docker, or install them on this machine and take them out"
            " of the manifest",
        )
    if image is not None and python_of_image(image) is None:
        yield Refusal(
            "spec.environment.image",
            image,
            "it can only be had with --runtime docker; the process runtime knows python:X.Y, for an interpreter of"
            " this machine",
        )


def _without_mounts(spec: ModernBaseSpec) -> Iterator[Refusal]:
    """What relies on the paths that sandboxes with mounts have in common."""
    environment = spec.environment
    named = {
        "spec.environment.setup": environment.setup or (),
        "spec.environment.rebuild": environment.rebuild,
        "spec.environment.env": environment.env.values(),
        "spec.checks.command": spec.checks.command,
    }
    for field, texts in named.items():
        for text in texts:
            if _FIXED.search(text):
                yield Refusal(
                    field,
                    text,
                    "without bubblewrap nothing lies below /c2t; install bubblewrap, use --runtime docker, or write"
                    " $VIRTUAL_ENV, $HOME and paths relative to the tree",
                )
