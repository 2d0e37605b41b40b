"""``python -m hack.install up|down|helm``: what ``make install``, ``make uninstall`` and ``make helm`` run."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from hack.install.helm import ensure_helm
from hack.install.release import NAMESPACE, install, target, uninstall
from hack.kind.commands import ClusterError
from hack.kind.settings import Settings


def main(arguments: list[str]) -> int:
    """Run one command; 1 with one message where it could not be done."""
    parser = argparse.ArgumentParser(prog="python -m hack.install", description=__doc__)
    parser.add_argument("command", choices=("up", "down", "helm"))
    parser.add_argument("--kubeconfig", type=Path, help="another cluster than the test cluster")
    parser.add_argument("--values", type=Path, action="append", default=[], help="values for the chart; the last wins")
    said = parser.parse_args(arguments)
    settings = Settings.from_environment()
    try:
        if said.command == "helm":
            print(ensure_helm(settings))
            return 0
        where = target(settings, said.kubeconfig)
        if said.command == "down":
            uninstall(settings, where)
            print(
                "The operator is gone. What people made stays, and so do the definitions and the builds' namespace;"
                " docs/install.md says how to remove them."
            )
            return 0
        install(settings, where, tuple(said.values))
    except ClusterError as error:
        print(f"hack/install: {error}", file=sys.stderr)
        return 1
    print(f"The operator answers in {NAMESPACE}. Go on from here:")
    print(f"  export KUBECONFIG={where.kubeconfig}")
    print("  kubectl apply -f examples/demo/")
    print("  kubectl get mb,tc,tv")
    if where.cluster is not None:
        print(f"  (kubectl of this cluster: {where.cluster.kubectl})")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
