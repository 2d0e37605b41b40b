"""Looks at a base until it is ready or cannot be: fetched, built, run in steps; killed at every write."""

from __future__ import annotations

import pytest

from change2task.api.conditions import ConditionType, condition
from change2task.api.metadata import ObjectMeta
from change2task.api.modernbase import ModernBase, ModernBaseSpec, Repository
from change2task.api.reasons import Reason
from change2task.cluster.kube import KubeFault
from change2task.operator.following import last_words
from change2task.operator.running import Place
from change2task.pipeline import status
from change2task.pipeline.wire import BaseParcel, BuildResult, FetchResult, StepResult
from tests.operator.base_cluster import BUILDS, HISTORY, BaseCluster, built, play, unfinished, usual
from tests.operator.candidate_cluster import PARCEL
from tests.support.kube import CREATED, Deaths


def test_a_base_is_fetched_built_and_run_in_steps() -> None:
    cluster = BaseCluster()
    play(cluster, *usual(cluster))
    assert (status.is_ready(cluster.base), cluster.base.status.base_key) == (True, "k" * 64)
    kinds = [
        (job["metadata"]["namespace"], job["spec"]["template"]["spec"]["containers"][0]["name"]) for job in cluster.jobs
    ]
    assert kinds == [("team", "fetch"), (BUILDS, "build"), ("team", "judge"), ("team", "judge")]
    closed = condition(cluster.base.status.conditions, ConditionType.ISOLATED)
    assert closed is not None
    assert closed.status == "True"
    parcel = cluster.base.status.parcel
    assert parcel is not None
    assert BaseParcel.model_validate_json(cluster.shelf.read_document(parcel)) == PARCEL


def test_a_later_environment_is_the_one_that_its_steps_start_from() -> None:
    cluster = BaseCluster()
    results = (
        FetchResult(history=HISTORY), built(1), StepResult(build=True), built(2), StepResult(base=cluster.ready()),
    )  # fmt: skip
    play(cluster, *results)
    steps = [job for job in cluster.jobs if job["metadata"]["namespace"] == "team"][1:]
    images = [job["spec"]["template"]["spec"]["initContainers"][1]["image"] for job in steps]
    assert images == [built(2).built[0].image, built(2).built[1].image]


@pytest.mark.parametrize("at", [0, 1, 2])
def test_whatever_finds_that_it_cannot_serve_ends_the_base(at: int) -> None:
    cluster = BaseCluster()
    ends = (FetchResult(base=cluster.failed()), BuildResult(base=cluster.failed()), StepResult(base=cluster.failed()))
    play(cluster, *(*usual(cluster)[:at], ends[at]))
    assert (cluster.reason(), len(cluster.jobs)) == (Reason.EMPTY_REPOSITORY, at + 1)
    stuck = condition(cluster.base.status.conditions, ConditionType.STALLED)
    assert stuck is not None
    assert stuck.message.startswith("no commit; where the spec is at fault, make a new ModernBase")
    assert status.message_of(cluster.base) == "no commit", "as on one machine"
    before = len(cluster.deaths.writes)
    cluster.see()
    assert len(cluster.deaths.writes) == before, "it stays so"


def _writes() -> int:
    cluster = BaseCluster()
    play(cluster, *usual(cluster))
    return len(cluster.deaths.writes)


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("at", range(1, _writes() + 1))
def test_killed_at_any_write_it_ends_as_if_undisturbed(at: int, *, after: bool) -> None:
    undisturbed, killed = BaseCluster(), BaseCluster(Deaths(at=at, after=after))
    for cluster in (undisturbed, killed):
        play(cluster, *usual(cluster))
    assert killed.deaths.at is None, "it was never killed"
    assert killed.base.status == undisturbed.base.status
    names = [[job["metadata"]["name"] for job in cluster.jobs] for cluster in (undisturbed, killed)]
    assert names[0] == names[1], "no second Job"


