"""A cluster in memory with a ready base that asks for mining, and an operator over it that can be begun anew."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from change2task.api.conditions import Condition, ConditionType, condition
from change2task.api.metadata import ObjectMeta, Reference
from change2task.api.minedstatus import MiningStatus
from change2task.api.mining import candidate_name
from change2task.api.modernbase import ModernBase
from change2task.api.taskcandidate import Change, TaskCandidate, TaskCandidateSpec
from change2task.cluster.kube import Json
from change2task.history.mining.funnel import Funnel, Stage
from change2task.operator.base_acts import BaseActs
from change2task.operator.base_look import BaseLook
from change2task.operator.mining_acts import MiningActs
from change2task.operator.mining_look import InTurn, MiningLook
from change2task.operator.running import Running
from change2task.operator.schedule import Key
from change2task.operator.settings import Caps
from change2task.pipeline.wire import MineResult
from tests.operator.base_cluster import SETTINGS
from tests.operator.candidate_cluster import NOW, Cluster
from tests.support.kube import Api, Deaths, Died

KEY = Key("ModernBase", "team", "base")


def found(count: int, first: int = 1) -> MineResult:
    """What a miner says of a history of twice as many commits, the half of which are somebody else's."""
    candidates = tuple(
        TaskCandidate(
            metadata=ObjectMeta(name=candidate_name("base", number, "")),
            spec=TaskCandidateSpec(base_ref=Reference(name="base"), change=Change(pull_request=number)),
        )
        for number in range(first, first + count)
    )
    stages = (
        Stage(name="raw", entered=2 * count, left={"bot": count}, passed=count),
        Stage(name="evidence", entered=count, passed=count),
        Stage(name="selection", entered=count, passed=count),
    )
    return MineResult(candidates=candidates, funnel=Funnel(commits=2 * count, within=0, stages=stages))


@dataclass
class Mining:
    """A cluster in memory with a ready base that asks for mining, and an operator that can be started anew."""

    rules: Json | None = field(default_factory=lambda: {"limit": 3})
    deaths: Deaths = field(default_factory=Deaths)

    def __post_init__(self) -> None:
        cluster = Cluster()
        self.shelf, self.api = cluster.shelf, Api(self.deaths)
        self.shelf.deaths = self.deaths
        base = cluster.api.objects["ModernBase", "team", "base"]
        self.raw = self.api.put({**base, "spec": {**base["spec"], "mining": self.rules}})
        self.events: list[tuple[str, str, bool]] = []
        self.start()

    def start(self) -> None:
        running, api = Running(Caps()), self.api
        untyped: Any = api
        base_acts = BaseActs(untyped, self.shelf, SETTINGS, running, lambda: NOW, Running(Caps()))
        self.acts = MiningActs(untyped, self.shelf, SETTINGS, running, lambda: NOW)
        self.look = InTurn((BaseLook(base_acts, self), MiningLook(self.acts, self)))

    def event(self, about: Json, reason: str, message: str, *, warning: bool = False) -> None:
        self.events.append((reason, message, warning))

    def rule(self, rules: Json | None) -> None:
        """A person changes the rules."""
        self.raw["spec"] = {**self.raw["spec"], "mining": rules}
        self.raw["metadata"]["generation"] += 1
        self.api.touch(self.raw)

    def play(self, *results: MineResult) -> None:
        """Look, and let each Job end with the next result, until nothing is left to do."""
        for _ in range(20):
            try:
                self.look.look(KEY)
            except Died:
                self.start()
                continue
            job = next((one for one in self.jobs if not (one.get("status") or {}).get("conditions")), None)
            if job is None:
                return
            ended = sum(1 for one in self.jobs if one is not job and (one.get("status") or {}).get("conditions"))
            self.api.finish(job, results[ended])
        raise AssertionError("no end")

    @property
    def jobs(self) -> list[Json]:
        return self.api.all("Job")

    @property
    def base(self) -> ModernBase:
        return ModernBase.model_validate(self.api.get("ModernBase", "team", "base"))

    @property
    def mined(self) -> MiningStatus:
        told = self.base.status.mining
        assert told is not None
        return told

    @property
    def said(self) -> Condition:
        told = condition(self.base.status.conditions, ConditionType.MINED)
        assert told is not None
        return told

    @property
    def names(self) -> list[str]:
        return sorted(one["metadata"]["name"] for one in self.api.all("TaskCandidate"))
