"""``change2task pull``: what stands on a cluster, into a store."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from change2task.cli.cluster import Kubeconfig, Namespace, RegistryAuth, brought
from change2task.cli.failures import InputError
from change2task.cli.lookup import STORE
from change2task.corpus.store import Store


def pull(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME...]", help="Candidates, tasks or bases; default: all.")
    ] = None,
    store: Annotated[Path, typer.Option("--store", help="Store folder; made when missing.")] = STORE,
    namespace: Namespace = "default",
    kubeconfig: Kubeconfig = None,
    registry_auth: RegistryAuth = None,
) -> None:
    """Bring candidates with their bases, tasks and evidence from a cluster into a store, fit for version control."""
    opened = Store.open(store, create=True)
    with opened.exclusive():
        found = brought(kubeconfig, namespace, tuple(names or ()), registry_auth, opened)
    if names and not found:
        raise InputError(f"none of {', '.join(names)} is in namespace {namespace} of the cluster")
    print(f"{len(found)} resources brought into {store}")  # noqa: T201 - the command's output
