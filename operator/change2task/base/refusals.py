"""Recipes that a sandbox on this machine cannot honour.

It exists so that a manifest that asks for more is told so before anything runs, rather than failing in a setup step.
"""

from __future__ import annotations

from change2task.base.recipe import Recipe, python_of_image
from change2task.runtime.sandbox import Sandbox


def refuses(recipe: Recipe, sandbox: Sandbox) -> str | None:
    """Why this sandbox cannot make the recipe's environment, with the way out; None where it can."""
    if sandbox.name == "docker":
        options = [package for package in recipe.system_packages if package.startswith("-")]
        if options:
            return f"spec.environment.systemPackages: {options[0]!r} is an option of the package manager, no package"
        return None
    if recipe.system_packages:
        return (
            f"spec.environment.systemPackages ({', '.join(recipe.system_packages)}) need an image of their own;"
            " use --runtime docker, or install them on this machine and take them out of the manifest"
        )
    if recipe.image is not None and python_of_image(recipe.image) is None:
        return (
            f"spec.environment.image {recipe.image!r} can only be had with --runtime docker;"
            " the process runtime knows python:X.Y, for an interpreter of this machine"
        )
    return None
