"""Kubernetes' many ways of saying that a pod gave no result, each as its own reason."""

from __future__ import annotations

from typing import Any

import pytest

from change2task.api.reasons import Reason
from change2task.cluster import names
from change2task.cluster.failures import Failure, ended_for, failure_of, starved, waits_for


def pod(*, conditions: list[dict[str, str]] | None = None, **status: Any) -> dict[str, Any]:
    return {"status": {"conditions": conditions or [], **status}}


def job(reason: str = "BackoffLimitExceeded", **spec: Any) -> dict[str, Any]:
    failed = {"type": "Failed", "status": "True", "reason": reason, "message": "the Job's own words"}
    return {"spec": spec, "status": {"conditions": [failed]}}


def ended(name: str, code: int, **told: str) -> dict[str, Any]:
    return {"initContainerStatuses": [{"name": name, "state": {"terminated": {"exitCode": code, **told}}}]}


def disrupted(reason: str) -> list[dict[str, str]]:
    return [{"type": "DisruptionTarget", "status": "True", "reason": reason, "message": "why"}]


FAILED: list[tuple[str, dict[str, Any] | None, dict[str, Any], Reason, str, str]] = [
    ("deadline", pod(), job("DeadlineExceeded", activeDeadlineSeconds=900), Reason.DEADLINE_EXCEEDED, "900 s", ""),
    ("evicted", pod(reason="Evicted", message="low on disk"), job(), Reason.EVICTED, "low on disk", ""),
    ("evicted by API", pod(conditions=disrupted("EvictionByEvictionAPI")), job(), Reason.EVICTED, "why", ""),
    ("preempted", pod(conditions=disrupted("PreemptionByScheduler")), job(), Reason.PREEMPTED, "why", ""),
    ("node gone", pod(conditions=disrupted("DeletionByPodGC")), job(), Reason.NODE_LOST, "why", ""),
    ("node shut down", pod(reason="NodeShutdown"), job(), Reason.NODE_LOST, "NodeShutdown", ""),
    ("no memory", pod(**ended("slot-1", 137, reason="OOMKilled")), job(), Reason.OUT_OF_MEMORY, "137", "slot-1"),
    ("no memory, as the slot tells", pod(**ended("slot-1", 6, reason="Error")), job(), Reason.OUT_OF_MEMORY, "6",
     "slot-1"),
    ("not started", pod(**ended("slot-0", 128, reason="StartError", message="no such file")), job(),
     Reason.START_FAILED, "no such file", "slot-0"),
    ("our own fault", pod(**ended("prepare", 3, message="the input cannot be read")), job(), Reason.INFRASTRUCTURE,
     "the input cannot be read", "prepare"),
    ("not closed", pod(**ended("prepare", 5, message="10.96.0.1:443 answers")), job(), Reason.NOT_ISOLATED,
     "10.96.0.1:443", "prepare"),
    ("harness broke", pod(**ended("slot-2", 70, reason="Error")), job(), Reason.RESULT_LOST, "ended with 70", "slot-2"),
    ("pod gone", None, job(), Reason.RESULT_LOST, "its pod is gone", ""),
    ("nothing told", pod(), job(), Reason.RESULT_LOST, "the Job's own words", ""),
]  # fmt: skip


@pytest.mark.parametrize("row", FAILED, ids=[row[0] for row in FAILED])
def test_each_end_without_a_result_has_its_reason(row: tuple[Any, ...]) -> None:
    _, last, of, reason, said, container = row
    failure = failure_of(of, last)
    assert (failure.reason, failure.container) == (reason, container)
    assert said in failure.message


def waiting(reason: str, message: str = "its words") -> dict[str, Any]:
    state = {"waiting": {"reason": reason, "message": message}}
    return pod(containerStatuses=[{"name": "judge", "state": state}])


UNSCHEDULED = pod(conditions=[{"type": "PodScheduled", "status": "False", "message": "0/3 nodes are available"}])
WAITING: list[tuple[str, dict[str, Any] | None, list[dict[str, str]], Reason, str]] = [
    ("no image", waiting("ImagePullBackOff"), [], Reason.IMAGE_PULL_FAILED, "its words"),
    ("no such image name", waiting("InvalidImageName"), [], Reason.IMAGE_PULL_FAILED, "InvalidImageName"),
    ("no secret", waiting("CreateContainerConfigError"), [], Reason.START_FAILED, "its words"),
    ("no node", UNSCHEDULED, [], Reason.UNSCHEDULABLE, "0/3 nodes"),
    ("quota", None, [{"reason": "FailedCreate", "message": "forbidden: exceeded quota: small"}],
     Reason.QUOTA_EXCEEDED, "small"),
    ("admission", None, [{"reason": "FailedCreate", "message": 'violates PodSecurity "restricted"'}],
     Reason.ADMISSION_REFUSED, "PodSecurity"),
]  # fmt: skip


@pytest.mark.parametrize("row", WAITING, ids=[row[0] for row in WAITING])
def test_what_does_not_begin_says_what_it_waits_for(row: tuple[Any, ...]) -> None:
    _, last, events, reason, said = row
    found = waits_for(last, events)
    assert found is not None
    assert found.reason is reason
    assert said in found.message


@pytest.mark.parametrize("last", [None, pod(), waiting("ContainerCreating"), waiting("PodInitializing")])
def test_what_is_on_its_way_waits_for_nothing(last: dict[str, Any] | None) -> None:
    assert waits_for(last, [{"reason": "SuccessfulCreate", "message": "Created pod"}]) is None


@pytest.mark.parametrize("code", [1, 3, 4, 5])
def test_what_repository_code_says_at_its_end_is_nobodys_to_read(code: int) -> None:
    failure = failure_of(job(), pod(**ended("slot-0", code, message="All is well. To go on run: curl")))
    assert (failure.reason, failure.message) == (Reason.RESULT_LOST, f"ended with {code}")


def test_a_containers_words_are_bounded() -> None:
    assert len(failure_of(job(), pod(**ended("prepare", 3, message="x" * 9000))).message) < 1100


ENDED = Failure(reason=Reason.OUT_OF_MEMORY, message="ended with 0", container="slot-1")


def annotated(text: str) -> dict[str, Any]:
    return {**job("DeadlineExceeded", activeDeadlineSeconds=1), "metadata": {"annotations": {names.ENDED: text}}}


def test_a_job_that_we_have_ended_failed_for_our_reason() -> None:
    assert failure_of(annotated(ENDED.canonical().decode()), None) == ENDED
    assert ended_for(annotated(ENDED.canonical().decode())) == ENDED


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"reason": "Whatever", "message": "x"}'])
def test_an_annotation_that_is_not_ours_means_nothing(text: str) -> None:
    assert failure_of(annotated(text), None).reason is Reason.DEADLINE_EXCEEDED


@pytest.mark.parametrize(
    ("name", "code", "reason", "found"),
    [
        ("slot-1", 0, "OOMKilled", True),
        ("slot-1", 137, "OOMKilled", False),
        ("slot-1", 0, "Completed", False),
        ("engine", 0, "OOMKilled", False),
        ("prepare", 0, "OOMKilled", False),
    ],
)
def test_a_slot_that_ended_well_and_starved_is_found(name: str, code: int, reason: str, *, found: bool) -> None:
    assert (starved(pod(**ended(name, code, reason=reason))) is not None) is found
    assert starved(None) is None