def test_a_build_is_looked_at_again_since_nobody_watches_it() -> None:
    cluster = BaseCluster()
    cluster.see()
    cluster.api.finish(cluster.jobs[0], FetchResult(history=HISTORY))
    assert cluster.see() == 5.0
    assert cluster.jobs[-1]["metadata"]["namespace"] == BUILDS


def test_a_build_waits_for_another_ones_end() -> None:

    cluster = BaseCluster()
    cluster.builds.runs("other", Place(namespace=BUILDS, base="other"))
    cluster.see()
    cluster.api.finish(cluster.jobs[0], FetchResult(history=HISTORY))
    assert cluster.see() == 5.0
    assert cluster.reason() is Reason.QUEUED
    cluster.builds.ended("other")
    cluster.see()
    assert len(cluster.jobs) == 2


def test_a_build_that_vanished_gives_its_place_back() -> None:
    cluster = BaseCluster()
    cluster.see()
    cluster.api.finish(cluster.jobs[0], FetchResult(history=HISTORY))
    cluster.see()
    lost = cluster.jobs[-1]["metadata"]
    del cluster.api.objects["Job", BUILDS, lost["name"]]
    cluster.see()
    assert [job["metadata"]["namespace"] for job in cluster.jobs] == ["team", BUILDS]
    assert len(cluster.builds) == 1


def test_builds_of_a_base_that_is_gone_are_removed() -> None:
    cluster = BaseCluster()
    cluster.see()
    cluster.api.finish(cluster.jobs[0], FetchResult(history=HISTORY))
    cluster.see()
    del cluster.api.objects["ModernBase", "team", "base"]
    cluster.see()
    assert [job["metadata"]["namespace"] for job in cluster.jobs] == ["team"]
    assert len(cluster.builds) == 0


def test_builds_of_an_earlier_base_of_the_name_are_removed() -> None:
    cluster = BaseCluster()
    cluster.see()
    cluster.api.finish(cluster.jobs[0], FetchResult(history=HISTORY))
    cluster.see()
    spec = ModernBaseSpec(repository=Repository(url="https://example.org/ada/other"))
    cluster.api.put(ModernBase(metadata=ObjectMeta(name="base", namespace="team"), spec=spec).document())
    cluster.see()
    assert [job["metadata"]["namespace"] for job in cluster.jobs] == ["team", "team"], "two fetches, no build"


def test_credentials_that_are_refused_are_stalled_at_once() -> None:
    cluster = BaseCluster()
    cluster.see()
    cluster.api.fail(cluster.jobs[0], exit_code=4, message="Secret git-read lacks the key password")
    cluster.see()
    assert cluster.reason() is Reason.CREDENTIALS_REFUSED
    assert "git-read lacks the key password" in status.message_of(cluster.base)
    assert len(cluster.jobs) == 1


def test_a_retry_begins_anew() -> None:
    cluster = BaseCluster()
    play(cluster, FetchResult(base=cluster.failed()))
    cluster.api.objects["ModernBase", "team", "base"]["metadata"]["annotations"] = {"change2task.dev/retry": "1"}
    cluster.see()
    assert len(cluster.jobs) == 2


def test_a_retry_of_a_base_that_is_ready_is_said_to_be_ignored_once() -> None:
    cluster = BaseCluster()
    play(cluster, *usual(cluster))
    told, jobs = len(cluster.events), len(cluster.jobs)
    raw = cluster.api.objects["ModernBase", "team", "base"]
    raw["metadata"]["annotations"] = {"change2task.dev/retry": "1"}
    for _ in range(3):
        cluster.see()
    [(reason, message, warning)] = cluster.events[told:]
    assert (reason, warning, len(cluster.jobs)) == ("RetryIgnored", True, jobs)
    assert "make a new ModernBase" in message
    assert (status.is_ready(cluster.base), status.message_of(cluster.base)) == (True, message)
    raw["metadata"]["annotations"] = {}
    cluster.see()
    assert (status.message_of(cluster.base), len(cluster.events)) == ("", told + 1)


