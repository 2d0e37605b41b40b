"""One look at a base's mining: what is gathered, and what its status then says. It comes after the look at the base.

What is decided is ``mining_work``'s, how it is carried out ``mining_acts``'. Only ``status.mining`` and the condition
Mined are its own; a base is ready whatever they say.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar, Literal, Protocol

from change2task.api.conditions import ConditionType
from change2task.api.minedstatus import MiningStatus
from change2task.api.modernbase import ModernBase, ModernBaseStatus
from change2task.api.progress import Progress
from change2task.api.reasons import Reason
from change2task.cluster.kube import Json
from change2task.operator import jobs, statuses
from change2task.operator.actions import Decision, Keep, Tell
from change2task.operator.look import Look
from change2task.operator.mining_acts import MiningActs
from change2task.operator.mining_work import SeenMining, decide, key_of
from change2task.operator.schedule import Key
from change2task.operator.world import MiningWorld
from change2task.pipeline import status


@dataclass(frozen=True)
class MiningLook(Look[ModernBase, MiningWorld, MiningActs]):
    """Looks at what is mined of bases."""

    kind: ClassVar[type[ModernBase]] = ModernBase

    def _gone(self, key: Key) -> None:
        """Its Job is the base's and goes with it; its candidates stay."""

    def _decide(self, world: MiningWorld, now: datetime) -> Decision:
        return decide(world.seen, now)

    def _retention(self, world: MiningWorld) -> int:
        return world.base.spec.retention.finished_jobs_seconds

    def _gather(self, resource: ModernBase, raw: Json) -> MiningWorld:
        kept, key, uid = resource.status.mining or MiningStatus(), key_of(resource), raw["metadata"]["uid"]
        seen = SeenMining(key=key, done=kept.key, told=resource.status.conditions)
        made = dict.fromkeys(kept.made)
        world = MiningWorld(base=resource, uid=uid, seen=seen, progress=None, made=made)
        asked = key not in {"", kept.key}
        if not asked and kept.progress is None:
            return world
        found = jobs.owned(self.acts.kube, "ModernBase", [resource.metadata.namespace or ""], uid)
        progress = kept.progress if kept.progress is not None and kept.progress.key == key else Progress(key=key)
        # What runs for rules that hold no more is ended here too.
        job = self._see_job(world, found, key, progress.step)
        if asked:
            attempts = max(progress.attempts, 0 if job is None else job.attempt)
            world.progress = progress.replacing(attempts=attempts)
            world.seen = seen.replacing(job=job, attempts=attempts, step=progress.step, outcome=progress.outcome)
        return world

    def _status(self, world: MiningWorld, decision: Decision, now: datetime) -> ModernBaseStatus:
        was, generation = world.base.status, world.base.metadata.generation
        if world.ended is not None:
            conditions = status.put(
                was.conditions, ConditionType.MINED, "True", Reason.MINED, generation, now, world.message
            )
            return was.replacing(conditions=conditions, mining=world.ended)
        if isinstance(decision.action, Keep) and decision.reason is Reason.COMPLETE:
            return _left_alone(world, generation, now)
        kept = was.mining or MiningStatus()
        state: Literal["False", "Unknown"] = "False" if _stalled(decision) else "Unknown"
        conditions = status.put(
            was.conditions, ConditionType.MINED, state, decision.reason, generation, now, decision.message
        )
        mining = kept.replacing(made=tuple(world.made), progress=world.progress)
        return was.replacing(conditions=conditions, mining=mining)

    def _said(self, told: ModernBaseStatus, decision: Decision) -> statuses.Said | None:
        if not _stalled(decision):
            return None
        return statuses.Said(decision.reason, f"mining: {decision.message}", warning=True)


class OneLook(Protocol):
    """A look at resources of one kind."""

    def look(self, key: Key) -> float | None:
        """Look once; gives the seconds after which to look again unasked."""
        ...


@dataclass(frozen=True)
class InTurn:
    """Looks at the same resource one after another: what the second sees, the first has written."""

    looks: tuple[OneLook, ...]

    def look(self, key: Key) -> float | None:
        """Look with each; again when the first of them would. Raises KubeFault, RegistryFault."""
        again = [seconds for one in self.looks if (seconds := one.look(key)) is not None]
        return min(again, default=None)


def _stalled(decision: Decision) -> bool:
    return isinstance(decision.action, Tell) and decision.action.stalled


def _left_alone(world: MiningWorld, generation: int, now: datetime) -> ModernBaseStatus:
    """Nothing is asked for: what was under way is not, and what was mined stays to be read."""
    was = world.base.status
    if was.mining is None or not status.is_ready(world.base):
        return was
    mining = was.mining.replacing(progress=None)
    if world.seen.key == "":
        conditions = status.put(
            was.conditions, ConditionType.MINED, "False", Reason.SUSPENDED, generation, now, "spec.mining is absent"
        )
    elif was.mining.progress is not None:
        # Rules were changed and taken back while they were mined for.
        message = f"{len(mining.made)} candidates mined"
        conditions = status.put(was.conditions, ConditionType.MINED, "True", Reason.MINED, generation, now, message)
    else:
        conditions = was.conditions
    return was.replacing(conditions=conditions, mining=mining)
