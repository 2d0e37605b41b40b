"""Status is written to the object that was looked at and no other; what others wrote there is not simply believed."""

from __future__ import annotations

from typing import Any

import pytest

from change2task.api.modernbase import Repository
from change2task.api.reasons import Reason
from change2task.api.taskcandidate import Change
from change2task.cluster.kube import Json
from change2task.pipeline.status import is_ready
from tests.operator.base_cluster import BaseCluster, usual
from tests.operator.base_cluster import play as play_base
from tests.operator.candidate_cluster import PARCEL, Cluster, play, unfinished
from tests.support.kube import Api


class Busy(Api):
    """Somebody else acts right before a status is written."""

    def __init__(self, act: Any) -> None:
        super().__init__()
        self.act: Any = act

    def apply_status(self, manifest: Json) -> Json:
        act, self.act = self.act, None
        if act is not None:
            act(self)
        return super().apply_status(manifest)


def made_anew(api: Api) -> None:
    there = api.objects.pop(("TaskCandidate", "team", "one"))
    api.put({**there, "metadata": {"name": "one", "namespace": "team"}, "status": {}})


def deleted(api: Api) -> None:
    del api.objects["TaskCandidate", "team", "one"]


def labelled(api: Api) -> None:
    there = api.objects["TaskCandidate", "team", "one"]
    there["metadata"]["labels"] = {"team": "blue"}
    api.touch(there)


def cluster_in_which(act: Any) -> Cluster:
    cluster = Cluster()
    busy = Busy(act)
    busy.objects, busy.deaths, busy._made = cluster.api.objects, cluster.api.deaths, cluster.api._made
    cluster.api = busy
    cluster.start()
    return cluster


def test_what_was_deleted_and_made_anew_does_not_get_the_old_ones_status() -> None:
    cluster = cluster_in_which(made_anew)
    cluster.see()
    raw = cluster.api.objects["TaskCandidate", "team", "one"]
    assert (raw["status"], cluster.events) == ({}, [])
    cluster.see()
    assert cluster.reason() is Reason.IN_PROGRESS


def test_what_was_deleted_meanwhile_is_no_fault() -> None:
    cluster = cluster_in_which(deleted)
    cluster.see()
    assert cluster.events == []


def test_what_was_labelled_meanwhile_gets_its_status_in_the_same_look() -> None:
    cluster = cluster_in_which(labelled)
    cluster.see()
    assert cluster.reason() is Reason.IN_PROGRESS
    assert len(cluster.events) == 1


@pytest.mark.parametrize("act", [made_anew, deleted, labelled])
def test_no_job_is_made_twice_by_it(act: Any) -> None:
    cluster = cluster_in_which(act)
    cluster.see()
    assert len(cluster.jobs) == 1


def test_status_repeats_no_secret_and_is_not_written_again_for_it() -> None:
    cluster = Cluster()
    cluster.see()
    words = "fetching https://ada:s3cret@host/x.git failed"
    for _ in range(4):
        if (job := unfinished(cluster)) is not None:
            cluster.api.fail(job, exit_code=1, message=words)
        cluster.see()
    told = cluster.candidate.status.conditions[0].message
    assert "https://***@host/x.git" in told
    assert "s3cret" not in told
    before = len(cluster.deaths.writes)
    cluster.see()
    assert len(cluster.deaths.writes) == before


DOUBTED: dict[str, Any] = {
    "no parcel": {"parcel": None},
    "no document of ours": {"parcel": "noise"},
    "another base's parcel": {"parcel": "other"},
    "another inventory": {"inventory": {"digest": "0" * 64, "healthy": 9, "failing": 0, "unstable": 0, "notRun": 0}},
}


@pytest.mark.parametrize("written", DOUBTED.values(), ids=DOUBTED)
def test_a_base_that_somebody_set_ready_is_not_worked_on(written: dict[str, Any]) -> None:
    cluster = Cluster()
    cluster.shelf.documents |= {"noise": b"[]", "other": PARCEL.replacing(key="l" * 64).canonical()}
    raw = cluster.api.objects["ModernBase", "team", "base"]
    raw["status"] = {name: value for name, value in {**raw["status"], **written}.items() if value is not None}
    cluster.see()
    assert (cluster.reason(), cluster.jobs) == (Reason.WAITING_FOR_BASE, [])
    assert "delete it and apply it again" in cluster.candidate.status.conditions[0].message
    before = len(cluster.deaths.writes)
    cluster.see()
    assert len(cluster.deaths.writes) == before


def test_a_base_set_ready_that_never_was_is_waited_for() -> None:
    cluster = Cluster()
    raw = cluster.api.objects["ModernBase", "team", "base"]
    raw["status"] = {"conditions": raw["status"]["conditions"]}
    cluster.see()
    assert cluster.jobs == []


def test_an_outcome_of_another_candidate_is_no_verdict() -> None:
    cluster = Cluster()
    cluster.see()
    own = cluster.outcome().candidate
    assert own is not None
    theirs = own.candidate.spec.replacing(change=Change(pull_request=1))
    cluster.shelf.documents["theirs"] = own.replacing(candidate=own.candidate.replacing(spec=theirs)).canonical()
    raw = cluster.api.objects["TaskCandidate", "team", "one"]
    raw["status"]["progress"] |= {"step": 1, "outcome": "theirs"}
    cluster.see()
    assert (cluster.candidate.status.accepted, cluster.api.all("TaskVariant")) == (None, [])
    play(cluster)
    assert (cluster.candidate.status.accepted, len(cluster.jobs)) == (True, 2)


def test_an_outcome_of_another_base_makes_none_ready() -> None:
    cluster = BaseCluster()
    cluster.see()
    other = cluster.base.spec.replacing(repository=Repository(url="https://example.org/ada/other"))
    done = cluster.ready()
    cluster.shelf.documents["theirs"] = done.replacing(base=done.base.replacing(spec=other)).canonical()
    raw = cluster.api.objects["ModernBase", "team", "base"]
    raw["status"]["progress"] |= {"step": 4, "outcome": "theirs"}
    cluster.see()
    assert cluster.reason() is Reason.IN_PROGRESS
    play_base(cluster, *usual(cluster))
    assert is_ready(cluster.base)
