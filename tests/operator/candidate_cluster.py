"""A cluster in memory with a ready base and a candidate, and an operator over it that can be killed and begun anew."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from change2task.api.conditions import ConditionType
from change2task.api.metadata import ObjectMeta, Reference
from change2task.api.modernbase import Inventory as CountedInventory
from change2task.api.modernbase import ModernBase, ModernBaseSpec, ModernBaseStatus, Repository, Scope
from change2task.api.reasons import Reason
from change2task.api.taskcandidate import Change, TaskCandidate, TaskCandidateSpec
from change2task.base.inventory import Inventory
from change2task.checks.laying import CheckCommand
from change2task.cluster.kube import Json
from change2task.operator.candidate_acts import CandidateActs
from change2task.operator.candidate_look import CandidateLook
from change2task.operator.running import Running
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

    def outcome_name(self) -> str:
        """Of the task that its verdict names."""
        return variant().metadata.name

    def outcome(self, *, accepted: bool = True) -> StepResult:
        """What a judge says that has come to a verdict."""
        meta = ObjectMeta(name="one", namespace="team")
        asked = self.candidate.replacing(metadata=meta, status=type(self.candidate.status)())
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
