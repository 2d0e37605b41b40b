"""``change2task explain``: why a candidate or a base ended as it did, from the store alone."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from change2task.api.modernbase import ModernBase
from change2task.cli.cluster import Kubeconfig, Namespace, OnCluster, RegistryAuth, cluster_store
from change2task.cli.lookup import STORE, is_unfinished, stored_resource
from change2task.corpus.explain import explain, explain_base
from change2task.corpus.store import Store


def explain_verdict(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Candidate, variant or base.")],
    store: Annotated[Path, typer.Option("--store", help="Store folder.")] = STORE,
    cluster: OnCluster = False,
    namespace: Namespace = "default",
    kubeconfig: Kubeconfig = None,
    registry_auth: RegistryAuth = None,
) -> None:
    """Say why this verdict, from the stored evidence alone."""
    if cluster:
        with cluster_store(kubeconfig, namespace, (name,), registry_auth) as brought:
            _explain(brought, name)
        return
    _explain(Store.open(store, create=False), name)


def _explain(opened: Store, name: str) -> None:
    if is_unfinished(opened, name):
        print(f"{name}: no verdict yet; run again")  # noqa: T201 - the command's output
        return
    found = stored_resource(opened, name)
    lines = explain_base(opened, found) if isinstance(found, ModernBase) else explain(opened, found)
    print("\n".join(lines))  # noqa: T201 - the command's output
