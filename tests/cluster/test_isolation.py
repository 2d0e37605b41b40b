"""NetworkPolicy and the class ``nonet`` really close, from a pod's first moment; Pod Security refuses."""

from __future__ import annotations

import pytest

from tests.cluster.conftest import Ground
from tests.cluster.kubectl import Kubectl
from tests.cluster.pods import Pods

DENY_ALL = {
    "apiVersion": "networking.k8s.io/v1",
    "kind": "NetworkPolicy",
    "metadata": {"name": "deny-all"},
    "spec": {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]},
}
TRIES = 24


def tries(*targets: str) -> str:
    """A script that tries each target again and again from its first moment, and counts what answered."""
    lines = "; ".join(
        f"nc -w 1 {host} {port} </dev/null >/dev/null 2>&1 && n=$((n+1))"
        for host, port in (target.rsplit(":", 1) for target in targets)
    )
    return f"n=0; i=0; while [ $i -lt {TRIES // len(targets)} ]; do i=$((i+1)); {lines}; sleep 0.05; done; echo $n"


@pytest.fixture
def server(ground: Ground) -> object:
    with ground.kubectl.namespace() as name:
        yield Pods(ground.kubectl, name, ground.image).serve("server", "hello")


def api(kubectl: Kubectl) -> str:
    return str(kubectl.get("service", "kubernetes", "-n", "default")["spec"]["clusterIP"])


def dns(kubectl: Kubectl) -> str:
    return str(kubectl.get("service", "kube-dns", "-n", "kube-system")["spec"]["clusterIP"])


def test_without_a_policy_a_pod_reaches_another_the_names_and_the_api(pods: Pods, server: str) -> None:
    reach = f"sleep 2; nc -w 5 {server} 8080 </dev/null; nc -w 5 {api(pods.kubectl)} 443 </dev/null && echo api"
    resolve = "nslookup kubernetes.default.svc.cluster.local >/dev/null && echo names"

    assert pods.run(f"{reach}; {resolve}").split() == ["hello", "api", "names"]


def test_deny_all_closes_from_the_first_moment(pods: Pods, server: str) -> None:
    assert pods.kubectl.apply(DENY_ALL, namespace=pods.namespace).code == 0

    told = pods.run(tries(f"{server}:8080", f"{api(pods.kubectl)}:443"), seconds=180)

    assert told == "0\n"


def test_deny_all_closes_the_names_too(pods: Pods) -> None:
    assert pods.kubectl.apply(DENY_ALL, namespace=pods.namespace).code == 0

    told = pods.run(
        f"timeout 10 nslookup kubernetes.default.svc.cluster.local {dns(pods.kubectl)} && echo open || echo closed"
    )

    assert told.splitlines()[-1] == "closed"


def test_a_policy_opens_what_it_names_and_nothing_else(pods: Pods, server: str) -> None:
    one = {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "NetworkPolicy",
        "metadata": {"name": "one"},
        "spec": {
            "podSelector": {},
            "policyTypes": ["Egress"],
            "egress": [{"to": [{"ipBlock": {"cidr": f"{server}/32"}}], "ports": [{"port": 8080}]}],
        },
    }
    assert pods.kubectl.apply(one, namespace=pods.namespace).code == 0

    told = pods.run(
        f"sleep 3; nc -w 5 {server} 8080 </dev/null; nc -w 3 {api(pods.kubectl)} 443 </dev/null 2>&1 || echo closed"
    )

    assert (told.split()[0], told.split()[-1]) == ("hello", "closed")


def test_a_pod_of_class_nonet_has_an_address_and_nothing_to_reach(pods: Pods, server: str) -> None:
    route = "cat /proc/net/route | tail -n +2 | awk '$2 == \"00000000\"' | wc -l"

    told = pods.run(f"{route}; {tries(f'{server}:8080', f'{api(pods.kubectl)}:443')}", runtimeClassName="nonet")

    assert told.split() == ["0", "0"]


def test_a_restricted_namespace_refuses_a_privileged_pod(kubectl: Kubectl, ground: Ground) -> None:
    with kubectl.namespace({"pod-security.kubernetes.io/enforce": "restricted"}) as name:
        pod = {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": "strong"},
            "spec": {
                "containers": [{"name": "main", "image": ground.image, "securityContext": {"privileged": True}}],
            },
        }

        refused = kubectl.apply(pod, namespace=name)

    assert refused.code != 0
    assert "violates PodSecurity" in refused.errors
