"""The Jobs of a base as a real API server takes them: every field known, Pod Security satisfied where it must be."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.cluster.kubectl import Kubectl
from tests.cluster_room import test_mine_job as mining
from tests.cluster_room.test_base_jobs import MANIFESTS
from tests.cluster_room.test_step_job import TEMPLATE

RESTRICTED = {"pod-security.kubernetes.io/enforce": "restricted", "pod-security.kubernetes.io/warn": "restricted"}
PRIVILEGED = {"pod-security.kubernetes.io/enforce": "privileged"}
BASELINE = {"pod-security.kubernetes.io/enforce": "baseline", "pod-security.kubernetes.io/warn": "baseline"}
JOBS: dict[str, dict[str, Any]] = {
    **MANIFESTS,
    "mine": mining.JOB.manifest(),
    "mine-with-template": mining.JOB.replacing(template=TEMPLATE).manifest(),
}


def level(name: str) -> dict[str, str]:
    """What a Job's namespace must take: an engine outside needs no privileged pod, and root all the same."""
    if name == "build-external":
        return BASELINE
    return PRIVILEGED if name.startswith("build") else RESTRICTED


def without_owner(manifest: dict[str, Any], namespace: str) -> dict[str, Any]:
    """The Job in a namespace of the test's own, where its owner is not."""
    meta = {**manifest["metadata"], "namespace": namespace}
    meta.pop("ownerReferences", None)
    return {**manifest, "metadata": meta}


@pytest.mark.parametrize("name", JOBS)
def test_the_api_server_takes_the_job(kubectl: Kubectl, name: str) -> None:
    with kubectl.namespace(level(name)) as namespace:
        job = json.dumps(without_owner(JOBS[name], namespace))
        done = kubectl.run("apply", "--dry-run=server", "--validate=strict", "-f", "-", stdin=job)
        assert (done.code, done.errors) == (0, "")


@pytest.mark.parametrize("name", JOBS)
def test_only_builds_need_a_namespace_that_takes_privileged_pods(kubectl: Kubectl, name: str) -> None:
    with kubectl.namespace(RESTRICTED) as namespace:
        pod = {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": "one", "namespace": namespace},
            "spec": {**JOBS[name]["spec"]["template"]["spec"], "serviceAccountName": "default"},
        }
        pod["spec"].pop("priorityClassName", None)
        done = kubectl.run("apply", "--dry-run=server", "-f", "-", stdin=json.dumps(pod))
        assert (done.code == 0) is (level(name) is RESTRICTED), done.errors
        assert ("privileged" in done.errors) is (level(name) is PRIVILEGED)
