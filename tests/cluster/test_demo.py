"""The demo's manifests on a cluster, as a newcomer applies them: the same verdicts as on one machine.

While it works the operator is killed again and again; whatever it was doing, the end is the same, and no Job is made
twice.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from hack.install.release import ROOT
from hack.kind.cluster import Cluster
from tests.cluster.kubectl import Kubectl, wait_for
from tests.cluster.verdicts import (
    NAMESPACE,
    SYSTEM,
    as_on_a_cluster,
    as_on_a_machine,
    install,
    is_up,
    on_this_machine,
)

MANIFESTS = ROOT / "examples" / "demo"
NAMES = {
    document["metadata"]["name"]
    for path in MANIFESTS.glob("*.yaml")
    for document in yaml.safe_load_all(path.read_text(encoding="utf-8"))
    if document["kind"] == "TaskCandidate"
}
SECONDS = 1500
KILLS = int(os.environ.get("C2T_KILLS", "4"))
"""How often the operator is killed on the way; ``make chaos`` does it at every turn."""


@dataclass(frozen=True)
class Demo:
    """Candidates as they ended on the cluster and on this machine, by name; and how often the operator was killed."""

    kubectl: Kubectl
    there: dict[str, Any]
    here: dict[str, Any]
    kills: int


@pytest.fixture(scope="module")
def demo(kind_cluster: Cluster, kubectl: Kubectl, tmp_path_factory: pytest.TempPathFactory) -> Demo:
    install()
    kubectl("delete", "--ignore-not-found", "-f", str(MANIFESTS))
    store = tmp_path_factory.mktemp("demo") / "store"
    kubectl("apply", "-f", str(MANIFESTS))
    kills = _kill_until_over(kubectl)
    here = on_this_machine(kind_cluster, MANIFESTS, store)
    found = {one["metadata"]["name"]: one for one in kubectl.get("taskcandidates", "-n", NAMESPACE)["items"]}
    there = {name: one for name, one in found.items() if name in NAMES}
    return Demo(kubectl, there, here, kills)


def _kill_until_over(kubectl: Kubectl) -> int:
    """Let the demo come to its end; some times on the way the operator is killed, without a word."""
    kills, deadline, last, every = 0, time.monotonic() + SECONDS, -1, KILLS > 4

    def progress() -> tuple[int, int]:
        items = kubectl.get("taskcandidates", "-n", NAMESPACE)["items"]
        found = [one for one in items if one["metadata"]["name"] in NAMES]
        ended = sum(1 for one in found if (one.get("status") or {}).get("accepted") is not None)
        return ended, len(found)

    while (now := progress())[0] < now[1] or not now[1]:
        assert time.monotonic() < deadline, f"{now[0]} of {now[1]} candidates have a verdict: {_told(kubectl)}"
        if kills < KILLS and (every or now[0] != last):
            last = now[0]
            kubectl("-n", SYSTEM, "delete", "pod", "--selector=app.kubernetes.io/component=operator", "--now")
            kills += 1
        wait_for("the operator", lambda: is_up(kubectl), seconds=120)
        subprocess.run(
            kubectl.words("wait", "--for=condition=Ready", "taskcandidate", "--all", "-n", "default", "--timeout=10s"),
            capture_output=True,
            check=False,
        )
    return kills


def _told(kubectl: Kubectl) -> str:
    return kubectl("get", "mb,tc", "-n", "default", "-o", "wide") + kubectl("get", "jobs,pods", "-A")


@pytest.mark.timeout(SECONDS + 600)
def test_each_verdict_is_that_of_a_run_on_one_machine(demo: Demo) -> None:
    assert demo.there.keys() == demo.here.keys()
    assert as_on_a_cluster(demo.there) == as_on_a_machine(demo.here)


def test_the_operator_was_killed_on_the_way_and_no_step_was_done_twice(demo: Demo) -> None:
    assert demo.kills >= min(KILLS, 4)
    found = demo.kubectl.get("jobs", "-n", "default", "--selector=app.kubernetes.io/managed-by=change2task")["items"]
    uids = {one["metadata"]["uid"] for one in demo.there.values()}
    jobs = [job for job in found if job["metadata"]["labels"]["change2task.dev/uid"] in uids]
    steps = Counter(
        (job["metadata"]["labels"]["change2task.dev/uid"], job["metadata"]["labels"]["change2task.dev/step"])
        for job in jobs
    )
    assert max(steps.values()) == 1
    assert {job["metadata"]["labels"]["change2task.dev/attempt"] for job in jobs} == {"1"}


def test_every_accepted_candidate_has_its_task_and_every_task_says_it_is_published(demo: Demo) -> None:
    accepted = [one["status"]["variantRef"]["name"] for one in demo.there.values() if one["status"]["accepted"]]
    assert len(accepted) >= 3
    for name in accepted:
        variant = demo.kubectl.get("taskvariant", name, "-n", "default")
        assert {one["type"] for one in variant["status"]["conditions"] if one["status"] == "True"} >= {
            "Verified",
            "Published",
            "Ready",
        }
        assert "ownerReferences" not in variant["metadata"]


def test_every_rejection_can_be_understood_from_describe_alone(demo: Demo) -> None:
    for name, one in demo.there.items():
        if not one["status"]["accepted"]:
            described = demo.kubectl("describe", "taskcandidate", name, "-n", "default")
            assert one["status"]["reason"] in described
            assert one["status"]["message"].split("\n")[0][:60] in described
            assert "Events:" in described


def test_a_verdict_is_explained_from_the_cluster_alone(demo: Demo) -> None:
    name = next(name for name, one in demo.there.items() if one["status"]["accepted"])
    words = ["explain", name, "--cluster", "--kubeconfig", demo.kubectl.kubeconfig]
    done = subprocess.run(
        [Path(sys.executable).with_name("change2task"), *words], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert name in done.stdout
    assert "accepted" in done.stdout


def test_a_task_is_replayed_by_the_operator(demo: Demo) -> None:
    name = next(name for name, one in demo.there.items() if one["status"]["accepted"])
    words = ["replay", name, "--cluster", "--kubeconfig", demo.kubectl.kubeconfig, "--times", "2", "-o", "json"]
    done = subprocess.run(
        [str(Path(sys.executable).with_name("change2task")), *map(str, words)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)["replayed"]
    assert (told["same"], told["times"], told.get("differences", [])) == (True, 2, [])


def test_the_tasks_of_a_cluster_are_exported(kind_cluster: Cluster, demo: Demo, tmp_path: Path) -> None:
    histories = {url: ROOT / ".demo" / "history" / f"{url.rpartition('/')[2]}.git" for url in kind_cluster.mirrors}
    mirrors = [f"--mirror={url}={path}" for url, path in histories.items()]
    words = ["export", "--cluster", "--kubeconfig", demo.kubectl.kubeconfig, "--format", "harbor", *mirrors]
    done = subprocess.run(
        [str(Path(sys.executable).with_name("change2task")), *map(str, words), str(tmp_path / "out")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    tasks = {one["status"]["variantRef"]["name"] for one in demo.there.values() if one["status"]["accepted"]}
    held = {path.parent.name for path in (tmp_path / "out").glob("*/task.toml")}
    assert held <= tasks
    assert all(f"left out {name}: nearly the same" in done.stdout for name in tasks - held)


def test_no_pod_with_repository_code_has_a_token_or_a_network(demo: Demo) -> None:
    pods = demo.kubectl.get("pods", "-n", "default", "--selector=change2task.dev/network=none")["items"]
    assert pods
    for pod in pods:
        assert pod["spec"]["automountServiceAccountToken"] is False
        assert not [volume for volume in pod["spec"]["volumes"] if "projected" in volume or "secret" in volume]
