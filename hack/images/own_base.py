"""Grounds on an image of the user's: an engine pulls it, adds what it lacks, and hands over the layers.

The layers are taken out of the engine again, so that what is laid on top is byte for byte the layer that stands on a
Debian made here.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import shutil
import tarfile
import tempfile
from pathlib import Path
from typing import Any

from hack.images.application import FILES
from hack.images.grounds import Ground, asked
from hack.kind.commands import ClusterError, step
from hack.kind.engine import Engine
from hack.kind.settings import Settings
from hack.layers import Layer

SECONDS = 1800.0
GZIP = b"\x1f\x8b"


def grounds_on(settings: Settings, engine: Engine, base: str) -> dict[str, Ground]:
    """``runner`` and ``builder`` on this image."""
    return {target: _ground(settings, engine, base, target) for target in ("runner", "builder")}


def _ground(settings: Settings, engine: Engine, base: str, target: str) -> Ground:
    tag = f"c2t.test/ground-{target}:{hashlib.sha256(base.encode()).hexdigest()[:12]}"
    with step(f"{target} on {base}"):
        # The host's network, so that a mirror which this machine reaches is reached there too.
        words = (
            "--quiet",
            "--network=host",
            f"--build-arg=BASE={base}",
            f"--target={target}",
            f"--tag={tag}",
            *_proxies(),
        )
        engine.docker("build", *words, "-", stdin=(FILES / "Containerfile").read_bytes(), seconds=SECONDS)
    told: dict[str, Any] = json.loads(engine.docker("image", "inspect", "--format", "{{json .}}", tag))
    layers = _layers(settings.cache / "images" / "grounds", engine, tag, told["RootFS"]["Layers"])
    start = ("docker", "run", "--rm", "--interactive", "--network=none", "--user=0:0", "--env=PYTHONHASHSEED=0")
    enter = (*start, "--entrypoint=/usr/bin/env", tag)
    environment = dict(line.split("=", 1) for line in told["Config"].get("Env") or ())
    return asked(base, layers, enter, engine.environment, told["Architecture"], environment)


def _proxies() -> tuple[str, ...]:
    names = ("http_proxy", "https_proxy", "no_proxy")
    return tuple(f"--build-arg={name}" for lower in names for name in (lower, lower.upper()) if name in os.environ)


def _layers(folder: Path, engine: Engine, tag: str, digests: list[str]) -> tuple[Layer, ...]:
    """The image's layers as files, each under the digest of its bytes."""
    layers = tuple(
        Layer(folder / f"{digest.removeprefix('sha256:')}.tar", digest.removeprefix("sha256:")) for digest in digests
    )
    if all(layer.path.is_file() for layer in layers):
        return layers
    folder.mkdir(parents=True, exist_ok=True)
    with step(f"layers of {tag}"), tempfile.TemporaryDirectory(dir=folder) as name:
        saved = Path(name) / "saved.tar"
        engine.docker("save", "--output", saved, tag, seconds=SECONDS)
        with tarfile.open(saved) as archive:
            for member, layer in zip(_manifest(archive)["Layers"], layers, strict=True):
                _take_out(archive, member, layer, Path(name) / "layer")
    return layers


def _manifest(archive: tarfile.TarFile) -> dict[str, Any]:
    file = archive.extractfile("manifest.json")
    if file is None:
        raise ClusterError("what the engine saves of an image has no manifest.json")
    manifest: list[dict[str, Any]] = json.load(file)
    return manifest[0]


def _take_out(archive: tarfile.TarFile, member: str, layer: Layer, partial: Path) -> None:
    """Some engines keep layers as registries do, compressed."""
    packed = archive.extractfile(member)
    if packed is None:
        raise ClusterError(f"what the engine saves of an image lacks the layer {member}")
    start = packed.read(len(GZIP))
    packed.seek(0)
    with partial.open("wb") as file, gzip.GzipFile(fileobj=packed) if start == GZIP else packed as plain:
        shutil.copyfileobj(plain, file)
    with partial.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != layer.digest:
        raise ClusterError(f"the engine saves a layer of digest {found} where it names {layer.digest}")
    partial.rename(layer.path)
