"""Giving images to a registry through an engine, which knows the user's credentials, and the digests they got there."""

from __future__ import annotations

import json

from hack.kind.commands import ClusterError, step
from hack.kind.engine import Engine
from hack.kind.services import load
from hack.layers import Image


def push(engine: Engine, image: Image, name: str) -> str:
    """Push under ``name`` (with a tag); returns the manifest's digest as the registry knows it."""
    load(engine, image)
    with step(f"push {name}"):
        engine.docker("tag", image.identity, name)
        engine.docker("push", "--quiet", name, seconds=1800)
    repository = name.rpartition(":")[0]
    known: list[str] = json.loads(engine.docker("image", "inspect", "--format", "{{json .RepoDigests}}", name))
    for reference in known:
        if reference.startswith(f"{repository}@"):
            return reference.partition("@")[2]
    raise ClusterError(f"{name} is pushed, and the engine knows no digest of it: {known}")
