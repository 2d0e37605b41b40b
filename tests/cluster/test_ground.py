"""What every other test on hack/kind's cluster stands on: it answers, pulls, and lets nothing out."""

from __future__ import annotations

import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from uuid import uuid4

import pytest

from hack.kind.cluster import Cluster
from tests.cluster.kubectl import Kubectl
from tests.cluster.pods import Pods

OUTSIDE = "198.51.100.7"
"""An address of a documentation network: nobody's."""


def docker(cluster: Cluster, *words: str) -> str:
    host = ("--host", cluster.docker_host) if cluster.docker_host else ()
    return subprocess.run(("docker", *host, *words), capture_output=True, text=True, check=True).stdout.strip()


@contextmanager
def listener(address: str) -> Iterator[tuple[int, list[str]]]:
    """A server on the host; gives its port and who reached it."""
    reached: list[str] = []
    with socket.create_server((address, 0)) as server:

        def accept() -> None:
            while True:
                try:
                    connection, peer = server.accept()
                except OSError:
                    return
                reached.append(peer[0])
                connection.close()

        threading.Thread(target=accept, daemon=True).start()
        yield server.getsockname()[1], reached
        server.shutdown(socket.SHUT_RDWR)


def test_the_node_is_ready_and_runs_what_kubernetes_needs(kubectl: Kubectl) -> None:
    nodes = kubectl.get("nodes")["items"]
    conditions = [{c["type"]: c["status"] for c in node["status"]["conditions"]}["Ready"] for node in nodes]

    assert conditions == ["True"] * len(nodes)
    kubectl("-n", "kube-system", "wait", "--for=condition=Available", "deployment/coredns", "--timeout=60s")


def test_what_the_host_pushes_a_pod_pulls_under_both_names(kind_cluster: Cluster, pods: Pods) -> None:
    tag = uuid4().hex[:8]
    pushed = f"{kind_cluster.registry_on_host}/pushed:{tag}"
    docker(kind_cluster, "tag", "c2t.test/busybox:1", pushed)
    docker(kind_cluster, "push", "--quiet", pushed)

    assert pods.run("echo pulled", image=pushed) == "pulled\n"
    assert pods.run("echo pulled", image=f"{kind_cluster.registry}/pushed:{tag}") == "pulled\n"


def test_pods_read_the_demo_history_from_the_git_server(kind_cluster: Cluster, pods: Pods) -> None:
    mirror = next(iter(kind_cluster.mirrors.values()))

    told = pods.run(f"wget -q -O - '{mirror}/info/refs?service=git-upload-pack'")

    assert "# service=git-upload-pack" in told
    assert "refs/tags/" in told


def test_a_private_repository_takes_a_name_and_a_word(kind_cluster: Cluster, pods: Pods) -> None:
    private = kind_cluster.git_folder / "private" / "secret.git"
    subprocess.run(("git", "init", "--quiet", "--bare", private), check=True)
    path = "git.c2t.test/private/secret.git/info/refs?service=git-upload-pack"

    anonymous = f"wget -q -O /dev/null 'http://{path}' 2>&1 || true"
    known = f"wget -q -O - 'http://reader:only-for-tests@{path}'"

    refused, *told = pods.run(f"{anonymous}; {known}").splitlines()

    assert "401" in refused
    assert told[0] == "001e# service=git-upload-pack"


@pytest.mark.network
def test_pods_find_packages_through_the_index(kind_cluster: Cluster, pods: Pods) -> None:
    assert ".whl" in pods.run(f"wget -q --header 'Accept: text/html' -O - {kind_cluster.index}iniconfig/")


def test_a_connection_to_the_outside_is_refused_at_once(kind_cluster: Cluster, pods: Pods) -> None:
    now = "$(cut -d. -f1 /proc/uptime)"

    told = pods.run(f"sleep 2; s={now}; nc -w 20 {OUTSIDE} 443 </dev/null 2>&1; echo $? $(({now} - s))")

    words, result = told.splitlines()
    code, seconds = map(int, result.split())
    assert "refused" in words
    assert code != 0
    assert seconds < 5


def test_a_name_of_the_outside_does_not_exist_at_once(kind_cluster: Cluster, pods: Pods) -> None:
    now = "$(cut -d. -f1 /proc/uptime)"

    told = pods.run(f"sleep 2; s={now}; nslookup example.org || true; echo $(({now} - s))")

    assert "NXDOMAIN" in told
    assert int(told.split()[-1]) < 3


def test_the_host_is_closed_to_pods(kind_cluster: Cluster, pods: Pods) -> None:
    gateway = docker(
        kind_cluster, "inspect", "-f", '{{(index .NetworkSettings.Networks "change2task").Gateway}}', kind_cluster.node
    )
    with listener(gateway) as (port, reached):
        socket.create_connection((gateway, port), timeout=5).close()

        told = pods.run(f"sleep 2; nc -w 5 {gateway} {port} </dev/null 2>&1 && echo open || true")

    assert "refused" in told
    assert len(reached) == 1  # the host itself, which shows that it listens


def test_the_fence_stands_on_the_host(kind_cluster: Cluster) -> None:
    rules = subprocess.run(("iptables", "-w", "-S"), capture_output=True, text=True, check=True).stdout.splitlines()

    fences = [rule for rule in rules if "br-c2t" in rule and "--ctstate NEW" in rule and "REJECT" in rule]

    assert sorted(rule.split()[1] for rule in fences) == ["DOCKER-USER", "INPUT"]


def test_a_volume_is_bound_when_it_is_used(pods: Pods) -> None:
    claim = {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": "data"},
        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Mi"}}},
    }
    assert pods.kubectl.apply(claim, namespace=pods.namespace).code == 0
    volume = {"name": "data", "persistentVolumeClaim": {"claimName": "data"}}
    mount = {"volumeMounts": [{"name": "data", "mountPath": "/data"}]}

    pods.run("echo kept > /data/file", volumes=[volume], container=mount)

    assert pods.run("cat /data/file", volumes=[volume], container=mount) == "kept\n"
