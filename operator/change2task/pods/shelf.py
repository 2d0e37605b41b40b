"""Environments kept in the registry by key, so that one is never built twice by all who share it.

What is kept is the base image, and beside it what is known of the environment: its document, leftovers and logs. A key
holds all that decides an environment, so whatever is found under it is the same.
"""

from __future__ import annotations

import io
import tarfile
from dataclasses import dataclass
from pathlib import Path

import structlog

from change2task.base.environment import DOCUMENT, LEFTOVERS, PlacedEnvironment
from change2task.checks.passes import InfrastructureFault
from change2task.cluster.layers import unpack, write_layer
from change2task.cluster.registry import Registry, RegistryFault
from change2task.runtime.docker import images
from change2task.runtime.docker.engine import Engine
from change2task.runtime.errors import SandboxError

MEDIA_TYPE = "application/vnd.change2task.environment.v1.tar"
_IMAGE = "image"
_KEPT = (DOCUMENT, LEFTOVERS, "logs", _IMAGE)
log = structlog.get_logger(__name__)


def kept_of(placed: PlacedEnvironment) -> list[Path]:
    """What is kept of an environment beside its image: document, leftovers and logs."""
    return [path for name in _KEPT if (path := placed.folder / name).exists()]


@dataclass(frozen=True)
class RegistryShelf:
    """Environments below a registry's prefix; images are pushed by ``engine``, which knows the registry itself."""

    registry: Registry
    engine: Engine

    def find(self, key: str, folder: Path) -> str | None:
        """See Shelf.find. Raises InfrastructureFault."""
        try:
            name = self.registry.below("environments", key)
            if not self.registry.exists(name):
                return None
            content = self.registry.read_document(name)
            folder.mkdir(parents=True, exist_ok=True)
            unpack(content, folder)
            image = (folder / _IMAGE).read_text()
            if not self.registry.exists(image):
                log.warning("environment.image_gone", key=key[:12], image=image)
                return None
        except RegistryFault as error:
            raise InfrastructureFault(f"the registry: {error}") from error
        except (OSError, ValueError, tarfile.TarError) as error:
            raise InfrastructureFault(f"environment {key[:12]} of the registry cannot be read: {error}") from error
        log.info("environment.found", key=key[:12], image=image)
        return image

    def keep(self, placed: PlacedEnvironment) -> str:
        """See Shelf.keep. Raises InfrastructureFault."""
        environment = placed.environment
        assert environment.image is not None
        try:
            image = images.push(self.engine, environment.image.id, self.registry.below("bases", environment.key))
            files = io.BytesIO()
            (placed.folder / _IMAGE).write_text(image)
            write_layer(files, [(path, f"/{path.name}") for path in kept_of(placed)])
            self.registry.push_document("environments", files.getvalue(), MEDIA_TYPE, tag=environment.key)
        except SandboxError as error:
            raise InfrastructureFault(str(error)) from error
        except RegistryFault as error:
            raise InfrastructureFault(f"the registry: {error}") from error
        log.info("environment.kept", key=environment.key[:12], image=image)
        return image
