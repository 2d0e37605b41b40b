"""Looks at a candidate until its verdict, with everything that can happen on the way; killed at every write."""

from __future__ import annotations

import pytest

from change2task.api.metadata import Reference
from change2task.api.reasons import Reason
from change2task.api.taskvariant import TaskVariant
from change2task.operator.running import Place
from change2task.operator.settings import Caps
from change2task.pipeline.keys import VERDICT
from change2task.pipeline.wire import StepResult
from tests.operator.candidate_cluster import KEY, PARCEL, Cluster, play, unfinished
from tests.support.kube import Deaths
from tests.support.variants import variant


def test_steps_follow_each_other_to_the_verdict() -> None:
    cluster = Cluster()
    play(cluster)
    done = cluster.candidate.status
    assert (done.accepted, done.reason, cluster.reason()) == (True, Reason.ACCEPTED, Reason.COMPLETE)
    [made] = cluster.api.all("TaskVariant")
    assert done.variant_ref == Reference(name=made["metadata"]["name"])
    assert "ownerReferences" not in made["metadata"]
    assert TaskVariant.model_validate(made).spec == variant().spec
    assert [job["spec"]["ttlSecondsAfterFinished"] for job in cluster.jobs] == [3600, 3600]


def test_a_rejection_is_a_verdict_and_no_task() -> None:
    cluster = Cluster()
    play(cluster, accepted=False)
    assert (cluster.candidate.status.accepted, cluster.reason()) == (False, Reason.COMPLETE)
    assert cluster.api.all("TaskVariant") == []
    assert cluster.events[-1][:2] == ("TargetDidNotFail", "all is well")


def test_a_verdict_takes_few_writes_and_its_later_looks_none() -> None:
    cluster = Cluster()
    play(cluster, steps=3)
    writes = [what for what in cluster.deaths.writes if what not in {"append", "push"}]
    assert len(writes) <= 12, writes
    before = len(cluster.deaths.writes)
    cluster.see()
    assert len(cluster.deaths.writes) == before


def _writes() -> int:
    cluster = Cluster()
    play(cluster)
    return len(cluster.deaths.writes)


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("at", range(1, _writes() + 1))
def test_killed_at_any_write_it_ends_as_if_undisturbed(at: int, *, after: bool) -> None:
    undisturbed, killed = Cluster(), Cluster(Deaths(at=at, after=after))
    play(undisturbed)
    play(killed)
    assert killed.deaths.at is None, "it was never killed"
    assert killed.candidate.status == undisturbed.candidate.status
    names = [[job["metadata"]["name"] for job in cluster.jobs] for cluster in (undisturbed, killed)]
    assert names[0] == names[1], "no second Job"
    assert len(killed.api.all("TaskVariant")) == 1


def test_a_step_that_lost_its_node_is_tried_again_as_another_job() -> None:
    cluster = Cluster()
    cluster.see()
    cluster.api.fail(cluster.jobs[0], reason="StartError", exit_code=128)
    cluster.see()
    assert [job["metadata"]["labels"]["change2task.dev/attempt"] for job in cluster.jobs] == ["1", "2"]
    play(cluster)
    assert cluster.candidate.status.accepted is True


