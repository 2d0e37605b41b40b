"""Where the test cluster keeps its things, what it is called, and the versions it is made of.

Nothing of it lies in the checkout: caches and the kubeconfig have a folder of their own; the environment can move it.
"""

from __future__ import annotations

import hashlib
import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

HERE = Path(__file__).resolve().parent
FILES = HERE / "files"
MODULES = HERE / "programs"
TreeName = Literal["node", "tools", "runner", "builder", "python"]


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Program(_Table):
    """Go programs that one module under programs/ builds."""

    packages: tuple[str, ...] = Field(min_length=1)
    output: str | None = None
    tags: tuple[str, ...] = ()
    variables: Mapping[str, str] = {}

    def names(self) -> tuple[str, ...]:
        """The files that come out of it."""
        return (self.output,) if self.output else tuple(p.rsplit("/", 1)[-1] for p in self.packages)


class Debian(_Table):
    """The suite, and the packages of each tree."""

    suite: str
    trees: Mapping[TreeName, tuple[str, ...]]


class Kubernetes(_Table):
    """The version, and the image tags that its kubeadm asks for."""

    version: str
    etcd: str
    coredns: str
    pause: str


class Versions(_Table):
    """versions.toml."""

    go: str
    debian: Debian
    kubernetes: Kubernetes
    programs: Mapping[str, Program]


class Settings(_Table):
    """One test cluster on this machine."""

    cache: Path
    node: Literal["auto", "build", "pull"]
    debian_mirror: str | None
    versions: Versions

    name: str = "change2task"
    network: str = "change2task"
    outside_network: str = "c2t-outside"
    """Its name comes first in the alphabet, so an engine takes it for the default route of who is on both."""
    bridge: str = "br-c2t"
    subnet: str = "10.213.0.0/24"
    """Apart from what engines take by themselves: one inside a pod would take the same, and lose the registry."""
    outside_subnet: str = "10.213.1.0/24"
    registry_port: int = 5001

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> Settings:
        """CHANGE2TASK_KIND_CACHE (a folder), CHANGE2TASK_KIND_NODE (auto, build, pull), DEBIAN_MIRROR."""
        above = environment.get("XDG_CACHE_HOME") or Path.home() / ".cache"
        cache = Path(environment.get("CHANGE2TASK_KIND_CACHE") or Path(above) / "change2task" / "kind")
        with (HERE / "versions.toml").open("rb") as stream:
            versions = tomllib.load(stream)
        return cls.model_validate(
            {
                "cache": cache.resolve(),
                "node": environment.get("CHANGE2TASK_KIND_NODE") or "auto",
                "debian_mirror": environment.get("DEBIAN_MIRROR"),
                "versions": versions,
            }
        )

    @property
    def bin(self) -> Path:
        """Programs built here. Never on PATH: an engine of the host would take containerd's shim from it."""
        return self.cache / "bin"

    @property
    def logs(self) -> Path:
        """What the programs printed that built all this."""
        return self.cache / "logs"

    @property
    def kubeconfig(self) -> Path:
        """The cluster's own; ~/.kube/config is never touched."""
        return self.cache / "kubeconfig"

    @property
    def node_container(self) -> str:
        """What kind calls the only node."""
        return f"{self.name}-control-plane"

    @property
    def registry_name(self) -> str:
        """The registry for nodes and pods; the host and nodes say localhost:PORT."""
        return f"registry.c2t.test:{self.registry_port}"

    @property
    def registry_on_host(self) -> str:
        """The registry for the host; nodes understand it too."""
        return f"localhost:{self.registry_port}"


def key(*parts: object) -> str:
    """A digest of all that an artefact is made of; files stand for their bytes, folders for all files in them."""
    digest = hashlib.sha256()
    for part in parts:
        for piece in _pieces(part):
            digest.update(len(piece).to_bytes(8, "big") + piece)
    return digest.hexdigest()


def _pieces(part: object) -> list[bytes]:
    if isinstance(part, Path):
        if part.is_dir():
            return [piece for path in sorted(part.rglob("*")) if path.is_file() for piece in _pieces(path)]
        return [part.name.encode(), hashlib.sha256(part.read_bytes()).digest()]
    return [repr(part).encode()]
