"""The registry as pods use it: its faults are the machine's, and what is asked of a pod lies in its image."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

from change2task.api.model import Model
from change2task.checks.passes import InfrastructureFault
from change2task.cluster.registry import Registry, RegistryFault
from change2task.pipeline.wire import RegistryPlace
from change2task.pods.authorities import of_registry
from change2task.pods.places import Places

Asked = TypeVar("Asked", bound=Model)
INPUT = "input.json"


def asked_of(kind: type[Asked], places: Places) -> Asked:
    """What this pod is asked for. Raises InfrastructureFault."""
    try:
        return kind.model_validate_json((places.ask / INPUT).read_bytes())
    except (OSError, ValueError) as error:
        raise InfrastructureFault(f"what is asked for cannot be read: {error}") from error


def registry_of(place: RegistryPlace, places: Places) -> Registry:
    """The registry with the credentials that are mounted, if any are."""
    return Registry(
        place.prefix,
        insecure=place.insecure,
        auth=places.registry / "config.json",
        authorities=of_registry(places),
    )


def pushed(registry: Registry, image: str, layer: Path, repository: str) -> str:
    """An image with one layer more. Raises InfrastructureFault."""
    try:
        return registry.append(image, layer, repository=repository)
    except RegistryFault as error:
        raise InfrastructureFault(f"the registry: {error}") from error
