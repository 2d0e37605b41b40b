"""What the watch tells becomes keys; what it should have told is noticed by a list."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from change2task.cluster import names
from change2task.operator.queue import Queue
from change2task.operator.running import Place, Running
from change2task.operator.schedule import Key
from change2task.operator.settings import Caps
from change2task.operator.watching import Watched, subject


def body(name: str, version: str = "1", **more: Any) -> dict[str, Any]:
    meta = {"name": name, "namespace": "team", "uid": f"uid-{name}", "resourceVersion": version}
    return {"metadata": {**meta, **more.pop("metadata", {})}, **more}


def job(name: str, *, over: bool = False, kind: str = "TaskCandidate") -> dict[str, Any]:
    told = {
        "labels": {names.MANAGED: names.MANAGER, names.SUBJECT_KIND: kind, names.SUBJECT_UID: "u", names.BASE: "b"},
        "ownerReferences": [{"uid": "u", "controller": True}],
        "annotations": {names.SUBJECT_NAME: "one"},
    }
    conditions = [{"type": "Complete", "status": "True"}] if over else []
    return body(name, metadata=told, status={"conditions": conditions})


def candidate(name: str, base: str) -> dict[str, Any]:
    return body(name, spec={"baseRef": {"name": base}})


async def _never(key: Key) -> None:
    raise AssertionError(f"{key} was looked at")


@pytest.fixture
def watched() -> Watched:
    return Watched(Queue(_never, workers=1), Running(Caps(per_base=1)))


def keys(watched: Watched) -> set[str]:
    """Names that wait for a look, taken out of the queue."""
    found = set()
    while (key := watched.queue._schedule.take(1e12)) is not None:
        watched.queue._schedule.done(key, 0)
        found.add(f"{key.kind}/{key.name}")
    return found


def test_a_resource_is_looked_at(watched: Watched) -> None:
    watched.resource("ModernBase", body("base"), gone=False)
    assert keys(watched) == {"ModernBase/base"}


def test_a_base_that_is_gone_is_looked_at_once_more_and_nothing_else_is(watched: Watched) -> None:
    for kind in ("ModernBase", "TaskCandidate", "TaskVariant"):
        watched.resource(kind, body("gone"), gone=True)
    assert keys(watched) == {"ModernBase/gone"}


def test_a_base_that_changes_makes_its_candidates_look(watched: Watched) -> None:
    for name, base in (("one", "base"), ("two", "base"), ("three", "other")):
        watched.resource("TaskCandidate", candidate(name, base), gone=False)
    watched.resource("TaskCandidate", candidate("two", "base"), gone=True)
    keys(watched)
    watched.resource("ModernBase", body("base", "2"), gone=False)
    assert keys(watched) == {"ModernBase/base", "TaskCandidate/one"}


def test_a_task_that_is_deleted_makes_its_candidate_look(watched: Watched) -> None:
    accepted = {**candidate("one", "base"), "status": {"variantRef": {"name": "task"}}}
    for found in (candidate("one", "base"), accepted, candidate("two", "base")):
        watched.resource("TaskCandidate", found, gone=False)
    keys(watched)
    watched.resource("TaskVariant", body("task"), gone=False)
    assert keys(watched) == {"TaskVariant/task"}
    watched.resource("TaskVariant", body("task"), gone=True)
    assert keys(watched) == {"TaskCandidate/one"}


def test_a_job_makes_its_subject_look_and_counts_until_it_is_over(watched: Watched) -> None:
    watched.job(job("step"), gone=False)
    assert (keys(watched), len(watched.running)) == ({"TaskCandidate/one"}, 1)
    watched.job(job("step", over=True), gone=False)
    assert (keys(watched), len(watched.running)) == ({"TaskCandidate/one"}, 0)


@pytest.mark.parametrize("gone", [True, False])
def test_when_a_job_ends_those_that_wait_look_again(watched: Watched, *, gone: bool) -> None:
    watched.job(job("step"), gone=False)
    assert not watched.running.take("next", _place(), Key("TaskCandidate", "team", "two"))
    keys(watched)
    watched.job(job("step", over=not gone), gone=gone)
    assert keys(watched) == {"TaskCandidate/one", "TaskCandidate/two"}


def test_many_changes_of_a_pod_are_one_look(watched: Watched) -> None:
    async def told() -> int:
        for _ in range(5):
            watched.pod(job("pod"))
        return len(watched.queue)

    assert asyncio.run(told()) == 1


def test_a_foreign_job_is_nobodys(watched: Watched) -> None:
    foreign = job("theirs")
    foreign["metadata"]["labels"][names.MANAGED] = "Helm"
    watched.job(foreign, gone=False)
    assert subject(foreign) is None
    assert keys(watched) == set()


def test_a_job_that_only_looks_like_ours_takes_no_room(watched: Watched) -> None:
    copied = job("copied")
    copied["metadata"]["ownerReferences"] = []
    watched.job(copied, gone=False)
    assert len(watched.running) == 0


def test_a_build_without_our_labels_is_no_end_of_the_operator(watched: Watched) -> None:
    odd = job("odd", kind="ModernBase")
    del odd["metadata"]["labels"][names.BASE]
    watched.build(odd, Running(Caps()))
    assert keys(watched) == {"ModernBase/one"}


def test_work_in_another_namespace_is_its_subjects(watched: Watched) -> None:
    build = job("build", kind="ModernBase")
    build["metadata"]["namespace"] = "builds"
    build["metadata"]["annotations"][names.SUBJECT_NAMESPACE] = "team"
    assert subject(build) == Key("ModernBase", "team", "one")


def test_a_list_shows_what_the_watch_kept_back(watched: Watched) -> None:
    watched.resource("ModernBase", body("base", "1"), gone=False)
    watched.listed([("ModernBase", body("base", "1"))], 100, watched.known())
    assert watched.deaf_for(200) == 0
    watched.listed([("ModernBase", body("base", "2"))], 200, watched.known())
    assert watched.deaf_for(260) == 60
    watched.listed([("ModernBase", body("base", "3"))], 500, watched.known())
    assert watched.deaf_for(500) == 300, "the first time counts"
    watched.resource("ModernBase", body("base", "3"), gone=False)
    assert watched.deaf_for(500) == 0


def test_what_a_list_does_not_show_any_more_is_gone_though_the_watch_said_nothing(watched: Watched) -> None:
    for name in ("kept", "lost"):
        watched.job(job(name), gone=False)
    known = watched.known()
    watched.job(job("new"), gone=False)
    assert not watched.running.take("next", _place(), Key("TaskCandidate", "team", "two"))
    keys(watched)
    watched.listed([("Job", job("kept"))], 0, known)
    assert set(watched.versions) == {"uid-kept", "uid-new"}, "what came while it was listed stays"
    assert (watched.running.names(), keys(watched)) == ({"kept", "new"}, {"TaskCandidate/two"})
    assert watched.deaf_for(9000) == 0


def test_nothing_is_kept_of_what_is_gone(watched: Watched) -> None:
    for gone in (False, True):
        watched.resource("ModernBase", body("base"), gone=gone)
        watched.resource("TaskCandidate", candidate("one", "base"), gone=gone)
        watched.job(job("step"), gone=gone)
    assert (watched.versions, watched.late, watched.follows, dict(watched.followers)) == ({}, {}, {}, {})
    assert len(watched.running) == 0


def test_all_that_a_list_shows_is_looked_at(watched: Watched) -> None:
    watched.listed([("ModernBase", body("base")), ("Job", job("step"))], 0, watched.known())
    assert keys(watched) == {"ModernBase/base"}


def _place() -> Place:

    return Place(namespace="team", base="b")
