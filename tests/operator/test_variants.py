"""Tasks on the cluster: what stands in a task's place is left alone, and a task that was deleted is made again."""

from __future__ import annotations

import copy

import pytest

from change2task.api.reasons import Reason
from change2task.api.taskvariant import TaskVariant
from change2task.cluster.kube import Json
from tests.operator.candidate_cluster import KEY, Cluster, play, unfinished
from tests.support.variants import variant


def foreign(kind: str) -> Json:
    """An object of a task's name that is not this task."""
    made = variant().document()
    made["metadata"] = {"name": variant().metadata.name, "namespace": "team"}
    made.pop("status", None)
    if kind == "another goal":
        made["spec"]["goal"] = "another goal"
    else:
        made["spec"] = {"goal": 3}
    return made


def judged(cluster: Cluster) -> None:
    """Look until the last step's Job has said its verdict."""
    cluster.see()
    job = unfinished(cluster)
    assert job is not None
    cluster.api.finish(job, cluster.outcome())


@pytest.mark.parametrize("kind", ["another goal", "no task at all"])
def test_somebody_elses_object_of_a_tasks_name_is_told_and_left_as_it_is(kind: str) -> None:
    cluster = Cluster()
    theirs = cluster.api.put(foreign(kind))
    kept = copy.deepcopy(theirs)
    judged(cluster)
    cluster.see()
    assert (cluster.reason(), cluster.stalled(), cluster.candidate.status.accepted) == (
        Reason.FOREIGN_OBJECT,
        True,
        None,
    )
    told = cluster.candidate.status.conditions[0].message
    assert f"TaskVariant {variant().metadata.name}" in told
    assert "remove that object" in told
    assert cluster.api.all("TaskVariant") == [kept]
    progress = cluster.candidate.status.progress
    assert progress is not None
    assert progress.outcome is not None, "the verdict is kept"


def test_once_it_is_removed_the_verdict_is_written_without_another_step() -> None:
    cluster = Cluster()
    cluster.api.put(foreign("another goal"))
    judged(cluster)
    cluster.see()
    del cluster.api.objects["TaskVariant", "team", variant().metadata.name]
    cluster.see()
    assert (cluster.candidate.status.accepted, len(cluster.jobs)) == (True, 1)
    assert len(cluster.api.all("TaskVariant")) == 1


def test_the_same_task_made_by_another_candidate_is_shared() -> None:
    cluster = Cluster()
    theirs = foreign("another goal")
    theirs["spec"] = variant().document()["spec"]
    cluster.api.put(theirs)
    play(cluster)
    assert cluster.candidate.status.accepted is True


def test_a_deleted_task_of_a_verdict_that_stands_is_made_again() -> None:
    cluster = Cluster()
    play(cluster)
    told = cluster.candidate.status
    cluster.api.objects.pop(("TaskVariant", "team", variant().metadata.name))
    cluster.start()
    assert cluster.look.look(KEY) is None
    [made] = cluster.api.all("TaskVariant")
    assert TaskVariant.model_validate(made).spec == variant().spec
    assert cluster.candidate.status == told
    before = len(cluster.deaths.writes)
    cluster.see()
    assert len(cluster.deaths.writes) == before


def test_a_rejected_candidate_has_no_task_to_make_again() -> None:
    cluster = Cluster()
    play(cluster, accepted=False)
    before = len(cluster.deaths.writes)
    cluster.see()
    assert (len(cluster.deaths.writes), cluster.api.all("TaskVariant")) == (before, [])
