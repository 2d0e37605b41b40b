"""A container engine inside a pod builds an image, pushes it to the registry, and the node runs it."""

from __future__ import annotations

from uuid import uuid4

import pytest

from hack.kind.cluster import Cluster
from tests.cluster.pods import Pods
from tests.cluster.test_ground import docker

TOOLS = "c2t.test/tools:1"


@pytest.fixture(scope="session")
def tools(kind_cluster: Cluster) -> str:
    """An image with git and a container engine, pushed to the cluster's registry."""
    pushed = f"{kind_cluster.registry_on_host}/tools:1"
    docker(kind_cluster, "tag", TOOLS, pushed)
    docker(kind_cluster, "push", "--quiet", pushed)
    return f"{kind_cluster.registry}/tools:1"


@pytest.mark.parametrize("kit", ["0", "1"], ids=["classic", "buildkit"])
def test_an_image_built_in_a_pod_is_run_by_the_node(kind_cluster: Cluster, pods: Pods, tools: str, kit: str) -> None:
    built = f"{kind_cluster.registry}/built:{uuid4().hex[:8]}"
    script = f"""
        dockerd --insecure-registry=http://{kind_cluster.registry} >/tmp/dockerd.log 2>&1 &
        n=0
        until docker version >/dev/null 2>&1; do
            n=$((n+1)); [ $n -lt 150 ] || {{ cat /tmp/dockerd.log; exit 1; }}; sleep 0.2
        done
        printf 'FROM {kind_cluster.registry}/busybox:1\\nRUN echo made here > /made\\n' |
            DOCKER_BUILDKIT={kit} docker build --tag {built} - && docker push --quiet {built}
    """
    store = {"name": "store", "emptyDir": {}}
    engine = {
        "securityContext": {"privileged": True},
        "volumeMounts": [{"name": "store", "mountPath": "/var/lib/docker"}],
    }

    pods.run(script, image=tools, container=engine, volumes=[store], seconds=240)

    assert pods.run("cat /made", image=built) == "made here\n"


def test_a_pod_clones_the_demo_history(kind_cluster: Cluster, pods: Pods, tools: str) -> None:
    for mirror in kind_cluster.mirrors.values():
        for address in (mirror, mirror.replace("http://", "git://")):
            script = f"sleep 2; git clone --quiet --bare {address} /tmp/clone && git -C /tmp/clone tag | wc -l"
            assert int(pods.run(script, image=tools)) > 1