def test_a_base_that_was_tried_again_until_it_was_ready_is_not_said_to_ignore_that() -> None:
    cluster = BaseCluster()
    play(cluster, FetchResult(base=cluster.failed()))
    cluster.api.objects["ModernBase", "team", "base"]["metadata"]["annotations"] = {"change2task.dev/retry": "1"}
    cluster.see()
    play(cluster, *usual(cluster))
    cluster.see()
    assert status.is_ready(cluster.base)
    assert "RetryIgnored" not in {reason for reason, *_ in cluster.events}


def test_a_pod_that_is_not_closed_is_told_as_a_condition_and_nothing_rests_on_it() -> None:
    cluster = BaseCluster()
    play_until_step(cluster)
    for _ in range(2):
        job = unfinished(cluster)
        assert job is not None
        cluster.api.fail(job, exit_code=5, message="10.96.0.1:443 answers")
        cluster.see()
    told = condition(cluster.base.status.conditions, ConditionType.ISOLATED)
    assert told is not None
    assert (told.status, told.reason, cluster.reason()) == ("False", Reason.NOT_ISOLATED, Reason.NOT_ISOLATED)
    assert "10.96.0.1:443" in told.message


def play_until_step(cluster: BaseCluster) -> None:
    """A base whose first step is about to run."""
    for result in (FetchResult(history=HISTORY), built(1)):
        cluster.see()
        job = unfinished(cluster)
        assert job is not None
        cluster.api.finish(job, result)
    cluster.see()


def test_a_build_that_runs_says_what_it_is_at_and_status_is_written_when_that_changes() -> None:
    cluster = BaseCluster()
    cluster.see()
    cluster.api.finish(cluster.jobs[0], FetchResult(history=HISTORY))
    cluster.see()
    job = cluster.jobs[-1]
    cluster.api.waits(job, containerStatuses=[{"name": "build", "state": {"running": {"startedAt": CREATED}}}])
    place = (BUILDS, f"{job['metadata']['name']}-pod")
    cluster.api.logs[place] = b'{"event": "setup", "step": "uv pip install https://u:s3cret@x/ -e ."}\nnoise\n'
    cluster.see()
    said = status.message_of(cluster.base)
    assert said.endswith("is running, setup: uv pip install https://***@x/ -e .")
    before = len(cluster.deaths.writes)
    cluster.see()
    assert len(cluster.deaths.writes) == before
    cluster.api.logs[place] += b'{"event": "environment.kept", "image": "i"}\n'
    cluster.see()
    assert status.message_of(cluster.base).endswith("is running, the base image is pushed")


def test_a_builds_log_that_cannot_be_read_stops_nothing() -> None:
    cluster = BaseCluster()
    cluster.see()
    cluster.api.finish(cluster.jobs[0], FetchResult(history=HISTORY))
    cluster.see()
    running = {"running": {"startedAt": CREATED}}
    cluster.api.waits(cluster.jobs[-1], containerStatuses=[{"name": "build", "state": running}])

    def unread(*_: object) -> bytes:
        raise KubeFault("GET", 500, "no log")

    cluster.api.log = unread  # type: ignore[method-assign]
    cluster.see()
    assert status.message_of(cluster.base).endswith("is running")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", ""),
        ("{", ""),
        ('[1]\n{"event": 3}\n{"event": {}}', ""),
        ('{"event": "setup"}', "setup"),
        ('{"event": "setup", "step": "a\\nb"}\n{"event": "else"}', "setup: a b"),
        ('{"event": "setup", "step": "' + "x" * 999 + '"}', "setup: " + "x" * 192 + "…"),
    ],
    ids=["nothing", "no json", "others", "no step", "lines", "long"],
)
def test_the_last_words_of_a_log_are_bounded_and_of_one_line(text: str, said: str) -> None:
    assert last_words(text) == said
