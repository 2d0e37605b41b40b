"""Small pods that try something and tell what came of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from tests.cluster.kubectl import Kubectl, wait_for

ENDED = ("Succeeded", "Failed")


@dataclass(frozen=True)
class Pods:
    """Starts pods in one namespace from one image."""

    kubectl: Kubectl
    namespace: str
    image: str

    def start(self, script: str, *, name: str = "", labels: Mapping[str, str] | None = None, **told: Any) -> str:
        """Start a pod that runs a script of busybox's shell; returns its name."""
        name = name or f"pod-{uuid4().hex[:8]}"
        container: dict[str, Any] = {
            "name": "main",
            "image": told.pop("image", self.image),
            "command": ["sh", "-c", script],
            **told.pop("container", {}),
        }
        # A pod's first second has no network, and a resolver asks again after its own time only.
        patience = {"options": [{"name": "timeout", "value": "1"}, {"name": "attempts", "value": "5"}]}
        pod = {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": name, "labels": dict(labels or {})},
            "spec": {
                "containers": [container],
                "restartPolicy": "Never",
                "terminationGracePeriodSeconds": 0,
                "automountServiceAccountToken": False,
                "enableServiceLinks": False,
                "dnsConfig": patience,
                **told,
            },
        }
        made = self.kubectl.apply(pod, namespace=self.namespace)
        assert made.code == 0, made.errors
        return name

    def run(self, script: str, *, seconds: float = 90, **told: Any) -> str:
        """Run a script to its end and return what it printed; AssertionError when it ends with an error."""
        name = self.start(script, **told)
        code, output = self.result(name, seconds=seconds)
        assert code == 0, f"the pod ended with {code}: {output}"
        return output

    def result(self, name: str, *, seconds: float = 90) -> tuple[int, str]:
        """How a pod ended, and what it printed."""
        wait_for(f"the end of {name}; it is {self.told(name)}", lambda: self.phase(name) in ENDED, seconds=seconds)
        pod = self.kubectl.get("pod", name, "-n", self.namespace)
        code = pod["status"]["containerStatuses"][0]["state"]["terminated"]["exitCode"]
        return code, self.kubectl("logs", name, "-n", self.namespace)

    def phase(self, name: str) -> str:
        return str(self.kubectl.get("pod", name, "-n", self.namespace)["status"].get("phase"))

    def told(self, name: str) -> str:
        return str(self.kubectl.get("pod", name, "-n", self.namespace)["status"].get("containerStatuses"))

    def serve(self, name: str, text: str, port: int = 8080) -> str:
        """A pod that answers every connection with a text; returns its address once it does."""
        script = f"while :; do echo {text} | nc -l -p {port}; done"
        self.start(script, name=name, labels={"app": name})
        self.kubectl("-n", self.namespace, "wait", "--for=condition=Ready", f"pod/{name}", "--timeout=60s")
        return str(self.kubectl.get("pod", name, "-n", self.namespace)["status"]["podIP"])
