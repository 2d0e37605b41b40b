"""The Jobs that fetch and build: the manifests to the letter, and what must hold of every one."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from change2task.cluster.base_jobs import BuildJob, FetchJob, RegistryAccess
from change2task.cluster.engines import ExternalEngine
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
EXTERNAL = ExternalEngine(host="tcp://engine.example.com:2376", secret="engine-tls", claim="engine-build")
MANIFESTS: dict[str, dict[str, Any]] = {
    "fetch": FETCH.manifest(),
    "fetch-with-all": FETCH.replacing(
        credentials="git-read", registry=CLOSED, template=TEMPLATE, authorities="company-ca"
    ).manifest(),
    "build": BUILD.manifest(),
    "build-with-all": BUILD.replacing(
        registry=CLOSED, index_secret="index", template=TEMPLATE, authorities="company-ca"
    ).manifest(),
    "build-podman": BUILD.replacing(engine="podman", builder="registry.example.com/podman@sha256:cccc").manifest(),
    "build-podman-with-all": BUILD.replacing(
        engine="podman", builder="registry.example.com/podman@sha256:cccc", registry=CLOSED, authorities="company-ca"
    ).manifest(),
    "build-external": BUILD.replacing(engine="external", builder="", external=EXTERNAL).manifest(),
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


def test_the_credentials_of_an_index_are_files_of_the_build_alone_and_nobodys_environment() -> None:
    pod = MANIFESTS["build-with-all"]["spec"]["template"]["spec"]
    [engine], [main] = pod["initContainers"], pod["containers"]
    assert "envFrom" not in main
    assert {"name": "index", "mountPath": "/c2t/index", "readOnly": True} in main["volumeMounts"]
    assert "index" not in {mount["name"] for mount in engine["volumeMounts"]}


def test_with_an_engine_outside_nothing_is_privileged_and_each_build_has_a_folder_of_its_own() -> None:
    job = MANIFESTS["build-external"]
    pod = job["spec"]["template"]["spec"]
    assert "initContainers" not in pod
    told = {one["name"]: one["value"] for one in pod["containers"][0]["env"]}
    assert told["CHANGE2TASK_BUILD_FOLDER"] == f"/c2t/build/{job['metadata']['name']}"
    assert (told["DOCKER_HOST"], told["DOCKER_TLS_VERIFY"]) == (EXTERNAL.host, "1")


@pytest.mark.parametrize("host", ["unix:///var/run/docker.sock", "tcp://engine", "http://engine:2375", "tcp://a@b:1"])
def test_an_engine_outside_is_named_by_host_and_port(host: str) -> None:
    with pytest.raises(ValidationError):
        ExternalEngine(host=host, secret="s", claim="c")
