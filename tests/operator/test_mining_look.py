"""Looks at a ready base that asks for mining: one Job, candidates up to the limit, and counts that add up."""

from __future__ import annotations

import pytest

from change2task.api.conditions import ConditionType, condition
from change2task.api.metadata import ObjectMeta, Reference
from change2task.api.mining import MINE_ANNOTATION, MINED_BY, MINED_FROM
from change2task.api.reasons import Reason
from change2task.api.taskcandidate import Change, TaskCandidate, TaskCandidateSpec
from change2task.cluster.kube import Json, KubeFault
from change2task.pipeline import status
from change2task.pipeline.wire import MineInput
from tests.operator.mining_cluster import KEY, Mining, found
from tests.support.kube import Deaths


def test_a_base_that_asks_for_nothing_is_not_mined() -> None:
    cluster = Mining(rules=None)
    cluster.play()
    assert (cluster.jobs, cluster.base.status.mining) == ([], None)
    assert condition(cluster.base.status.conditions, ConditionType.MINED) is None


def test_one_closed_job_on_the_bases_own_image_is_asked_what_its_history_gives() -> None:
    cluster = Mining()
    cluster.look.look(KEY)
    [job] = cluster.jobs
    pod = job["spec"]["template"]["spec"]
    assert job["metadata"]["ownerReferences"][0]["name"] == "base"
    assert job["metadata"]["labels"]["change2task.dev/network"] == "none"
    assert pod["automountServiceAccountToken"] is False
    assert [one["name"] for one in pod["containers"]] == ["mine"]
    assert (cluster.said.status, cluster.said.reason) == ("Unknown", Reason.IN_PROGRESS)
    assert status.is_ready(cluster.base), "what rests on it goes on"
    cluster.look.look(KEY)
    assert len(cluster.jobs) == 1


def test_what_it_found_is_made_up_to_the_limit_and_told_so_that_it_adds_up() -> None:
    cluster = Mining()
    cluster.play(found(5))
    assert cluster.names == ["base-1", "base-2", "base-3"]
    [first, *_] = cluster.api.all("TaskCandidate")
    assert first["metadata"]["labels"] == {MINED_FROM: "base", MINED_BY: "operator"}
    assert "ownerReferences" not in first["metadata"], "a verdict outlives its base"
    assert (cluster.said.status, cluster.said.message) == (
        "True",
        "3 candidates mined; 2 more are beyond the limit of 3",
    )
    told = cluster.mined
    assert (told.commits, told.made, told.progress) == (10, ("1", "2", "3"), None)
    assert [(one.name, one.entered, one.left, one.passed) for one in told.stages] == [
        ("raw", 10, {"bot": 5}, 5),
        ("evidence", 5, {}, 5),
        ("selection", 5, {}, 5),
        ("creation", 5, {"beyondLimit": 2}, 3),
    ]


def test_nothing_is_done_again_and_what_was_deleted_is_not_made_again() -> None:
    cluster = Mining()
    cluster.play(found(3))
    del cluster.api.objects["TaskCandidate", "team", "base-2"]
    before = len(cluster.deaths.writes)
    cluster.start()
    cluster.play()
    assert (len(cluster.deaths.writes), cluster.names) == (before, ["base-1", "base-3"])


def test_other_rules_and_another_word_mine_anew_within_the_same_limit() -> None:
    cluster = Mining()
    cluster.play(found(2))
    del cluster.api.objects["TaskCandidate", "team", "base-2"]
    cluster.rule({"limit": 3, "minimumScore": 0.1})
    cluster.play(found(2), found(5))
    assert cluster.names == ["base-1", "base-3"]
    assert cluster.mined.made == ("1", "2", "3")
    assert (cluster.mined.stages[-1].passed, cluster.mined.stages[-1].left) == (3, {"beyondLimit": 2})
    cluster.raw["metadata"]["annotations"] = {MINE_ANNOTATION: "again"}
    cluster.play(found(2), found(5), found(5))
    assert (len(cluster.jobs), cluster.names) == (3, ["base-1", "base-3"])
    assert cluster.base.status.observed_generation == 2


def test_a_name_that_is_somebody_elses_is_neither_taken_nor_deleted() -> None:
    cluster = Mining()
    foreign = {
        "apiVersion": "change2task.dev/v1alpha1",
        "kind": "TaskCandidate",
        "metadata": {"name": "base-1", "namespace": "team"},
        "spec": {"baseRef": {"name": "other"}, "change": {"pullRequest": 9}},
    }
    made = cluster.api.put(foreign)
    cluster.play(found(2))
    assert cluster.names == ["base-1", "base-2"]
    assert cluster.api.get("TaskCandidate", "team", "base-1") == made
    assert (cluster.mined.made, cluster.mined.stages[-1].left) == (("2",), {"nameTaken": 1})


