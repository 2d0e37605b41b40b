"""A cluster in memory with one base, and an operator over it that can be killed and begun anew."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from change2task.api.conditions import ConditionType
from change2task.api.metadata import ObjectMeta
from change2task.api.modernbase import ModernBase, ModernBaseSpec, ModernBaseStatus, Repository
from change2task.api.reasons import Reason
from change2task.base.faults import BaseFault
from change2task.cluster.kube import Json
from change2task.operator.base_acts import BaseActs
from change2task.operator.base_look import BaseLook
from change2task.operator.running import Running
from change2task.operator.schedule import Key
from change2task.operator.settings import Caps, Images, OperatorSettings, RegistrySettings
from change2task.pipeline import status
from change2task.pipeline.wire import BaseOutcome, BuildResult, BuiltImage, FetchResult, StepResult
from tests.operator.candidate_cluster import PARCEL
from tests.support.kube import Api, Deaths, Died, Shelf

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
KEY = Key("ModernBase", "team", "base")
BUILDS = "change2task-builds"
HISTORY = "registry.example.com/c2t/histories@sha256:1"
SETTINGS = OperatorSettings(
    registry=RegistrySettings(prefix="registry.example.com/c2t"), images=Images(runner="r", builder="b")
)


@dataclass
class BaseCluster:
    """A cluster in memory with one base, and an operator that can be started anew."""

    deaths: Deaths = field(default_factory=Deaths)
    at: datetime = NOW

    def __post_init__(self) -> None:
        self.api, self.shelf = Api(self.deaths), Shelf(self.deaths)
        self.events: list[tuple[str, str, bool]] = []
        spec = ModernBaseSpec(repository=Repository(url=PARCEL.url))
        self.api.put(ModernBase(metadata=ObjectMeta(name="base", namespace="team"), spec=spec).document())
        self.start()

    def start(self) -> None:
        """A new operator: nothing of the one before is remembered."""
        self.running, self.builds = Running(Caps()), Running(Caps(per_base=1, per_namespace=1, cluster=1))
        api: Any = self.api
        self.look = BaseLook(BaseActs(api, self.shelf, SETTINGS, self.running, lambda: self.at, self.builds), self)

    def event(self, about: Json, reason: str, message: str, *, warning: bool = False) -> None:
        self.events.append((reason, message, warning))

    def see(self) -> float | None:
        return self.look.look(KEY)

    @property
    def base(self) -> ModernBase:
        return ModernBase.model_validate(self.api.get("ModernBase", "team", "base"))

    @property
    def jobs(self) -> list[Json]:
        return self.api.all("Job")

    def reason(self) -> Reason:
        return status.reason_of(self.base)

    def ready(self) -> BaseOutcome:
        """What a base's last judge says."""
        told = ModernBaseStatus(
            conditions=status.ready_base_conditions((), 1, NOW, dated=True, dated_detail=""), base_key="k" * 64
        )
        return BaseOutcome(base=self.base.replacing(status=told), parcel=PARCEL)

    def failed(self) -> BaseOutcome:
        """What any Job says that finds that a base cannot serve."""
        fault = BaseFault(reason=Reason.EMPTY_REPOSITORY, message="no commit", condition=ConditionType.RESOLVED)
        told = ModernBaseStatus(conditions=status.failed_base_conditions((), fault, 1, NOW))
        return BaseOutcome(base=self.base.replacing(status=told))


def unfinished(cluster: BaseCluster) -> Json | None:
    return next((job for job in cluster.jobs if not (job.get("status") or {}).get("conditions")), None)


def built(number: int) -> BuildResult:
    images = tuple(BuiltImage(key=f"e{n}", image=f"registry.example.com/c2t/bases@sha256:{n}") for n in range(number))
    return BuildResult(built=images, ground=f"registry.example.com/c2t/grounds@sha256:{number}")


def play(cluster: BaseCluster, *results: StepResult | FetchResult | BuildResult) -> None:
    """Look, and let each Job end with the next result, until the base is at its end."""
    for _ in range(80):
        try:
            cluster.see()
        except Died:
            cluster.start()
            continue
        if cluster.reason() in {Reason.COMPLETE, Reason.EMPTY_REPOSITORY}:
            return
        if (job := unfinished(cluster)) is not None:
            cluster.api.finish(job, results[int(job["metadata"]["labels"]["change2task.dev/step"])])
    raise AssertionError("no end")


def usual(cluster: BaseCluster) -> tuple[StepResult | FetchResult | BuildResult, ...]:
    return (FetchResult(history=HISTORY), built(1), StepResult(needs=2), StepResult(base=cluster.ready()))
