"""An installation of the chart of a test's own, with another program in the operator's place."""

from __future__ import annotations

import json
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from hack.install.release import CHART, ROOT
from tests.cluster.kubectl import Kubectl
from tests.support.helm import Ended, Helm, Values

RESTRICTED = {f"pod-security.kubernetes.io/{mode}": "restricted" for mode in ("enforce", "audit", "warn")}
ANSWERING = yaml.safe_load((ROOT / "tests/charts/stand-in.yaml").read_text("utf-8"))["operator"]["command"]
GROUP = "change2task.dev"


@dataclass(frozen=True)
class Release:
    """An installation of a test's own, which shares nothing with another one but the definitions."""

    kubectl: Kubectl
    helm: Helm
    image: str
    system: str
    watched: str
    builds: str
    elsewhere: str

    @property
    def values(self) -> dict[str, Any]:
        return {
            "registry": {"prefix": "registry.example.org/change2task"},
            "images": {"operator": self.image},
            "operator": {"command": ANSWERING},
            "watch": {"namespaces": [self.watched]},
            "builds": {"namespace": self.builds, "create": False},
            "rbac": {"aggregate": False},
            "crds": {"install": False},
        }

    @property
    def operator(self) -> str:
        return f"{self.system}-change2task-operator"

    @property
    def account(self) -> str:
        return f"system:serviceaccount:{self.system}:{self.operator}"

    def namespace(self, called: str) -> str:
        return str(getattr(self, called))

    def install(self, **values: Any) -> Ended:
        done = self.run("upgrade", "--install", self.system, CHART, "--wait", "--timeout=120s", values=values)
        assert done.code == 0, done.output + done.errors
        return done

    def run(self, *words: str | Path, values: Values | None = None) -> Ended:
        scope = ("--kubeconfig", self.kubectl.kubeconfig, "--namespace", self.system)
        return self.helm.run(*words, *scope, values=None if values is None else {**self.values, **values})

    def may(self, verb: str, resource: str, namespace: str, *more: str) -> bool:
        asked = self.kubectl.run("auth", "can-i", verb, resource, f"--as={self.account}", "-n", namespace, *more)
        assert asked.output.strip() in ("yes", "no"), asked.errors
        return asked.output.strip() == "yes"

    def rules(self, namespace: str) -> set[tuple[str, str, str]]:
        """Everything the operator may do there: group, resource, verb; what everybody may is left out."""
        review = {
            "apiVersion": "authorization.k8s.io/v1",
            "kind": "SelfSubjectRulesReview",
            "spec": {"namespace": namespace},
        }
        told = json.loads(
            self.kubectl(
                "create", "--validate=false", "-f", "-", "-o", "json", f"--as={self.account}", stdin=json.dumps(review)
            )
        )
        assert not told["status"].get("incomplete"), told["status"]
        return {
            (group, resource, verb)
            for rule in told["status"]["resourceRules"]
            for group in rule["apiGroups"]
            for resource in rule["resources"]
            for verb in rule["verbs"]
            if not resource.startswith("selfsubject")
        }


def release(kubectl: Kubectl, image: str, helm: Helm, namespaces: ExitStack) -> Release:
    """One in fresh namespaces, not yet installed."""
    names = [
        namespaces.enter_context(kubectl.namespace(labels))
        for labels in (RESTRICTED, RESTRICTED, {"pod-security.kubernetes.io/enforce": "privileged"}, {})
    ]
    return Release(kubectl, helm, image, *names)
