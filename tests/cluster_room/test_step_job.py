"""The Job of a step: the manifest to the letter, and what must hold of every one."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from change2task.api.metadata import Reference
from change2task.api.podtemplate import PodTemplate, ResourceAmounts, Toleration
from change2task.cluster.names import job_name
from change2task.cluster.step_job import StepJob, Subject

GOLDEN = Path(__file__).parent / "golden"
SUBJECT = Subject(kind="TaskCandidate", name="towncrier-603", namespace="team", uid="0b1c")
JOB = StepJob(
    subject=SUBJECT,
    base_uid="9f3e",
    key="k" * 64,
    step=0,
    attempt=1,
    image="registry.example.com/c2t/steps@sha256:aaaa",
    base_image="registry.example.com/c2t/bases@sha256:bbbb",
    slots=2,
    seconds=1800,
    closed=("registry.example.com:443",),
)
TEMPLATE = PodTemplate(
    resources=ResourceAmounts(requests={"cpu": "1"}, limits={"memory": "6Gi"}),
    node_selector={"pool": "tasks"},
    tolerations=(Toleration(key="tasks", operator="Exists"),),
    priority_class_name="low",
    service_account_name="puller",
    image_pull_secrets=(Reference(name="regcred"),),
    labels={"kueue.x-k8s.io/queue-name": "tasks", "change2task.dev/network": "open"},
)


def golden(name: str, manifest: dict[str, Any]) -> None:
    """The manifest is that of the file; GOLDEN=write takes it over."""
    path = GOLDEN / f"{name}.yaml"
    text = yaml.safe_dump(manifest, sort_keys=False, width=120)
    if os.environ.get("GOLDEN") == "write":
        path.write_text(text)
    assert text == path.read_text()


def containers(job: StepJob) -> list[dict[str, Any]]:
    pod = job.manifest()["spec"]["template"]["spec"]
    return [*pod["initContainers"], *pod["containers"]]


def test_a_plain_step() -> None:
    golden("step", JOB.manifest())


def test_a_step_with_all_that_users_may_set() -> None:
    golden("step-with-template", JOB.replacing(template=TEMPLATE, runtime_class="gvisor").manifest())


def test_users_labels_do_not_come_before_ours() -> None:
    assert JOB.replacing(template=TEMPLATE).labels["change2task.dev/network"] == "none"


def test_a_slot_sees_its_own_volumes_only() -> None:
    for number in range(JOB.slots):
        [slot] = [one for one in containers(JOB) if one["name"] == f"slot-{number}"]
        seen = {mount["name"] for mount in slot["volumeMounts"]}
        assert seen == {"tools", f"slot-{number}", f"shared-{number}"}
        writable = {mount["mountPath"] for mount in slot["volumeMounts"] if not mount.get("readOnly")}
        assert writable == {"/c2t/work", "/c2t/home", "/c2t/results", "/tmp", "/dev/shm"}


def test_the_judge_sees_of_slots_nothing_but_results() -> None:
    judge = containers(JOB)[-1]
    of_slots = [mount for mount in judge["volumeMounts"] if mount["name"].startswith("slot-")]
    assert {mount["subPath"] for mount in of_slots} == {"results"}


def test_no_container_has_a_token_a_power_or_somebody_elses_image() -> None:
    pod = JOB.manifest()["spec"]["template"]["spec"]
    assert pod["automountServiceAccountToken"] is False
    assert pod["enableServiceLinks"] is False
    for one in containers(JOB):
        assert one["securityContext"]["capabilities"] == {"drop": ["ALL"]}
        assert one["securityContext"]["allowPrivilegeEscalation"] is False
        trusted = not one["name"].startswith("slot-")
        assert one["image"] == (JOB.image if trusted else JOB.base_image)
        assert one["securityContext"]["readOnlyRootFilesystem"] is trusted


@pytest.mark.parametrize(
    ("asked", "requests", "limits"),
    [
        ({}, {"cpu": "250m", "memory": "512Mi"}, {"memory": "4Gi", "ephemeral-storage": "8Gi"}),
        ({"requests": {"memory": "6Gi"}}, {"memory": "6Gi"}, {"memory": "6Gi"}),
        ({"limits": {"memory": "256Mi"}}, {"memory": "256Mi"}, {"memory": "256Mi"}),
        ({"limits": {"cpu": "100m"}}, {"cpu": "100m"}, {"cpu": "100m"}),
        ({"requests": {"memory": "1Gi"}, "limits": {"memory": "2Gi"}}, {"memory": "1Gi"}, {"memory": "2Gi"}),
    ],
    ids=["nothing", "more than our limit", "less than our request", "a limit that we have none of", "both"],
)
def test_our_own_amounts_give_way_to_what_the_user_says(
    asked: dict[str, Any], requests: dict[str, str], limits: dict[str, str]
) -> None:
    template = PodTemplate(resources=ResourceAmounts.model_validate(asked))
    [slot, *_] = [one for one in containers(JOB.replacing(template=template)) if one["name"] == "slot-0"]
    assert requests.items() <= slot["resources"]["requests"].items()
    assert limits.items() <= slot["resources"]["limits"].items()


@given(st.text(min_size=1, max_size=253), st.integers(0, 99))
def test_names_fit_whatever_the_resource_is_called(name: str, step: int) -> None:
    made = job_name("TaskCandidate", name, "uid", step)
    assert len(made) <= 52
    assert made == job_name("TaskCandidate", name, "uid", step)
    assert made != job_name("TaskCandidate", name, "uid", step + 1)
    assert all(part and part.isascii() and part.replace("-", "a").isalnum() for part in [made])
    assert not made.startswith("-")


def test_another_attempt_is_another_job() -> None:
    assert len({JOB.name, JOB.replacing(attempt=2).name, JOB.replacing(step=1).name, JOB.replacing(key="l").name}) == 4
