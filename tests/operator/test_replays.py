"""Replays of a task on a cluster: asked for by a word, told in status, killed at every write; decisions as a table."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import pytest

from change2task.api.conditions import ConditionType, condition
from change2task.api.metadata import ObjectMeta
from change2task.api.reasons import Reason
from change2task.api.taskcandidate import TaskCandidate
from change2task.api.taskvariant import TaskVariant
from change2task.cluster.failures import Failure
from change2task.cluster.kube import Json
from change2task.operator.actions import Capture, EndJob, Keep, StartStep, Tell
from change2task.operator.observed import SeenJob
from change2task.operator.replays import STEPS, SeenReplay, decide
from change2task.operator.running import Running
from change2task.operator.schedule import Key
from change2task.operator.settings import Caps, Images, OperatorSettings, RegistrySettings
from change2task.operator.variant_acts import VariantActs
from change2task.operator.variant_look import VariantLook
from change2task.pipeline.grading import Replay
from change2task.pipeline.keys import (
    OUTCOME_ANNOTATION,
    PARCEL_ANNOTATION,
    REPLAY_ANNOTATION,
    REPLAY_TIMES_ANNOTATION,
)
from change2task.pipeline.wire import CandidateOutcome, StepResult
from change2task.validate.verdict import Verdict
from tests.operator.candidate_cluster import PARCEL
from tests.support.kube import Api, Deaths, Died, Shelf
from tests.support.variants import variant

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
KEY = Key("TaskVariant", "team", "tv-x")
SOURCES = {OUTCOME_ANNOTATION: "outcome", PARCEL_ANNOTATION: "parcel"}
RUNNING = SeenJob(name="j", attempt=1, phase="running", since=NOW)
DONE = RUNNING.replacing(phase="succeeded", result="d")
LOST = RUNNING.replacing(phase="failed", failure=Failure(reason=Reason.EVICTED, message="no memory"))
ASKED = SeenReplay(asked=True)
HUNGRY = RUNNING.replacing(phase="failed", failure=Failure(reason=Reason.OUT_OF_MEMORY, message="oom"))


@pytest.mark.parametrize(
    ("seen", "kind", "reason"),
    [
        (SeenReplay(), Keep, Reason.COMPLETE),
        (ASKED, StartStep, Reason.IN_PROGRESS),
        (ASKED.replacing(job=RUNNING.replacing(hangs=LOST.failure)), EndJob, Reason.IN_PROGRESS),
        (ASKED.replacing(attempts=4), Tell, Reason.RESULT_LOST),
        (ASKED.replacing(step=STEPS), Tell, Reason.INFRASTRUCTURE),
        (ASKED.replacing(room=False), Tell, Reason.QUEUED),
        (ASKED.replacing(known=False), Tell, Reason.RESULT_LOST),
        (ASKED.replacing(job=RUNNING), Keep, Reason.IN_PROGRESS),
        (ASKED.replacing(job=DONE), Capture, Reason.IN_PROGRESS),
        (ASKED.replacing(job=RUNNING.replacing(ours=False)), Tell, Reason.FOREIGN_OBJECT),
        (ASKED.replacing(job=LOST, attempts=1), StartStep, Reason.IN_PROGRESS),
        (ASKED.replacing(job=LOST, attempts=4), Tell, Reason.EVICTED),
        (ASKED.replacing(job=HUNGRY, attempts=2), Tell, Reason.OUT_OF_MEMORY),
    ],
)
def test_one_look_decides_one_thing(seen: SeenReplay, kind: type[object], reason: Reason) -> None:
    decision = decide(seen, NOW)

    assert isinstance(decision.action, kind)
    assert decision.reason is reason


@dataclass
class Cluster:
    """A cluster in memory with a task whose evidence and base lie in a registry, and an operator that can be killed."""

    deaths: Deaths = field(default_factory=Deaths)
    annotations: dict[str, str] = field(default_factory=lambda: dict(SOURCES))

    def __post_init__(self) -> None:
        self.api, self.shelf = Api(self.deaths), Shelf(self.deaths)
        self.events: list[tuple[str, bool]] = []
        self.shelf.documents["parcel"] = PARCEL.canonical()
        done = CandidateOutcome(candidate=CANDIDATE, variant=variant(), evidence={"0" * 64: b"[]"})
        self.shelf.documents["outcome"] = done.canonical()
        made = variant()
        meta = ObjectMeta(name=made.metadata.name, namespace="team", annotations=self.annotations)
        self.api.put(made.replacing(metadata=meta).document())
        self.start()

    def start(self) -> None:
        settings = OperatorSettings(
            registry=RegistrySettings(prefix="registry.example.com/c2t"), images=Images(runner="r", builder="b")
        )
        api: Any = self.api
        self.look = VariantLook(VariantActs(api, self.shelf, settings, Running(Caps()), lambda: NOW), self)

    def event(self, about: Json, reason: str, message: str, *, warning: bool = False) -> None:
        self.events.append((reason, warning))

    def ask(self, word: str, times: str = "1") -> None:
        raw = self.api.objects["TaskVariant", "team", "tv-x"]
        raw["metadata"]["annotations"] |= {REPLAY_ANNOTATION: word, REPLAY_TIMES_ANNOTATION: times}

    @property
    def task(self) -> TaskVariant:
        return TaskVariant.model_validate(self.api.get("TaskVariant", "team", "tv-x"))

    def state(self, kind: ConditionType) -> tuple[str, Reason]:
        found = condition(self.task.status.conditions, kind)
        assert found is not None
        return found.status, found.reason

    def play(self, results: list[StepResult]) -> None:
        """Look, and let Jobs end with these results, until nothing is under way."""
        left = list(results)
        for _ in range(40):
            try:
                self.look.look(KEY)
            except Died:
                self.start()
                continue
            waiting = [job for job in self.api.all("Job") if not (job.get("status") or {}).get("conditions")]
            if not waiting:
                return
            self.api.finish(waiting[0], left.pop(0))
        raise AssertionError("no end")


CANDIDATE = TaskCandidate.model_validate(
    {
        "apiVersion": "change2task.dev/v1alpha1",
        "kind": "TaskCandidate",
        "metadata": {"name": "one"},
        "spec": {"baseRef": {"name": "base"}, "change": {"commit": "1" * 40}},
    }
)


def replay(*differences: str) -> Replay:
    verdict = Verdict(gate="lifecycle", passed=not differences, reason=Reason.VALIDATED, message="as it is")
    return Replay(variant="tv-x", same=not differences, verdict=verdict, differences=differences, checks=3)


def test_a_task_that_nobody_asks_about_is_published_and_left_alone() -> None:
    cluster = Cluster()
    cluster.play([])

    assert cluster.state(ConditionType.VERIFIED) == ("True", Reason.VALIDATED)
    assert cluster.api.all("Job") == []
    before = len(cluster.deaths.writes)
    cluster.play([])
    assert len(cluster.deaths.writes) == before


def test_a_replay_that_comes_out_the_same_is_told_with_its_word() -> None:
    cluster = Cluster()
    cluster.ask("now", times="2")
    cluster.play([StepResult(needs=6), StepResult(replays=(replay(), replay()))])

    told = cluster.task.status.replayed
    assert told is not None
    assert (told.request, told.times, told.same, told.checks) == ("now", 2, True, 3)
    assert cluster.state(ConditionType.VERIFIED) == ("True", Reason.VALIDATED)
    assert cluster.state(ConditionType.RECONCILING)[0] == "False"
    assert cluster.task.status.progress is None
    assert [job["spec"]["ttlSecondsAfterFinished"] for job in cluster.api.all("Job")] == [3600, 3600]


def test_a_replay_that_differs_takes_verified_away_and_names_the_checks() -> None:
    cluster = Cluster()
    cluster.ask("now")
    cluster.play([StepResult(replays=(replay("task: t.py::t: passed, expected to fail"),))])

    told = cluster.task.status.replayed
    assert told is not None
    assert told.differences == ("task: t.py::t: passed, expected to fail",)
    assert cluster.state(ConditionType.VERIFIED) == ("False", Reason.UNSTABLE)
    assert cluster.events[-1] == ("Unstable", True)


def test_the_same_word_asks_once_and_another_word_anew() -> None:
    cluster = Cluster()
    cluster.ask("now")
    cluster.play([StepResult(replays=(replay(),))])
    cluster.play([])
    assert len(cluster.api.all("Job")) == 1

    cluster.ask("again")
    cluster.play([StepResult(replays=(replay(),))])
    assert len(cluster.api.all("Job")) == 2


@pytest.mark.parametrize(("asked", "times"), [("3", 3), ("0", 1), ("many", 1), ("9" * 40, 1), ("500", 20)])
def test_how_often_is_bounded(asked: str, times: int) -> None:
    cluster = Cluster()
    cluster.ask("now", times=asked)
    cluster.play([StepResult(replays=(replay(),) * times)])

    assert cluster.task.status.replayed is not None
    assert cluster.task.status.replayed.times == times


def test_a_task_without_its_sources_says_what_else_can_be_done() -> None:
    cluster = Cluster(annotations={})
    cluster.ask("now")
    cluster.play([])

    stalled = condition(cluster.task.status.conditions, ConditionType.STALLED)
    assert stalled is not None
    assert stalled.status == "True"
    assert "change2task pull" in stalled.message
    assert cluster.api.all("Job") == []


def test_a_job_of_another_request_is_ended() -> None:
    cluster = Cluster()
    cluster.ask("now")
    cluster.look.look(KEY)
    [first] = cluster.api.all("Job")
    cluster.ask("again")
    cluster.look.look(KEY)

    assert first["metadata"]["name"] not in [job["metadata"]["name"] for job in cluster.api.all("Job")]


RESULTS = [StepResult(needs=6), StepResult(replays=(replay(),))]


def _writes() -> int:
    cluster = Cluster()
    cluster.ask("now")
    cluster.play(RESULTS)
    return len(cluster.deaths.writes)


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("at", range(1, _writes() + 1))
def test_killed_at_any_write_it_ends_as_if_undisturbed(at: int, *, after: bool) -> None:
    undisturbed, killed = Cluster(), Cluster(Deaths(at=at, after=after))
    for cluster in (undisturbed, killed):
        cluster.ask("now")
        cluster.play(RESULTS)

    assert killed.deaths.at is None, "it was never killed"
    assert killed.task.status == undisturbed.task.status
    assert len(killed.api.all("Job")) == len(undisturbed.api.all("Job")), "no second Job"
