"""Builds the environments of a base with a container engine beside it, and pushes what later containers need of them.

It goes as far as can be gone without running a check: preparing stops at the first pass, since passes are run
elsewhere. The engine shares a folder with this container at the same path, and runs repository code in containers of
its own.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from change2task.api.modernbase import ModernBase
from change2task.base.build import DEFAULT_LIMITS, Builder
from change2task.base.faults import IndexRefused
from change2task.base.models import NoBase
from change2task.cluster.layers import write_layer
from change2task.pipeline.basewise import base_step, outcome
from change2task.pipeline.wire import Answers, BuildInput, BuildResult, BuiltImage
from change2task.pods.answers import ANSWERS, AnsweredBuilds, RecordedBuilds
from change2task.pods.authorities import index_variables
from change2task.pods.bases import repository
from change2task.pods.engines import connected, own_folder
from change2task.pods.faults import CredentialsFault
from change2task.pods.indexes import index_credentials
from change2task.pods.places import Places
from change2task.pods.pushing import asked_of, pushed, registry_of
from change2task.pods.replay import answers_of
from change2task.pods.shelf import RegistryShelf, kept_of
from change2task.runtime.docker.sandbox import IMAGE_VARIABLE, DockerSandbox

ENVIRONMENTS = "/c2t/environments"


def build(places: Places, environ: Mapping[str, str] = os.environ) -> BuildResult:
    """Build, and push base images and the ground image. Raises InfrastructureFault."""
    with own_folder(places, environ) as own:
        try:
            return _build(own, environ)
        except IndexRefused as fault:
            raise CredentialsFault(str(fault)) from fault


def _build(places: Places, environ: Mapping[str, str]) -> BuildResult:
    asked = asked_of(BuildInput, places)
    secrets = {**index_variables(places, environ), **index_credentials(places, environ)}
    found_in = repository(asked.base.spec.repository.url, places)
    registry = registry_of(asked.registry, places)
    told = {**environ, **({IMAGE_VARIABLE: asked.image} if asked.image else {})}
    sandbox = connected(told, asked.images)
    builds = RecordedBuilds(
        builder=_builder(asked.base, sandbox, places.build / "cache", {**environ, **secrets}),
        earlier=AnsweredBuilds(places.environments, places.build / "cache"),
        shelf=RegistryShelf(registry, sandbox.engine),
        images={one.key: one.image for one in asked.built},
    )
    done = base_step(asked.base, found_in, builds, _answers(places))
    if isinstance(done.found, NoBase):
        return BuildResult(base=outcome(asked.base, done.found, images=builds.images, ground="", now=datetime.now(UTC)))
    with tempfile.TemporaryDirectory(prefix="ground-", dir=places.build) as folder:
        ground = pushed(registry, asked.history, _layer(builds, places, Path(folder)), "grounds")
    built = tuple(BuiltImage(key=key, image=image) for key, image in sorted(builds.images.items()))
    return BuildResult(built=built, ground=ground)


def _answers(places: Places) -> Answers:
    """Results of passes that were run before this build was found to be needed."""
    return answers_of(places) if places.step.is_dir() else {}


def _builder(base: ModernBase, sandbox: DockerSandbox, cache: Path, environ: Mapping[str, str]) -> Builder:
    cache.mkdir(parents=True, exist_ok=True)
    seconds = base.spec.environment.setup_timeout_seconds or DEFAULT_LIMITS.seconds
    return Builder.on_this_machine(sandbox, cache, environ, limits=DEFAULT_LIMITS.replacing(seconds=seconds))


def _layer(builds: RecordedBuilds, places: Places, folder: Path) -> Path:
    """All that is known of the environments, those of earlier builds included, as a layer."""
    answers = folder / ANSWERS
    answers.mkdir()
    for earlier in sorted((places.environments / ANSWERS).glob("*.json")):
        (answers / earlier.name).write_bytes(earlier.read_bytes())
    for question, answer in builds.answers.items():
        (answers / f"{question}.json").write_bytes(answer.canonical())
    sources = [(answers, f"{ENVIRONMENTS}/{ANSWERS}")]
    for key, placed in builds.placed.items():
        sources += [(path, f"{ENVIRONMENTS}/{key}/{path.name}") for path in kept_of(placed)]
    layer = folder / "layer.tar"
    with layer.open("wb") as out:
        write_layer(out, sources)
    return layer