def test_a_name_that_is_taken_while_it_is_being_made_is_left_too() -> None:
    cluster = Mining()
    cluster.look.look(KEY)
    cluster.api.finish(cluster.jobs[0], found(2))
    listed = cluster.api.list
    spec = TaskCandidateSpec(base_ref=Reference(name="base"), change=Change(pull_request=77))
    cluster.api.put(TaskCandidate(metadata=ObjectMeta(name="base-1", namespace="team"), spec=spec).document())
    cluster.api.list = lambda kind, space, **labels: (  # type: ignore[method-assign]
        iter(()) if kind == "TaskCandidate" else listed(kind, space, **labels)
    )
    cluster.look.look(KEY)
    assert (cluster.mined.made, cluster.mined.stages[-1].left) == (("2",), {"nameTaken": 1})


def _writes() -> int:
    cluster = Mining()
    cluster.play(found(5))
    return len(cluster.deaths.writes)


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("at", range(1, _writes() + 1))
def test_killed_at_any_write_it_ends_as_if_undisturbed(at: int, *, after: bool) -> None:
    undisturbed, killed = Mining(), Mining(deaths=Deaths(at=at, after=after))
    for cluster in (undisturbed, killed):
        cluster.play(found(5))
        cluster.play()
    assert killed.deaths.at is None, "it was never killed"
    assert (killed.base.status, killed.names) == (undisturbed.base.status, undisturbed.names)
    assert [job["metadata"]["name"] for job in killed.jobs] == [job["metadata"]["name"] for job in undisturbed.jobs]


def test_rules_that_are_taken_back_end_what_runs_for_them() -> None:
    cluster = Mining()
    cluster.look.look(KEY)
    cluster.rule(None)
    cluster.look.look(KEY)
    assert (cluster.jobs, cluster.mined.progress, cluster.said.reason) == ([], None, Reason.SUSPENDED)
    before = len(cluster.deaths.writes)
    cluster.look.look(KEY)
    assert len(cluster.deaths.writes) == before


def test_a_fault_is_told_with_its_way_out_and_the_base_stays_ready() -> None:
    cluster = Mining()
    for _ in range(2):
        cluster.look.look(KEY)
        job = next(one for one in cluster.jobs if not (one.get("status") or {}).get("conditions"))
        cluster.api.fail(job, exit_code=137, reason="OOMKilled")
    cluster.look.look(KEY)
    assert (cluster.said.status, cluster.said.reason) == ("False", Reason.OUT_OF_MEMORY)
    assert cluster.said.message.endswith("then set the annotation change2task.dev/mine of the base to another word")
    assert status.is_ready(cluster.base)
    assert cluster.events[-1][0] == "OutOfMemory"
    assert cluster.events[-1][2], "a warning"
    told = len(cluster.events)
    cluster.look.look(KEY)
    assert len(cluster.events) == told
    cluster.raw["metadata"]["annotations"] = {MINE_ANNOTATION: "again"}
    cluster.look.look(KEY)
    assert (len(cluster.jobs), cluster.said.reason) == (3, Reason.IN_PROGRESS)


def test_a_cluster_that_takes_no_more_candidates_is_told_and_asked_again_later() -> None:
    cluster = Mining()
    cluster.look.look(KEY)
    cluster.api.finish(cluster.jobs[0], found(3))
    create, full = cluster.api.create, [True]

    def limited(manifest: Json) -> Json:
        if full and manifest["kind"] == "TaskCandidate" and manifest["metadata"]["name"] != "base-1":
            raise KubeFault("POST", 403, "exceeded quota: candidates")
        return create(manifest)

    cluster.api.create = limited  # type: ignore[method-assign]
    assert cluster.look.look(KEY) == 300.0
    assert (cluster.said.status, cluster.said.reason) == ("False", Reason.ADMISSION_REFUSED)
    assert "base-2: POST: 403 exceeded quota: candidates" in cluster.said.message
    assert (cluster.names, cluster.mined.made) == (["base-1"], ("1",))
    full.clear()
    cluster.look.look(KEY)
    assert (cluster.names, cluster.mined.made) == (["base-1", "base-2", "base-3"], ("1", "2", "3"))
    assert (cluster.mined.stages[-1].passed, len(cluster.jobs)) == (3, 1)


def test_a_base_whose_status_somebody_wrote_is_not_mined() -> None:
    cluster = Mining()
    cluster.raw["status"]["baseKey"] = "f" * 64
    cluster.look.look(KEY)
    assert (cluster.jobs, cluster.said.status) == ([], "False")
    assert "another base's parcel" in cluster.said.message


def test_what_the_miner_is_asked_holds_the_rules_and_nothing_that_differs_between_clusters() -> None:
    asked: list[bytes] = []
    cluster = Mining()
    append = cluster.shelf.append

    def kept(image: str, layer: bytes, *, repository: str) -> str:
        asked.append(layer)
        return append(image, layer, repository=repository)

    cluster.shelf.append = kept  # type: ignore[method-assign]
    cluster.look.look(KEY)
    text = asked[0][asked[0].index(b'{"base"') :].split(b"\0")[0]
    told = MineInput.model_validate_json(text)
    assert (told.commit, told.rules.limit, told.base.metadata) == ("c" * 40, 3, ObjectMeta(name="base"))
