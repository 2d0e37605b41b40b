"""The product on a cluster and off it again, by Helm and the one chart.

On the test cluster what it must be told (registry, mirrors, index) is known, namespaces get their Pod Security, and
objects that a test has applied before are taken over; on any other the reader's own values say all of it, and nothing
is done that Helm and the chart would not do.
"""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from hack.install.helm import ensure_helm
from hack.kind.cluster import Cluster, running
from hack.kind.commands import ClusterError, CommandFailed, run, say, step
from hack.kind.settings import Settings

ROOT: Final = Path(__file__).resolve().parents[2]
CHART: Final = ROOT / "charts" / "change2task"
NAME: Final = "change2task"
NAMESPACE: Final = "change2task-system"
DEMO_NAMESPACE: Final = "default"
"""Where `kubectl apply -f examples/demo/` puts the demo."""
SECONDS: Final = 240


@dataclass(frozen=True)
class Target:
    """Where to install; ``cluster`` is the test cluster, where it is that one."""

    kubeconfig: Path
    cluster: Cluster | None


def target(settings: Settings, kubeconfig: Path | None) -> Target:
    """The cluster given, else the test cluster. Raises ClusterError when there is neither."""
    if kubeconfig is not None:
        if not kubeconfig.is_file():
            raise ClusterError(f"KUBECONFIG_FILE={kubeconfig} is no file")
        return Target(kubeconfig.resolve(), None)
    cluster = running(settings)
    if cluster is None:
        raise ClusterError("no cluster of this checkout answers: make cluster, or make install KUBECONFIG_FILE=…")
    return Target(cluster.kubeconfig, cluster)


def install(settings: Settings, where: Target, values: tuple[Path, ...]) -> None:
    """Install or upgrade, and wait until the operator is ready. Raises ClusterError with what its pod says."""
    helm = ensure_helm(settings)
    if where.cluster is not None:
        _make_images()
        _label(where.cluster, NAMESPACE, DEMO_NAMESPACE)
    with tempfile.TemporaryDirectory(prefix="c2t-install-") as folder:
        ours = Path(folder, "values.json")
        ours.write_text(json.dumps(values_of_the_test_cluster(where.cluster) if where.cluster else {}))
        with step("helm upgrade --install"):
            try:
                run(
                    *(helm, "upgrade", "--install", NAME, CHART, "--kubeconfig", where.kubeconfig),
                    *("--namespace", NAMESPACE, "--create-namespace", "--wait", "--timeout", f"{SECONDS}s"),
                    *(["--take-ownership"] if where.cluster else []),
                    *(word for file in (ours, *values) for word in ("--values", file)),
                    seconds=SECONDS + 60,
                )
            except CommandFailed as error:
                raise ClusterError(f"{error}{_what_its_pod_says(where)}") from error


def uninstall(settings: Settings, where: Target) -> None:
    """Remove what was installed; definitions and what people made with them stay."""
    with step("helm uninstall"):
        run(
            *(ensure_helm(settings), "uninstall", NAME, "--kubeconfig", where.kubeconfig, "--namespace", NAMESPACE),
            *("--ignore-not-found", "--wait", "--timeout", f"{SECONDS}s"),
            seconds=SECONDS + 60,
        )


def values_of_the_test_cluster(cluster: Cluster) -> Mapping[str, Any]:
    """What the chart must be told of the test cluster, and of the demo on it."""
    return {
        "registry": {"prefix": f"{cluster.registry}/change2task", "insecure": True},
        "watch": {"namespaces": [DEMO_NAMESPACE]},
        "mirrors": {
            "repositories": dict(cluster.mirrors),
            "images": {"python:3.11": f"{cluster.registry}/python:3.11"},
        },
        "index": {"url": cluster.index},
    }


def _make_images() -> None:
    if importlib.util.find_spec("hack.images") is None:
        return
    done = subprocess.run([sys.executable, "-m", "hack.images"], cwd=ROOT, check=False)
    if done.returncode:
        raise ClusterError("the images cannot be made; what was said above is why")


def _label(cluster: Cluster, *namespaces: str) -> None:
    """Pod Security *restricted*, for the namespace of the operator and those where repository code is run."""
    for name in namespaces:
        labels = {f"pod-security.kubernetes.io/{mode}": "restricted" for mode in ("enforce", "audit", "warn")}
        namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}}
        run(
            *(cluster.kubectl, "--kubeconfig", cluster.kubeconfig, "apply", "--server-side", "--force-conflicts"),
            *("--field-manager", "change2task-install", "-f", "-"),
            stdin=json.dumps(namespace).encode(),
        )


def _what_its_pod_says(where: Target) -> str:
    """The last events and words of the operator, where there is a kubectl to ask with."""
    if where.cluster is None:
        ask = f"kubectl -n {NAMESPACE}"
        return f"\n  its pod says why: {ask} describe pods; {ask} logs deployment/{NAME}-operator"
    said = []
    for words in (
        ("get", "pods"),
        ("get", "events", "--sort-by=.lastTimestamp", "--field-selector=type!=Normal"),
        ("logs", f"deployment/{NAME}-operator", "--tail=15"),
    ):
        try:
            said.append(
                run(
                    *(where.cluster.kubectl, "--kubeconfig", where.kubeconfig, "--namespace", NAMESPACE),
                    *words,
                    seconds=60,
                )
            )
        except CommandFailed as error:
            say(str(error))
    return "\n" + "\n".join(said).rstrip()
