"""What each image is: which ground, which layers on it, and how it is run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hack.images import bill
from hack.images.application import FILES, application, dependencies, version
from hack.images.grounds import HOME, SEARCHED, USER, Ground
from hack.kind.images import cached_layer
from hack.kind.settings import Settings, key
from hack.layers import Image, LayerBuilder

ENGINE = "usr/local/bin/change2task-engine"


SOCKET = "/c2t/build/docker.sock"
"""Where the engine listens: in a folder that a pod gives to all its containers at this place."""
LABEL = "change2task.dev/image"
ENVIRONMENT = {
    "HOME": "/tmp",  # noqa: S108 - pods mount their own there
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONUNBUFFERED": "1",
}


@dataclass(frozen=True)
class Recipe:
    """An image before it is built."""

    ground: str
    """The name of its ground."""
    title: str
    ours: bool = True
    """Whether the application is in it."""
    engine: bool = False
    """Whether it starts a container engine."""
    config: Mapping[str, Any] = field(default_factory=dict)


RECIPES: Mapping[str, Recipe] = {
    "runner": Recipe(
        "runner",
        "change2task: fetches, prepares and judges",
        config={"User": f"{USER}:{USER}", "Cmd": ["change2task", "--help"]},
    ),
    "operator": Recipe(
        "runner",
        "change2task: the operator",
        config={"User": f"{USER}:{USER}", "Entrypoint": ["python", "-m", "change2task.operator"]},
    ),
    "builder": Recipe(
        "builder",
        "change2task: builds base images with a container engine",
        engine=True,
        config={"User": "0:0", "Entrypoint": [f"/{ENGINE}"], "Volumes": {"/var/lib/docker": {}}},
    ),
    "python": Recipe("python", "Debian with its Python, for the test cluster", ours=False, config={"Cmd": ["python3"]}),
}


@dataclass(frozen=True)
class Built:
    """An image that can be pushed, and its bill of materials."""

    image: Image
    bill: Path


def build(settings: Settings, name: str, ground: Ground, tag: str) -> Built:
    """One of RECIPES on a ground; layers that are there already are not written again."""
    recipe = RECIPES[name]
    layers = list(ground.layers)
    if recipe.ours:
        layers.append(application(settings, ground))
    if recipe.engine:
        layers.append(cached_layer(settings, "image-engine-entry", key(FILES / "engine.sh", Path(__file__)), _engine))
    wheels = dependencies(settings, ground) if recipe.ours else ()
    document = bill.bill(name, version(), ground, wheels, layers)
    kept = settings.cache / "images" / f"{name}.sbom.json"
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_bytes(document)
    stamp = key(document, Path(__file__))
    layers.append(cached_layer(settings, f"image-{name}-sbom", stamp, lambda: _document(document)))
    return Built(Image((tag,), tuple(layers), ground.architecture, _config(name, recipe, ground), "hack/images"), kept)


def _config(name: str, recipe: Recipe, ground: Ground) -> Mapping[str, Any]:
    environment = dict(ground.environment)
    if recipe.ours:
        environment |= {**ENVIRONMENT, "PATH": f"/{HOME}/bin:{environment.get('PATH', SEARCHED)}"}
    if recipe.engine:
        environment["DOCKER_HOST"] = f"unix://{SOCKET}"
    labels = {"title": recipe.title, "version": version(), "licenses": "Apache-2.0", "base.name": ground.base}
    return {
        "Env": [f"{variable}={value}" for variable, value in sorted(environment.items())],
        "WorkingDir": "/",
        "Labels": {LABEL: name, **{f"org.opencontainers.image.{label}": value for label, value in labels.items()}},
        **recipe.config,
    }


def _engine() -> LayerBuilder:
    layer = LayerBuilder()
    layer.file(ENGINE, FILES / "engine.sh", 0o755)
    return layer


def _document(document: bytes) -> LayerBuilder:
    layer = LayerBuilder()
    layer.file(bill.PLACE, document)
    return layer
