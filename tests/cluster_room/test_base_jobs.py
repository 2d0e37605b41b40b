"""The Jobs that fetch and build: the manifests to the letter, and what must hold of every one."""

from __future__ import annotations

from typing import Any

import pytest

from change2task.cluster.base_jobs import BuildJob, FetchJob, RegistryAccess
from change2task.cluster.parts import Subject
from tests.cluster_room.test_step_job import TEMPLATE, golden

SUBJECT = Subject(kind="ModernBase", name="towncrier", namespace="team", uid="0b1c")
OPEN = RegistryAccess(host="registry.c2t.test:5001", insecure=True)
CLOSED = RegistryAccess(host="registry.example.com", secret="registry-push")
IMAGE = "registry.example.com/c2t/asks@sha256:aaaa"
FETCH = FetchJob(subject=SUBJECT, key="k" * 64, step=0, attempt=1, image=IMAGE, registry=OPEN)
BUILD = BuildJob(
    subject=SUBJECT,
    key="k" * 64,
    step=1,
    attempt=1,
    namespace="change2task-builds",
    image=IMAGE,
    builder="registry.example.com/c2t/builder@sha256:bbbb",
    registry=OPEN,
    index="http://index.c2t.test:5000/index/",
)
MANIFESTS: dict[str, dict[str, Any]] = {
    "fetch": FETCH.manifest(),
    "fetch-with-all": FETCH.replacing(credentials="git-read", registry=CLOSED, template=TEMPLATE).manifest(),
    "build": BUILD.manifest(),
    "build-with-all": BUILD.replacing(registry=CLOSED, index_secret="index", template=TEMPLATE).manifest(),
}


@pytest.mark.parametrize("name", MANIFESTS)
def test_the_manifest(name: str) -> None:
    golden(name, MANIFESTS[name])


def test_gits_credentials_are_mounted_where_the_base_is_and_nowhere_else() -> None:
    for name, manifest in MANIFESTS.items():
        mounted = "git-read" in str(manifest)
        assert mounted == (name == "fetch-with-all")
        assert not mounted or manifest["metadata"]["namespace"] == SUBJECT.namespace


def test_a_build_is_owned_by_nobody_and_says_for_whom_it_is() -> None:
    meta = MANIFESTS["build"]["metadata"]
    assert "ownerReferences" not in meta
    assert meta["annotations"]["change2task.dev/namespace"] == SUBJECT.namespace


def test_only_the_engine_is_privileged() -> None:
    for manifest in MANIFESTS.values():
        pod = manifest["spec"]["template"]["spec"]
        privileged = [
            one["name"]
            for one in (*pod.get("initContainers", ()), *pod["containers"])
            if one["securityContext"].get("privileged")
        ]
        assert privileged == (["engine"] if len(pod.get("initContainers", ())) else [])
        assert pod["automountServiceAccountToken"] is False


def test_what_a_user_names_in_the_own_namespace_is_not_looked_for_among_builds() -> None:
    pod = MANIFESTS["build-with-all"]["spec"]["template"]["spec"]
    assert pod["nodeSelector"] == TEMPLATE.node_selector
    assert not {"serviceAccountName", "imagePullSecrets", "priorityClassName"} & pod.keys()
    assert (
        not set(TEMPLATE.labels) - {"change2task.dev/network"}
        & MANIFESTS["build-with-all"]["metadata"]["labels"].keys()
    )


def test_a_builds_pod_is_open_outwards_whatever_the_users_labels_say() -> None:
    for manifest in MANIFESTS.values():
        assert manifest["metadata"]["labels"]["change2task.dev/network"] == "fetch"


def test_steps_and_attempts_are_jobs_of_their_own() -> None:
    assert len({FETCH.name, FETCH.replacing(attempt=2).name, BUILD.name, BUILD.replacing(step=3).name}) == 4
