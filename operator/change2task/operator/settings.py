"""What a platform team says of the operator: one file, checked before anything starts.

Where things are pushed to and pulled from, how much may run at a time, and what is accepted of the cluster. What one
base or candidate asks for stands in its own spec.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, Self
from urllib.parse import urlsplit

import yaml
from pydantic import Field, ValidationError, model_validator

from change2task.api.model import Model
from change2task.api.taskcandidate import Profile
from change2task.cluster.engines import EngineKind, ExternalEngine

_PORTS: Final = {"http": 80, "https": 443, "git": 9418, "ssh": 22}


class SettingsFault(Exception):
    """The settings cannot be used; the message names the field, the value and the way out."""


class GarbageSettings(Model):
    """That what nothing names any more is removed, so many days after its last use.

    ``installation`` is a name that no other one has which pushes below the same prefix.
    """

    installation: str = Field(pattern=r"^[a-z0-9]{1,20}$")
    after_days: int = Field(default=30, ge=2, le=3650)


class RegistrySettings(Model):
    """Where images are pushed: everything lies below ``prefix``; ``insecure`` speaks HTTP.

    ``pods_secret`` names a Secret (kubernetes.io/dockerconfigjson) of each namespace in which pods push. Without
    ``garbage`` nothing is ever removed.
    """

    prefix: str = Field(min_length=1, max_length=512)
    insecure: bool = False
    pods_secret: str | None = None
    garbage: GarbageSettings | None = None


class Images(Model):
    """Our own images, best by digest; ``podman`` is anybody's that has it, for builds beside a podman service."""

    runner: str = Field(min_length=1)
    builder: str = Field(min_length=1)
    podman: str | None = Field(default=None, min_length=1)


class Mirrors(Model):
    """Where what manifests name is really read: repositories by URL, images by name."""

    repositories: dict[str, str] = {}
    images: dict[str, str] = {}


class Index(Model):
    """The package index that setup reaches; ``secret`` names a Secret of the builds' namespace (``pods.indexes``)."""

    url: str | None = None
    secret: str | None = Field(default=None, min_length=1)


class Building(Model):
    """By which engine images are built: a sidecar of the build's pod, or one outside of the cluster."""

    builder: EngineKind = "dind"
    external: ExternalEngine | None = None

    @model_validator(mode="after")
    def _one_engine(self) -> Self:
        if (self.builder == "external") != (self.external is not None):
            raise ValueError("external says where the engine is, builder: external that it is used; say both or none")
        return self


class Caps(Model):
    """How many Jobs may run at a time."""

    per_base: int = Field(default=4, ge=1)
    per_namespace: int = Field(default=8, ge=1)
    cluster: int = Field(default=16, ge=1)
    builds: int = Field(default=1, ge=1)


class LeaseSettings(Model):
    """The lease (coordination.k8s.io) by which one of several replicas works.

    Others may begin ``duration_seconds`` after its last renewal was seen, its holder stops ``renew_seconds`` after it.
    """

    name: str = Field(min_length=1, max_length=253)
    namespace: str = Field(min_length=1, max_length=63)
    duration_seconds: int = Field(default=30, ge=3, le=3600)
    renew_seconds: int = Field(default=20, ge=2, le=3600)
    retry_seconds: int = Field(default=4, ge=1, le=600)

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if not self.retry_seconds < self.renew_seconds < self.duration_seconds:
            raise ValueError("retrySeconds must be below renewSeconds, and that below durationSeconds")
        return self


class OperatorSettings(Model):
    """All of it; see docs/install.md.

    ``base_image`` is what environments start from whose base names none. ``authorities`` names a ConfigMap (ca.crt) of
    each namespace in which pods fetch or build: whom private hosts are known by. ``lease``: there are other replicas.
    """

    registry: RegistrySettings
    images: Images
    base_image: str | None = None
    mirrors: Mirrors = Mirrors()
    index: Index = Index()
    authorities: str | None = Field(default=None, min_length=1)
    build: Building = Building()
    lease: LeaseSettings | None = None
    builds_namespace: str = "change2task-builds"
    watch_namespaces: tuple[str, ...] = ()
    caps: Caps = Caps()
    workers: int = Field(default=4, ge=1, le=64)
    slots: int = Field(default=6, ge=1, le=16)
    allow_unisolated: bool = False
    runtime_class_name: str | None = None
    profile: Profile = Profile.FULL

    @model_validator(mode="after")
    def _podman_has_an_image(self) -> Self:
        if self.build.builder == "podman" and self.images.podman is None:
            raise ValueError("build.builder: podman needs images.podman, an image that has podman")
        return self

    @property
    def engine_image(self) -> str:
        """The image of the engine's sidecar; empty where there is none."""
        told = {"dind": self.images.builder, "podman": self.images.podman, "external": ""}
        return told[self.build.builder] or ""

    def closed(self) -> tuple[str, ...]:
        """Addresses (host:port) that builds reach and pods with repository code must not."""
        engine = "" if self.build.external is None else self.build.external.host
        urls = (f"//{self.registry.prefix}", *self.mirrors.repositories.values(), self.index.url or "", engine)
        return tuple(sorted({address for url in urls if (address := _address(url))}))

    @classmethod
    def read(cls, path: Path) -> Self:
        """The settings of a YAML file. Raises SettingsFault."""
        try:
            document = yaml.safe_load(path.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
            raise SettingsFault(f"{path} cannot be read: {error}") from error
        try:
            return cls.model_validate(document)
        except ValidationError as error:
            raise SettingsFault("\n".join(f"{path}: {told}" for told in map(_told, error.errors()))) from error


def _address(url: str) -> str | None:
    """Host and port of a URL; None where it names no host, or a port is not told and not known."""
    parts = urlsplit(url)
    port = parts.port or _PORTS.get(parts.scheme, 443 if not parts.scheme else None)
    return None if parts.hostname is None or port is None else f"{parts.hostname}:{port}"


def _told(error: Mapping[str, Any]) -> str:
    field = ".".join(str(part) for part in error["loc"]) or "the file"
    return f"{field}: {error['msg']}, not {str(error['input'])[:100]!r}"
