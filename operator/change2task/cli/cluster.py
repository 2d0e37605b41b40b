"""What commands need of a cluster: where it is, and a store with what stands there.

The kubeconfig is the one given, else KUBECONFIG's, else the user's own. A registry that only the cluster knows by name
is found by what the cluster says of it (KEP-1755, the ConfigMap local-registry-hosting).
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
import yaml

from change2task.cli.failures import InfrastructureError, InputError
from change2task.cluster.kube import Kube, KubeFault
from change2task.cluster.registry import Registry, RegistryFault
from change2task.corpus.from_cluster import bring
from change2task.corpus.store import Store
from change2task.pipeline.wire import BaseOutcome, CandidateOutcome

OnCluster = Annotated[bool, typer.Option("--cluster", help="Of what stands on a cluster, not in a store.")]
Namespace = Annotated[str, typer.Option("--namespace", "-n", help="Namespace on the cluster.")]
Kubeconfig = Annotated[Path | None, typer.Option("--kubeconfig", help="Default: KUBECONFIG, else ~/.kube/config.")]
RegistryAuth = Annotated[
    Path | None, typer.Option("--registry-auth", help="Logins like Docker's config.json; default: the user's own.")
]
_OWN_LOGINS = Path("~/.docker/config.json")


def brought(
    kubeconfig: Path | None, namespace: str, names: tuple[str, ...], auth: Path | None, store: Store
) -> tuple[str, ...]:
    """Bring what stands on the cluster into the store; the names brought. Raises InputError, InfrastructureError."""
    kube = connected(kubeconfig)
    try:
        reader = _Reader(_addresses(kube), auth or _OWN_LOGINS.expanduser())
        return bring(kube, namespace, names, reader.evidence, store)
    except (KubeFault, RegistryFault) as fault:
        raise InfrastructureError(str(fault)) from fault


def connected(kubeconfig: Path | None) -> Kube:
    """The cluster that is meant. Raises InputError, InfrastructureError."""
    path = kubeconfig or Path(os.environ.get("KUBECONFIG") or "~/.kube/config").expanduser()
    if not path.is_file():
        raise InputError(f"there is no kubeconfig {path}; give --kubeconfig, or set KUBECONFIG")
    try:
        return Kube.connect(path)
    except KubeFault as fault:
        raise InfrastructureError(str(fault)) from fault


@contextmanager
def cluster_store(
    kubeconfig: Path | None, namespace: str, names: tuple[str, ...], auth: Path | None
) -> Iterator[Store]:
    """A store for a while, with candidates, tasks or bases of a cluster (all, or those named) and their evidence."""
    with tempfile.TemporaryDirectory(prefix="change2task-") as folder:
        store = Store.open(Path(folder) / "store", create=True)
        if not brought(kubeconfig, namespace, names, auth, store):
            said = f"candidate, task or base {', '.join(names)}" if names else "candidate or base"
            raise InputError(f"there is no {said} in namespace {namespace} of the cluster")
        yield store


class _Reader:
    """Reads outcomes out of registries; ``addresses`` says where hosts that the cluster knows are found from here."""

    def __init__(self, addresses: dict[str, str], auth: Path) -> None:
        self._addresses, self._auth = addresses, auth

    def evidence(self, reference: str) -> dict[str, bytes]:
        """All evidence of an outcome."""
        host, _, rest = reference.partition("/")
        there = self._addresses.get(host, host)
        local = there.partition(":")[0] in {"localhost", "127.0.0.1"}
        registry = Registry(f"{there}/x", insecure=local, auth=self._auth)
        content = registry.read_document(f"{there}/{rest}")
        kind = BaseOutcome if "base" in json.loads(content) else CandidateOutcome
        return kind.model_validate_json(content).evidence


def _addresses(kube: Kube) -> dict[str, str]:
    found = kube.get("ConfigMap", "kube-public", "local-registry-hosting")
    if found is None:
        return {}
    told = yaml.safe_load((found.get("data") or {}).get("localRegistryHosting.v1") or "{}")
    inside, here = told.get("hostFromClusterNetwork"), told.get("host")
    return {inside: here} if inside and here else {}
