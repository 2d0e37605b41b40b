"""Removes what ``garbage`` says from the registry: everything alive is read first, and where that fails nothing goes.

What a registry does not let us remove is told, and tried again at the next sweep.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date
from typing import Protocol

import structlog

from change2task.cluster import names
from change2task.cluster.kube import Json, Kube
from change2task.cluster.registry import RegistryFault
from change2task.operator.garbage import REPOSITORIES, garbage, kept_of, named
from change2task.operator.settings import GarbageSettings
from change2task.operator.watching import RESOURCES

log = structlog.get_logger(__name__)


class Shelves(Protocol):
    """What the registry does for a sweep; see ``cluster.registry``."""

    def tags(self, repository: str) -> tuple[str, ...]:
        """All tags of a repository below the prefix."""
        ...

    def remove(self, repository: str, digest: str) -> None:
        """Remove a manifest with all its tags; one that is gone is well."""
        ...


@dataclass(frozen=True)
class Sweep:
    """``namespaces`` are those that are read, all where there is none; ``builds`` is the builds' one."""

    kube: Kube
    shelves: Shelves
    settings: GarbageSettings
    namespaces: tuple[str, ...]
    builds: str
    today: Callable[[], date]

    def sweep(self) -> int:
        """Sweep once; how many manifests went. Raises KubeFault, RegistryFault where nothing could be found out."""
        live = {digest for one in self._alive() for digest in named(json.dumps(one))}
        gone = 0
        for repository in REPOSITORIES:
            for digest in self._garbage(repository, live):
                # Somebody may have found a use for it since.
                if digest not in self._garbage(repository, live):
                    continue
                try:
                    self.shelves.remove(repository, digest)
                except RegistryFault as fault:
                    log.warning("garbage.stays", repository=repository, digest=digest, detail=str(fault))
                    if not fault.retryable:
                        break
                else:
                    gone += 1
        log.info("garbage.removed", manifests=gone, alive=len(live))
        return gone

    def _garbage(self, repository: str, live: set[str]) -> tuple[str, ...]:
        kept = kept_of(self.shelves.tags(repository))
        return garbage(kept, live, self.settings.installation, self.today(), self.settings.after_days)

    def _alive(self) -> Iterable[Json]:
        for namespace in self.namespaces or (None,):
            for kind in RESOURCES:
                yield from self.kube.list(kind, namespace)
            yield from self.kube.list("Job", namespace, **{names.MANAGED: names.MANAGER})
        yield from self.kube.list("Job", self.builds, **{names.MANAGED: names.MANAGER})
