"""Jobs that come to nothing are ended, those that vanish are not made for ever, and none outlives what it was for."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from change2task.api.reasons import Reason
from change2task.cluster.failures import ended_for
from change2task.pipeline import status
from change2task.pipeline.wire import StepResult
from tests.operator import base_cluster
from tests.operator.base_cluster import BaseCluster
from tests.operator.candidate_cluster import Cluster, play
from tests.support.kube import Deaths, Died

STARVED = {
    "initContainerStatuses": [{"name": "slot-1", "state": {"terminated": {"exitCode": 0, "reason": "OOMKilled"}}}]
}
UNPLACED = {"conditions": [{"type": "PodScheduled", "status": "False", "message": "0/1 nodes"}]}


def test_a_slot_that_starved_and_ended_well_ends_its_job_and_is_tried_once_more() -> None:
    cluster = Cluster()
    cluster.see()
    for attempt in (1, 2):
        job = cluster.jobs[-1]
        assert job["metadata"]["labels"]["change2task.dev/attempt"] == str(attempt)
        cluster.api.waits(job, **STARVED)
        cluster.see()
        ended = cluster.jobs[-1]
        assert ended["spec"]["activeDeadlineSeconds"] == 1
        assert "is ended: OutOfMemory: container slot-1" in cluster.candidate.status.conditions[0].message
        before = len(cluster.deaths.writes)
        cluster.see()
        assert cluster.deaths.writes[before:] in ([], ["status TaskCandidate"]), "it is ended once"
        cluster.api.time_is_over(ended)
        cluster.see()
    assert (cluster.reason(), cluster.stalled(), len(cluster.jobs)) == (Reason.OUT_OF_MEMORY, True, 2)
    assert "container slot-1" in cluster.candidate.status.conditions[0].message
    assert cluster.candidate.status.accepted is None


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("at", [1, 2, 3])
def test_killed_while_it_ends_a_job_the_next_look_goes_on(at: int, *, after: bool) -> None:
    cluster = Cluster(Deaths())
    cluster.see()
    cluster.api.waits(cluster.jobs[0], **STARVED)
    cluster.deaths.at, cluster.deaths.after = len(cluster.deaths.writes) + at, after
    for _ in range(3):
        try:
            cluster.see()
        except Died:
            cluster.start()
        job = cluster.jobs[0]
        if job["spec"]["activeDeadlineSeconds"] == 1 and "status" not in job:
            cluster.api.time_is_over(job)
    failure = ended_for(cluster.jobs[0])
    assert failure is not None
    assert (failure.reason, len(cluster.jobs)) == (Reason.OUT_OF_MEMORY, 2)


def test_a_result_of_a_pod_that_starved_is_not_taken() -> None:
    cluster = Cluster()
    cluster.see()
    cluster.api.finish(cluster.jobs[0], StepResult(needs=2))
    [pod] = cluster.api.all("Pod")
    pod["status"].update(STARVED)
    cluster.see()
    assert cluster.candidate.status.progress is not None
    assert (cluster.candidate.status.progress.step, len(cluster.jobs)) == (0, 2)


def test_a_job_whose_time_was_over_before_it_began_says_what_it_waited_for() -> None:
    cluster = Cluster()
    cluster.see()
    cluster.api.waits(cluster.jobs[0], **UNPLACED)
    cluster.see()
    assert cluster.reason() is Reason.UNSCHEDULABLE
    cluster.api.time_is_over(cluster.jobs[0])
    cluster.see()
    assert (cluster.reason(), cluster.stalled(), len(cluster.jobs)) == (Reason.UNSCHEDULABLE, True, 1)


def deleted(cluster: Cluster | BaseCluster) -> set[str]:
    """Somebody deletes every Job as soon as it is there; the names of those that were made."""
    made = set()
    for _ in range(12):
        cluster.see()
        for job in cluster.jobs:
            made.add(job["metadata"]["name"])
            del cluster.api.objects["Job", "team", job["metadata"]["name"]]
            cluster.running.ended(job["metadata"]["name"])
    return made


def test_jobs_that_vanish_again_and_again_are_not_made_for_ever() -> None:
    cluster = Cluster()
    made = deleted(cluster)
    assert (len(made), cluster.reason(), cluster.stalled()) == (4, Reason.RESULT_LOST, True)
    assert "change2task.dev/retry" in cluster.candidate.status.conditions[0].message
    cluster.api.objects["TaskCandidate", "team", "one"]["metadata"]["annotations"] = {"change2task.dev/retry": "1"}
    play(cluster)
    assert cluster.candidate.status.accepted is True


def test_fetches_that_vanish_again_and_again_are_not_made_for_ever() -> None:
    cluster = BaseCluster()
    made = deleted(cluster)
    assert (len(made), cluster.reason()) == (4, Reason.RESULT_LOST)


def test_a_fetch_that_cannot_begin_is_ended_and_begun_anew_when_that_is_asked_for() -> None:
    cluster = BaseCluster(at=base_cluster.NOW + timedelta(minutes=20))
    cluster.see()
    cluster.api.waits(cluster.jobs[0], **UNPLACED)
    cluster.see()
    assert cluster.jobs[0]["spec"]["activeDeadlineSeconds"] == 1
    cluster.api.time_is_over(cluster.jobs[0])
    cluster.see()
    assert (cluster.reason(), len(cluster.jobs)) == (Reason.UNSCHEDULABLE, 1)
    assert "change2task.dev/retry" in status.message_of(cluster.base)
    cluster.api.objects["ModernBase", "team", "base"]["metadata"]["annotations"] = {"change2task.dev/retry": "1"}
    cluster.see()
    assert len(cluster.jobs) == 2


def test_a_deleted_base_ends_its_candidates_jobs_and_another_of_the_name_begins_them_anew() -> None:
    cluster = Cluster()
    cluster.see()
    first = cluster.jobs[0]["metadata"]["name"]
    base = cluster.api.objects.pop(("ModernBase", "team", "base"))
    cluster.see()
    assert (cluster.reason(), cluster.jobs) == (Reason.BASE_NOT_FOUND, [])
    before = len(cluster.deaths.writes)
    cluster.see()
    assert len(cluster.deaths.writes) == before
    cluster.api.put({**base, "metadata": {"name": "base", "namespace": "team"}})
    cluster.see()
    assert [job["metadata"]["name"] for job in cluster.jobs] == [first], "the same work has the same name"


def test_a_base_of_the_same_name_that_is_not_ready_ends_what_ran_on_the_one_before() -> None:
    cluster = Cluster()
    cluster.see()
    spec: Any = {**cluster.api.objects["ModernBase", "team", "base"], "metadata": {"name": "base", "namespace": "team"}}
    cluster.api.put({**spec, "status": {}})
    cluster.see()
    assert (cluster.reason(), cluster.jobs) == (Reason.WAITING_FOR_BASE, [])


def test_a_job_that_ended_with_its_base_deleted_is_left_to_be_read_by_people() -> None:
    cluster = Cluster()
    cluster.see()
    cluster.api.fail(cluster.jobs[0])
    del cluster.api.objects["ModernBase", "team", "base"]
    cluster.see()
    assert len(cluster.jobs) == 1
