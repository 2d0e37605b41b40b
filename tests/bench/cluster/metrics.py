"""What the operator tells of itself, for what is measured before and after."""

from __future__ import annotations

import re

from tests.cluster.kubectl import Kubectl

MIB = 2**20


def metrics(kubectl: Kubectl) -> dict[str, float]:
    """What the operator tells of itself."""
    [pod] = kubectl.get("pods", "-n", "change2task-system", "--selector=app.kubernetes.io/component=operator")["items"]
    path = f"/api/v1/namespaces/change2task-system/pods/{pod['metadata']['name']}:8080/proxy/metrics"
    text = kubectl("get", "--raw", path)
    return {name: float(value) for name, value in re.findall(r"^(\w+(?:\{[^}]*\})?) ([-0-9.e+]+)$", text, re.M)}
