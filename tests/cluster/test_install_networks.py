"""Networks are closed by what the chart lays, while it is installed and after."""

from __future__ import annotations

import pytest

from tests.cluster.pods import Pods
from tests.cluster.releases import Release


@pytest.fixture
def server(installed: Release) -> str:
    return Pods(installed.kubectl, installed.elsewhere, installed.image).serve("server", "hello")


CLOSED_CONTAINER = {
    "securityContext": {
        "allowPrivilegeEscalation": False,
        "runAsNonRoot": True,
        "runAsUser": 1000,
        "capabilities": {"drop": ["ALL"]},
        "seccompProfile": {"type": "RuntimeDefault"},
    }
}


@pytest.mark.parametrize("called", ["watched", "builds"])
def test_pods_that_fetch_reach_out_and_others_do_not(installed: Release, server: str, called: str) -> None:
    pods = Pods(installed.kubectl, installed.namespace(called), installed.image)
    script = f"sleep 2; nc -w 5 {server} 8080 </dev/null 2>/dev/null || echo closed"

    started = {
        network: pods.start(script, labels={"change2task.dev/network": network}, container=CLOSED_CONTAINER)
        for network in ("fetch", "none", "fetsch")
    }

    told = {network: pods.result(name)[1].strip() for network, name in started.items()}

    assert told == {"fetch": "hello", "none": "closed", "fetsch": "closed"}


def test_nobody_reaches_a_pod_that_fetches(installed: Release) -> None:
    labels = {"change2task.dev/network": "fetch"}
    pods = Pods(installed.kubectl, installed.watched, installed.image)
    name = pods.start("while :; do echo hello | nc -l -p 8080; done", labels=labels, container=CLOSED_CONTAINER)
    installed.kubectl("-n", installed.watched, "wait", "--for=condition=Ready", f"pod/{name}", "--timeout=60s")
    address = installed.kubectl.get("pod", name, "-n", installed.watched)["status"]["podIP"]

    told = Pods(installed.kubectl, installed.elsewhere, installed.image).run(
        f"sleep 2; nc -w 5 {address} 8080 </dev/null 2>/dev/null || echo closed"
    )

    assert told.strip() == "closed"


def test_what_runs_on_after_uninstall_finds_its_network_closed(fresh: Release) -> None:
    fresh.install()

    gone = fresh.run("uninstall", fresh.system, "--wait")

    assert gone.code == 0, gone.errors
    for namespace in (fresh.watched, fresh.builds):
        names = fresh.kubectl("get", "networkpolicy", "-n", namespace, "-o", "name").split()
        assert [name.rpartition("-")[2] for name in names] == ["closed", "fetch"]
    assert fresh.install().code == 0
