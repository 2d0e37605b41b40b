"""The same manifests on a cluster and on this machine, and their verdicts in a form that can be compared."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hack.install.release import ROOT
from hack.kind.cluster import Cluster
from tests.cluster.kubectl import Kubectl

SYSTEM = "change2task-system"
NAMESPACE = "default"
"""The one that ``make install`` has the operator watch."""
_SAME = ("accepted", "family", "level", "strategy", "reason", "message")

Document = dict[str, Any]


def install() -> None:
    """The product on the test cluster, as ``make install`` puts it there."""
    done = subprocess.run(
        [sys.executable, "-m", "hack.install", "up"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def is_up(kubectl: Kubectl) -> bool:
    """Whether an operator's pod is ready."""
    pods = kubectl.get("pods", "-n", SYSTEM, "--selector=app.kubernetes.io/component=operator")["items"]
    return any(
        one["type"] == "Ready" and one["status"] == "True"
        for pod in pods
        for one in pod["status"].get("conditions") or ()
    )


def on_this_machine(cluster: Cluster, manifests: Path, store: Path) -> dict[str, Document]:
    """What ``change2task run`` says of each candidate, on the histories that the cluster serves."""
    histories = {url: ROOT / ".demo" / "history" / f"{url.rpartition('/')[2]}.git" for url in cluster.mirrors}
    mirrors = [f"--mirror={url}={path}" for url, path in histories.items()]
    words = ["run", str(manifests), *mirrors, "--store", str(store), "-o", "json"]
    done = subprocess.run(
        [Path(sys.executable).with_name("change2task"), *words], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return {one["name"]: one for one in json.loads(done.stdout)["candidates"]}


def as_on_a_cluster(resources: Mapping[str, Document]) -> dict[str, Document]:
    """What is compared of candidates as the API server gives them."""
    # Where no family was resolved a run's row shows the one that was asked for.
    return {
        name: _told({"family": one["spec"].get("family", "Auto"), **one["status"]}) for name, one in resources.items()
    }


def as_on_a_machine(rows: Mapping[str, Document]) -> dict[str, Document]:
    """What is compared of candidates as a run gives them."""
    return {name: _told(row) for name, row in rows.items()}


def _told(one: Document) -> Document:
    checks = one.get("checks") or {}
    counts = {part: checks.get(part, 0) for part in ("target", "regression")}
    return {**{name: one.get(name) for name in _SAME}, "checks": counts}
