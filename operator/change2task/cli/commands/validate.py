"""``change2task validate``: everything about manifests that can be known without running anything."""

from __future__ import annotations

from typing import Annotated

import typer

from change2task.cli.inputs import read_inputs


def validate(
    manifests: Annotated[
        list[str], typer.Argument(metavar="MANIFEST...", help="Files, folders, or - for standard input.")
    ],
    mirror: Annotated[list[str] | None, typer.Option("--mirror", help="URL=PATH, where a URL is really read.")] = None,
) -> None:
    """Check manifests without running anything; every fault is named with document, field and value."""
    inputs = read_inputs(manifests, mirror or ())
    print(f"{len(inputs.bases)} bases and {len(inputs.candidates)} candidates are sound")  # noqa: T201
