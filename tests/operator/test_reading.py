"""What the API server takes and nobody can work on is told in status, with the field, the value and the way out."""

from __future__ import annotations

from typing import Any

import pytest

from change2task.api.modernbase import ModernBase
from change2task.api.reasons import Reason
from change2task.api.taskcandidate import TaskCandidate
from change2task.operator.reading import SpecInvalid, read
from change2task.operator.running import Running
from change2task.operator.schedule import Key
from change2task.operator.settings import Caps, Images, OperatorSettings, RegistrySettings
from change2task.operator.variant_acts import VariantActs
from change2task.operator.variant_look import VariantLook
from tests.operator.base_cluster import NOW, BaseCluster
from tests.operator.candidate_cluster import Cluster, play
from tests.support.kube import Api, Deaths, Shelf


def script(**files: str) -> dict[str, Any]:
    return {"id": "x", "kind": "script", "script": {"command": ["sh", "x"], "files": files}}


BAD: dict[str, tuple[dict[str, Any], str]] = {
    "a script outside of its folder": ({"checks": [script(**{"../../x": "boo"})]}, "'../../x' is not a relative path"),
    "no change": ({"change": {}}, "exactly one of pullRequest, commit and range"),
    "a NUL in a command": (
        {"checks": [{**script(), "script": {"command": ["sh\0"]}}]}, "spec.checks[0].script.command",
    ),
    "an unknown field": ({"chekcs": []}, "did you mean checks?"),
    "a wrong type": ({"suspend": "maybe"}, "spec.suspend: must be true or false"),
}  # fmt: skip


@pytest.mark.parametrize(("spec", "said"), BAD.values(), ids=BAD)
def test_a_candidate_that_cannot_be_read_is_stalled_and_says_why(spec: dict[str, Any], said: str) -> None:
    cluster = Cluster()
    raw = cluster.api.objects["TaskCandidate", "team", "one"]
    raw["spec"].update(spec)
    assert cluster.see() is None
    told = {one["type"]: one for one in raw["status"]["conditions"]}
    assert [told[kind]["status"] for kind in ("Ready", "Reconciling", "Stalled")] == ["False", "False", "True"]
    assert said in told["Ready"]["message"]
    assert "make a new TaskCandidate" in told["Ready"]["message"]
    [(reason, _, warning)] = cluster.events
    assert (reason, warning) == ("SpecInvalid", True)
    before = len(cluster.deaths.writes)
    cluster.see()
    assert (len(cluster.deaths.writes), len(cluster.events), cluster.jobs) == (before, 1, [])


def test_a_base_that_cannot_be_read_is_stalled_and_its_candidates_wait() -> None:
    cluster = Cluster()
    cluster.api.objects["ModernBase", "team", "base"]["spec"]["retention"] = {"finishedJobsSeconds": -1}
    cluster.see()
    assert (cluster.reason(), cluster.jobs) == (Reason.WAITING_FOR_BASE, [])
    assert "SpecInvalid" in cluster.candidate.status.conditions[0].message
    own = BaseCluster()
    own.api.objects["ModernBase", "team", "base"]["spec"]["retention"] = {"finishedJobsSeconds": -1}
    own.see()
    [told] = [one for one in own.api.objects["ModernBase", "team", "base"]["status"]["conditions"]
              if one["type"] == "Ready"]  # fmt: skip
    assert (told["reason"], own.jobs) == ("SpecInvalid", [])
    assert "spec.retention.finishedJobsSeconds" in told["message"]


def test_what_is_said_of_a_spec_repeats_no_password_of_it() -> None:
    own = BaseCluster()
    raw = own.api.objects["ModernBase", "team", "base"]
    raw["spec"]["repository"]["url"] = "https://ada:s3cret@example.org/x.git"
    own.see()
    told = {one["type"]: one for one in raw["status"]["conditions"]}["Ready"]["message"]
    assert "spec.repository.url: does not fit" in told
    assert "s3cret" not in told


def test_a_verdict_stays_beside_what_is_said_of_the_spec() -> None:
    cluster = Cluster()
    play(cluster)
    raw = cluster.api.objects["TaskCandidate", "team", "one"]
    raw["spec"]["checks"] = [script(**{"/etc/passwd": ""})]
    cluster.see()
    assert (raw["status"]["accepted"], raw["status"]["variantRef"]) == (True, {"name": cluster.outcome_name()})
    assert {one["type"] for one in raw["status"]["conditions"]} >= {"Accepted", "Ready"}


def test_a_task_that_cannot_be_read_is_stalled_too() -> None:
    api, told = Api(), []
    api.put({"apiVersion": "change2task.dev/v1alpha1", "kind": "TaskVariant",
             "metadata": {"name": "v", "namespace": "team"}, "spec": {"goal": 1}})  # fmt: skip

    class Told:
        def event(self, about: Any, reason: str, message: str, *, warning: bool = False) -> None:
            told.append((reason, warning))

    settings = OperatorSettings(
        registry=RegistrySettings(prefix="registry.example.com/c2t"), images=Images(runner="r", builder="b")
    )
    kube: Any = api
    look = VariantLook(VariantActs(kube, Shelf(Deaths()), settings, Running(Caps()), lambda: NOW), Told())
    look.look(Key("TaskVariant", "team", "v"))
    assert told == [("SpecInvalid", True)]


def test_conditions_and_status_that_nobody_can_read_count_as_none() -> None:
    cluster = Cluster()
    cluster.see()
    raw = cluster.api.objects["TaskCandidate", "team", "one"]
    raw["status"]["progress"] = {"key": "x", "step": -1}
    found = read(TaskCandidate, raw)
    assert (found.status, found.spec.change.pull_request) == (type(found.status)(), 603)
    play(cluster)
    assert cluster.candidate.status.accepted is True


def test_what_stands_in_metadata_is_no_fault() -> None:
    raw = {"apiVersion": "change2task.dev/v1alpha1", "kind": "ModernBase", "spec": {"repository": {"url": "no url"}},
           "metadata": {"name": "b", "namespace": "n", "uid": "u", "managedFields": [{"manager": "x"}]}}  # fmt: skip
    with pytest.raises(SpecInvalid, match=r"^spec\.repository\.url: does not fit") as refused:
        read(ModernBase, raw)
    assert str(refused.value).endswith("make a new ModernBase in which that is mended")
