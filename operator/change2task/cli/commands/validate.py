"""``change2task validate``: everything about manifests that can be known without running anything."""

from __future__ import annotations

from typing import Annotated

import typer

from change2task.api.taskcandidate import Profile
from change2task.cli.choices import Choices, Runtime
from change2task.cli.foreseen import foreseen
from change2task.cli.inputs import read_inputs, unread_mirrors


def validate(
    manifests: Annotated[
        list[str], typer.Argument(metavar="MANIFEST...", help="Files, folders, or - for standard input.")
    ],
    mirror: Annotated[list[str] | None, typer.Option("--mirror", help="URL=PATH, where a URL is really read.")] = None,
    runtime: Annotated[Runtime, typer.Option("--runtime", help="Where commands would run.")] = Runtime.PROCESS,
    profile: Annotated[Profile, typer.Option("--profile", help="The profile they would be run with.")] = Profile.FULL,
) -> None:
    """Check manifests without running anything; every fault is named with document, field and value.

    Where a repository lies on this machine, changes that are not in its history are told too; a run would refuse them.
    """
    inputs = read_inputs(manifests, mirror or (), Choices(runtime, profile))
    bases, candidates = _counted(len(inputs.bases), "base"), _counted(len(inputs.candidates), "candidate")
    print(f"{bases} and {candidates} are sound")  # noqa: T201
    for told in (*unread_mirrors(inputs), *foreseen(inputs)):
        print(f"  but {told}")  # noqa: T201


def _counted(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
