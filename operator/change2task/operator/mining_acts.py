"""What the decisions about a base's mining do: its Job is created, its answer kept, and candidates made of it.

What is the same for all work is ``acts``', when to do what ``mining_work``'s, which candidates ``mining``'s.
"""

from __future__ import annotations

from dataclasses import dataclass

import structlog
from pydantic import ValidationError

from change2task.api.metadata import ObjectMeta
from change2task.api.minedstatus import MiningStatus
from change2task.api.mining import MINED_BY, OPERATOR, candidate_name, ending_of
from change2task.api.modernbase import ModernBase, ModernBaseStatus
from change2task.api.reasons import Reason
from change2task.api.taskcandidate import TaskCandidate
from change2task.cluster.failures import Failure
from change2task.cluster.kube import Conflict, Json, KubeFault
from change2task.cluster.layers import layer_of
from change2task.cluster.mine_job import MineJob
from change2task.cluster.parts import Subject
from change2task.operator import common, jobs
from change2task.operator.actions import StartStep
from change2task.operator.acts import Acts
from change2task.operator.mining import MiningDecision, decide_mining, is_mined, stages_of
from change2task.operator.parcels import BaseDoubted, parcel_of
from change2task.operator.reading import SpecInvalid, read
from change2task.operator.running import Running
from change2task.operator.schedule import Key
from change2task.operator.world import MiningWorld
from change2task.pipeline.wire import MineInput, MineResult

log = structlog.get_logger(__name__)

MINED_TYPE = "application/vnd.change2task.mined.v1+json"


@dataclass(frozen=True)
class MiningActs(Acts[MiningWorld]):
    """Carries decisions out; blocking."""

    def _counted(self, world: MiningWorld) -> tuple[Running, str]:
        return self.running, world.uid

    def _start(self, world: MiningWorld, action: StartStep, key: Key) -> bool:
        try:
            return super()._start(world, action, key)
        except BaseDoubted as doubt:
            world.seen = world.seen.replacing(refused=Failure(reason=Reason.INFRASTRUCTURE, message=str(doubt)))
            return True

    def _manifest(self, world: MiningWorld, action: StartStep) -> Json:
        base, rules = world.base, world.base.spec.mining
        assert rules is not None
        parcel = parcel_of(self.registry, base)
        asked = MineInput(base=_plain(base), commit=parcel.commit, rules=rules)
        layer = layer_of({"/c2t/ask/input.json": asked.canonical()})
        return MineJob(
            subject=Subject(
                kind="ModernBase", name=base.metadata.name, namespace=base.metadata.namespace or "", uid=world.uid
            ),
            key=world.seen.key,
            attempt=action.attempt,
            image=self.registry.append(parcel.ground, layer, repository="asked"),
            template=base.spec.pod_template,
        ).manifest()

    def _begun(self, world: MiningWorld, attempt: int) -> None:
        world.goes_on(attempts=attempt)

    def _keep(self, world: MiningWorld, job: Json, digest: str) -> None:
        _, content = jobs.result_of(self.kube, job, digest, MineResult)
        kept = self.registry.push_document("mined", content, MINED_TYPE)
        world.goes_on(outcome=kept, step=1, attempts=0)
        world.seen = world.seen.replacing(outcome=kept, step=1)

    def _conclude(self, world: MiningWorld, outcome: str) -> bool:
        """Make the candidates; what the API server refuses is told, and asked for again later."""
        result = MineResult.model_validate_json(self.registry.read_document(outcome))
        decision, taken = self._decision(world, result), 0
        for candidate in decision.create:
            try:
                ours = self._made(candidate)
            except KubeFault as fault:
                if fault.status not in common.REFUSED:
                    raise
                world.seen = world.seen.replacing(
                    refused=Failure(reason=Reason.ADMISSION_REFUSED, message=f"{candidate.metadata.name}: {fault}")
                )
                return True
            if ours:
                world.made[ending_of(candidate.metadata.name)] = None
            else:
                taken += 1
        world.ended = MiningStatus(
            key=world.seen.key,
            commits=result.funnel.commits,
            within=result.funnel.within,
            stages=stages_of(result.funnel, decision, taken),
            made=tuple(world.made),
        )
        world.message = decision.message
        world.seen = world.seen.replacing(done=world.seen.key)
        log.info("mined", base=world.base.metadata.name, made=len(decision.create) - taken, taken=taken)
        return True

    def _decision(self, world: MiningWorld, result: MineResult) -> MiningDecision:
        base = world.base
        there: list[TaskCandidate] = []
        unreadable: list[str] = []
        for raw in self.kube.list("TaskCandidate", base.metadata.namespace or ""):
            try:
                there.append(read(TaskCandidate, {**raw, "kind": "TaskCandidate"}))
            except SpecInvalid:
                unreadable.append(raw["metadata"]["name"])
        before = [candidate_name(base.metadata.name, None, ending) for ending in world.made]
        decision = decide_mining(base, result.candidates, there, before, unreadable)
        # Those of an earlier look whose status was not written are known by their labels.
        found = {one.metadata.name for one in there if is_mined(one, base)}
        for one in result.candidates:
            if one.metadata.name in found:
                world.made.setdefault(ending_of(one.metadata.name))
        return decision

    def _made(self, candidate: TaskCandidate) -> bool:
        """Make a candidate, or find that this very one is there; False where its name is somebody else's."""
        document, meta = candidate.document(), candidate.metadata
        document.pop("status", None)
        try:
            self.kube.create(document)
        except Conflict:
            there = self.kube.get("TaskCandidate", meta.namespace or "", meta.name)
            if there is None:
                raise
            return _is(there, candidate)
        return True


def _is(there: Json, candidate: TaskCandidate) -> bool:
    """Whether an object of the API is this very candidate, made by an operator."""
    if (there["metadata"].get("labels") or {}).get(MINED_BY) != OPERATOR:
        return False
    try:
        return TaskCandidate.model_validate({**there, "status": {}}).spec == candidate.spec
    except ValidationError:
        return False


def _plain(base: ModernBase) -> ModernBase:
    """What decides the answer, and nothing that differs between clusters: the same input gives the same image."""
    spec = base.spec.replacing(mining=None)
    return base.replacing(metadata=ObjectMeta(name=base.metadata.name), spec=spec, status=ModernBaseStatus())
