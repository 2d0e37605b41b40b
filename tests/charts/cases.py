"""Sets of values, and the chart rendered with each: ``python -m tests.charts.cases`` writes the files of golden/ anew.

The definitions are left out of them: they are the generator's, and a test of their own compares them.
"""

from __future__ import annotations

import sys
from pathlib import Path

from hack.install.helm import ensure_helm
from hack.kind.settings import Settings
from tests.support.helm import Helm, Values

GOLDEN = Path(__file__).parent / "golden"
LEAST: Values = {"registry": {"prefix": "registry.example.org/change2task"}}
CASES: dict[str, Values] = {
    "least": LEAST,
    "two-namespaces": {
        "registry": {
            "prefix": "registry.example.org:5000/c2t/",
            "insecure": True,
            "credentialsSecret": "registry-push",
        },
        "watch": {"namespaces": ["team-a", "team-b"]},
        "builds": {"namespace": "team-builds", "create": False},
        "images": {"operator": "registry.example.org/operator@sha256:" + "0" * 64},
        "imagePullSecrets": [{"name": "registry.pull"}],
        "mirrors": {
            "repositories": {"https://github.com/a/b": "https://git.example.org/a/b.git"},
            "images": {"python:3.11": "registry.example.org/python:3.11"},
        },
        "index": {"url": "https://index.example.org/simple/"},
        "caps": {"perBase": 2, "builds": 3},
        "runtimeClassName": "gvisor",
        "profile": "paper",
        "operator": {
            "resources": {"limits": {"cpu": 2, "memory": "1Gi"}},
            "nodeSelector": {"pool": "system"},
            "tolerations": [{"key": "system", "operator": "Exists"}],
            "affinity": {"nodeAffinity": {}},
            "priorityClassName": "system-cluster-critical",
        },
        "networkPolicies": {"fetchEgress": [{"to": [{"ipBlock": {"cidr": "10.1.0.0/16"}}], "ports": [{"port": 443}]}]},
    },
    "cluster-wide": {
        **LEAST,
        "watch": {"clusterWide": True, "namespaces": ["team-a"]},
        "allowUnisolated": True,
        "rbac": {"aggregate": False},
        "serviceMonitor": {"enabled": True, "interval": "1m", "labels": {"release": "prometheus"}},
    },
    "private": {
        "registry": {
            "prefix": "registry.example.org/change2task",
            "garbage": {"enabled": True, "installation": "west1", "afterDays": 14},
        },
        "operator": {"replicas": 2},
        "authorities": {"configMap": "company-ca"},
        "index": {"url": "https://index.example.org/simple/", "secret": "index-read"},
        "images": {"podman": "registry.example.org/podman@sha256:" + "1" * 64},
        "builds": {"builder": "podman"},
    },
    "external": {
        **LEAST,
        "builds": {
            "builder": "external",
            "external": {"host": "tcp://engine.example.org:2376", "secret": "engine-tls", "claim": "engine-build"},
        },
    },
    "bare": {
        **LEAST,
        "rbac": {"create": False, "aggregate": False},
        "networkPolicies": {"create": False},
        "builds": {"create": False},
    },
}


def rendered(helm: Helm, name: str) -> str:
    """All but the definitions, as Helm prints it."""
    done = helm.template(CASES[name], "--set", "crds.install=false")
    assert done.code == 0, done.errors
    return done.output


def main() -> None:
    """Write every golden file."""
    helm = Helm(ensure_helm(Settings.from_environment()))
    GOLDEN.mkdir(exist_ok=True)
    for name in CASES:
        (GOLDEN / f"{name}.yaml").write_text(rendered(helm, name), encoding="utf-8")
        sys.stdout.write(f"wrote {name}.yaml\n")


if __name__ == "__main__":
    main()
