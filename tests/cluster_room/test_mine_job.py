"""The Job that mines a base's history: the manifest to the letter, and what must hold of it."""

from __future__ import annotations

from change2task.cluster.mine_job import MineJob
from tests.cluster_room.test_base_jobs import IMAGE, SUBJECT
from tests.cluster_room.test_step_job import TEMPLATE, golden

JOB = MineJob(subject=SUBJECT, key="k" * 64, attempt=1, image=IMAGE)


def test_the_manifest() -> None:
    golden("mine", JOB.manifest())


def test_the_manifest_with_all_that_users_may_set() -> None:
    golden("mine-with-template", JOB.replacing(template=TEMPLATE).manifest())


def test_it_has_no_power_no_token_no_network_and_no_secret() -> None:
    job = JOB.replacing(template=TEMPLATE).manifest()
    pod = job["spec"]["template"]["spec"]
    assert job["spec"]["template"]["metadata"]["labels"]["change2task.dev/network"] == "none"
    assert pod["automountServiceAccountToken"] is False
    assert pod["securityContext"]["runAsNonRoot"] is True
    [container] = pod["containers"]
    assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}
    assert {volume["name"] for volume in pod["volumes"]} == {"desk", "temporary"}
    assert "env" not in container


def test_an_attempt_is_a_job_of_its_own_and_no_step_of_the_base() -> None:
    assert JOB.name != JOB.replacing(attempt=2).name
    assert JOB.name != JOB.replacing(key="l" * 64).name
