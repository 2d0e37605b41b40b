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
from hack.kind.commands import ClusterError, CommandFailed, run, step
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
    ours: dict[str, Any] = {}
    if where.cluster is not None:
        ours = {**values_of_the_test_cluster(where.cluster), "images": _images(settings)}
        _label(where.cluster, NAMESPACE, DEMO_NAMESPACE)
    with tempfile.TemporaryDirectory(prefix="c2t-install-") as folder:
        file = Path(folder, "values.json")
        file.write_text(json.dumps(ours))
        try:
            with step("helm upgrade --install"):
                run(
                    *(helm, "upgrade", "--install", NAME, CHART, "--kubeconfig", where.kubeconfig),
                    *("--namespace", NAMESPACE, "--create-namespace", "--wait", "--timeout", f"{SECONDS}s"),
                    *(["--take-ownership"] if where.cluster else []),
                    *(word for given in (file, *values) for word in ("--values", given)),
                    seconds=SECONDS + 60,
                )
            if where.cluster is not None:
                # Helm waits until a pod is ready once; whether it stays so is asked here.
                with step("the operator is available"):
                    _ask(where.cluster, "rollout", "status", f"deployment/{NAME}-operator", f"--timeout={SECONDS}s")
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
        "baseImage": "python:3.11",
        # One node of few cores: more Jobs at a time would only wait for it.
        "caps": {"cluster": 3, "perBase": 3},
    }


def _images(settings: Settings) -> Mapping[str, str]:
    """Made and pushed now, by digest; none where this checkout makes no images, and the reader's values name them."""
    if importlib.util.find_spec("hack.images") is None:
        return {}
    done = subprocess.run([sys.executable, "-m", "hack.images"], cwd=ROOT, stdout=sys.stderr, check=False)
    if done.returncode:
        raise ClusterError("the images cannot be made; what was said above is why")
    made = json.loads((settings.cache / "images" / "images.json").read_text(encoding="utf-8"))
    return {name: made[name] for name in ("operator", "runner", "builder")}


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
            said.append(_ask(where.cluster, *words))
        except CommandFailed as error:
            said.append(str(error))
    return "\n" + "\n".join(said).rstrip()


def _ask(cluster: Cluster, *words: str) -> str:
    scope = ("--kubeconfig", str(cluster.kubeconfig), "--namespace", NAMESPACE)
    return run(cluster.kubectl, *scope, *words, seconds=SECONDS + 60)
