"""Looks at a candidate until its verdict, with everything that can happen on the way; killed at every write."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import pytest

from change2task.api.conditions import ConditionType
from change2task.api.metadata import ObjectMeta, Reference
from change2task.api.modernbase import Inventory as CountedInventory
from change2task.api.modernbase import ModernBase, ModernBaseSpec, ModernBaseStatus, Repository, Scope
from change2task.api.reasons import Reason
from change2task.api.taskcandidate import Change, TaskCandidate, TaskCandidateSpec
from change2task.api.taskvariant import TaskVariant
from change2task.base.inventory import Inventory
from change2task.checks.laying import CheckCommand
from change2task.cluster.kube import Json
from change2task.operator.candidate_acts import CandidateActs
from change2task.operator.candidate_look import CandidateLook
from change2task.operator.running import Place, Running
from change2task.operator.schedule import Key
from change2task.operator.settings import Caps, Images, OperatorSettings, RegistrySettings
from change2task.pipeline import status
from change2task.pipeline.keys import VERDICT
from change2task.pipeline.wire import BaseParcel, CandidateOutcome, StepResult
from change2task.validate.verdict import Verdict
from tests.support.kube import Api, Deaths, Died, Shelf
from tests.support.variants import variant

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
KEY = Key("TaskCandidate", "team", "one")
INVENTORY = Inventory(tree="t", environment="e", passes=("as it is",), healthy=("tests/test_a.py::test_a",))
PARCEL = BaseParcel(
    name="base",
    url="https://example.org/ada/toolbox",
    key="k" * 64,
    commit="c" * 40,
    tree="t" * 40,
    environment_key="e" * 64,
    image="registry.example.com/c2t/bases@sha256:1",
    ground="registry.example.com/c2t/grounds@sha256:2",
    checks=CheckCommand(command=("pytest",), format="pytest", timeout_seconds=60, test_timeout_seconds=10),
    inventory=INVENTORY,
    scope=Scope(),
)


@dataclass
class Cluster:
    """A cluster in memory with one ready base and one candidate, and an operator that can be started anew."""

    deaths: Deaths = field(default_factory=Deaths)
    caps: Caps = field(default_factory=Caps)

    def __post_init__(self) -> None:
        self.api, self.shelf = Api(self.deaths), Shelf(self.deaths)
        self.events: list[tuple[str, str, bool]] = []
        self.shelf.documents["parcel"] = PARCEL.canonical()
        self.base()
        spec = TaskCandidateSpec(base_ref=Reference(name="base"), change=Change(pull_request=603))
        self.api.put(TaskCandidate(metadata=ObjectMeta(name="one", namespace="team"), spec=spec).document())
        self.start()

    def base(self, key: str = "k" * 64, parcel: str = "parcel") -> None:
        told = ModernBaseStatus(
            conditions=status.ready_base_conditions((), 1, NOW, dated=True, dated_detail=""),
            base_key=key,
            inventory=CountedInventory(digest=INVENTORY.content_hash(), healthy=1, failing=0, unstable=0, not_run=0),
            parcel=parcel,
        )
        spec = ModernBaseSpec(repository=Repository(url=PARCEL.url))
        meta = ObjectMeta(name="base", namespace="team")
        self.api.put(ModernBase(metadata=meta, spec=spec, status=told).document())

    def start(self) -> None:
        """A new operator: nothing of the one before is remembered."""
        settings = OperatorSettings(
            registry=RegistrySettings(prefix="registry.example.com/c2t"), images=Images(runner="r", builder="b")
        )
        self.running = Running(self.caps)
        api: Any = self.api
        self.look = CandidateLook(CandidateActs(api, self.shelf, settings, self.running, lambda: NOW), self)

    def event(self, about: Json, reason: str, message: str, *, warning: bool = False) -> None:
        self.events.append((reason, message, warning))

    def see(self) -> float | None:
        return self.look.look(KEY)

    @property
    def candidate(self) -> TaskCandidate:
        return TaskCandidate.model_validate(self.api.get("TaskCandidate", "team", "one"))

    @property
    def jobs(self) -> list[Json]:
        return self.api.all("Job")

    def reason(self, kind: ConditionType = ConditionType.READY) -> Reason:
        return next(one.reason for one in self.candidate.status.conditions if one.type == kind)

    def stalled(self) -> bool:
        return any(
            one.type == ConditionType.STALLED and one.status == "True" for one in self.candidate.status.conditions
        )

    def verdict_key(self) -> str:
        progress = self.candidate.status.progress
        assert progress is not None
        return progress.key

    def outcome(self, *, accepted: bool = True) -> StepResult:
        """What a judge says that has come to a verdict."""
        asked = self.candidate.replacing(status=type(self.candidate.status)())
        made = variant() if accepted else None
        verdict = Verdict(gate="lifecycle", passed=accepted, reason=Reason.VALIDATED, message="all is well")
        if not accepted:
            verdict = verdict.replacing(reason=Reason.TARGET_DID_NOT_FAIL)
        told = type(asked.status)(
            conditions=status.candidate_conditions(asked, verdict, accepted=accepted, now=NOW),
            base_key="k" * 64,
            accepted=accepted,
            reason=Reason.ACCEPTED if accepted else verdict.reason,
            message=verdict.message,
            variant_ref=Reference(name=made.metadata.name) if made else None,
            stages={VERDICT: self.verdict_key()},
            evidence={},
        )
        return StepResult(candidate=CandidateOutcome(candidate=asked.replacing(status=told), variant=made))


def unfinished(cluster: Cluster) -> Json | None:
    return next((job for job in cluster.jobs if not (job.get("status") or {}).get("conditions")), None)


def play(cluster: Cluster, *, steps: int = 2, accepted: bool = True) -> None:
    """Look, and let Jobs end, until there is a verdict; an operator that dies is started again."""
    for _ in range(60):
        try:
            cluster.see()
        except Died:
            cluster.start()
            continue
        if cluster.candidate.status.accepted is not None:
            return
        if (job := unfinished(cluster)) is not None:
            last = int(job["metadata"]["labels"]["change2task.dev/step"]) == steps - 1
            cluster.api.finish(job, cluster.outcome(accepted=accepted) if last else StepResult(needs=2))
    raise AssertionError("no verdict")


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
    assert killed.candidate == undisturbed.candidate
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
    cluster.api.logs = {place: text[:-9] for place, text in cluster.api.logs.items()}
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