def test_a_result_that_cannot_be_read_is_lost_and_the_step_tried_again() -> None:
    cluster = Cluster()
    cluster.see()
    cluster.api.finish(cluster.jobs[0], StepResult(needs=2))
    cluster.api.logs = {place: text[: len(text) // 2] for place, text in cluster.api.logs.items()}
    cluster.see()
    assert len(cluster.jobs) == 2
    assert "ResultLost" in cluster.candidate.status.conditions[0].message


def test_what_fails_for_good_is_stalled_with_the_way_out_and_never_a_verdict() -> None:
    cluster = Cluster()
    for _ in range(3):
        cluster.see()
        if (job := unfinished(cluster)) is not None:
            cluster.api.fail(job, reason="OOMKilled", exit_code=137)
    cluster.see()
    assert cluster.stalled()
    assert cluster.reason() is Reason.OUT_OF_MEMORY
    assert "podTemplate" in cluster.candidate.status.conditions[0].message
    assert cluster.candidate.status.accepted is None
    assert len(cluster.jobs) == 2
    assert cluster.events[-1][2], "a warning"


def test_a_foreign_job_of_our_name_is_neither_taken_nor_deleted() -> None:
    probe = Cluster()
    probe.see()
    theirs = {"kind": "Job", "metadata": {"name": probe.jobs[0]["metadata"]["name"], "namespace": "team"}}
    cluster = Cluster()
    cluster.api.put(theirs)
    cluster.see()
    assert (cluster.reason(), cluster.stalled()) == (Reason.FOREIGN_OBJECT, True)
    assert [job["metadata"].get("labels") for job in cluster.jobs] == [None]


def test_without_room_it_waits_and_says_so() -> None:
    cluster = Cluster(caps=Caps(per_base=1))
    base_uid = cluster.api.all("ModernBase")[0]["metadata"]["uid"]

    cluster.running.runs("other", Place(namespace="team", base=base_uid))
    cluster.see()
    assert (cluster.reason(), cluster.jobs) == (Reason.QUEUED, [])
    assert cluster.running.ended("other") == (KEY,)
    cluster.see()
    assert len(cluster.jobs) == 1


def test_work_for_another_base_of_the_name_is_ended_and_begun_anew() -> None:
    cluster = Cluster()
    cluster.see()
    first = cluster.jobs[0]["metadata"]["name"]
    cluster.shelf.documents["other"] = PARCEL.replacing(key="l" * 64).canonical()
    cluster.base("l" * 64, "other")
    cluster.see()
    [job] = cluster.jobs
    assert job["metadata"]["name"] != first


def test_a_verdict_outlives_the_base_it_was_made_on() -> None:
    cluster = Cluster()
    play(cluster)
    cluster.base("l" * 64)
    cluster.see()
    assert cluster.candidate.status.accepted is True
    assert cluster.reason() is Reason.BASE_REPLACED
    assert len(cluster.jobs) == 2


def test_suspended_it_begins_nothing_and_goes_on_where_it_was() -> None:
    cluster = Cluster()
    cluster.see()
    raw = cluster.api.objects["TaskCandidate", "team", "one"]
    raw["spec"]["suspend"] = True
    cluster.api.finish(cluster.jobs[0], StepResult(needs=2))
    cluster.see()
    assert (cluster.reason(), len(cluster.jobs)) == (Reason.SUSPENDED, 1)
    assert cluster.candidate.status.progress is not None
    assert cluster.candidate.status.progress.step == 1
    raw["spec"]["suspend"] = False
    play(cluster)
    assert cluster.candidate.status.accepted is True
    assert len(cluster.jobs) == 2


@pytest.mark.parametrize("accepted", [True, False])
def test_a_retry_judges_anew_what_had_its_verdict(*, accepted: bool) -> None:
    cluster = Cluster()
    play(cluster, accepted=accepted)
    first = cluster.candidate.status.stages[VERDICT]
    cluster.api.objects["TaskCandidate", "team", "one"]["metadata"]["annotations"] = {"change2task.dev/retry": "1"}
    cluster.see()
    assert (cluster.candidate.status.accepted, cluster.reason()) == (None, Reason.IN_PROGRESS)
    play(cluster, accepted=accepted)
    assert cluster.candidate.status.stages[VERDICT] != first


def test_a_job_that_the_api_server_refuses_is_told_with_its_words_and_holds_no_room() -> None:
    cluster = Cluster()
    cluster.api.refuses = "spec.template.spec.containers[0].resources.requests: must be at most the memory limit"
    cluster.see()
    assert (cluster.reason(), cluster.stalled()) == (Reason.ADMISSION_REFUSED, True)
    assert "must be at most the memory limit" in cluster.candidate.status.conditions[0].message
    assert len(cluster.running) == 0


def test_conditions_of_others_stop_nothing() -> None:
    cluster = Cluster()
    cluster.see()
    theirs = {"type": "TeamApproved", "status": "True", "reason": "Said", "lastTransitionTime": "2026-11-30T12:00:00Z"}
    for kind, name in (("TaskCandidate", "one"), ("ModernBase", "base")):
        cluster.api.objects[kind, "team", name]["status"]["conditions"].append(theirs)
    cluster.see()
    assert cluster.reason() is Reason.IN_PROGRESS


def test_what_cannot_begin_keeps_no_place_from_what_can() -> None:
    cluster = Cluster()
    cluster.see()
    job = cluster.jobs[0]["metadata"]
    owner = {"uid": job["uid"], "controller": True}
    labels = {"batch.kubernetes.io/job-name": job["name"]}
    meta = {"name": "p", "namespace": "team", "labels": labels, "ownerReferences": [owner]}
    told = {"type": "PodScheduled", "status": "False", "message": "0/1 nodes"}
    cluster.api.put({"kind": "Pod", "metadata": meta, "status": {"conditions": [told]}})
    assert len(cluster.running) == 1
    cluster.see()
    assert (cluster.reason(), len(cluster.running)) == (Reason.UNSCHEDULABLE, 0)


def test_a_copied_job_with_odd_labels_stops_nothing() -> None:
    cluster = Cluster()
    cluster.see()
    copied = {**cluster.jobs[0], "metadata": {**cluster.jobs[0]["metadata"], "name": "copied", "ownerReferences": []}}
    copied["metadata"]["labels"] = {**copied["metadata"]["labels"], "change2task.dev/attempt": "one"}
    cluster.api.put(copied)
    play(cluster)
    assert cluster.candidate.status.accepted is True


def test_a_candidate_that_is_gone_waits_for_nothing() -> None:
    cluster = Cluster()
    del cluster.api.objects["TaskCandidate", "team", "one"]
    assert cluster.see() is None
    assert cluster.deaths.writes == []
