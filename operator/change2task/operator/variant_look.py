"""One look at a task: its status follows from its spec alone, so that a crash between making and telling is mended.

A TaskVariant is immutable and nobody's: it outlives the candidate and the base that it came from. A replay that is
asked for is ``replay_look``'s.
"""

from __future__ import annotations

from dataclasses import dataclass

from change2task.api.taskvariant import TaskVariant
from change2task.cluster.kube import Json
from change2task.operator.common import plain, write_status
from change2task.operator.replay_look import ReplayLook, is_asked
from change2task.operator.schedule import Key
from change2task.pipeline.publish import counts_of
from change2task.pipeline.status import published_variant


@dataclass(frozen=True)
class VariantLook:
    """Looks at tasks; blocking."""

    replays: ReplayLook

    def look(self, key: Key) -> float | None:
        """Look once; gives the seconds after which to look again unasked. Raises KubeFault, RegistryFault."""
        kube = self.replays.kube
        raw = kube.get("TaskVariant", key.namespace, key.name)
        if raw is None or raw["metadata"].get("deletionTimestamp"):
            self.replays.running.forget(key)
            return None
        variant = TaskVariant.model_validate(plain(raw))
        told = variant.status
        again: float | None = None
        captured: list[Json] = []
        if not told.conditions or told.observed_generation != variant.metadata.generation:
            told = published_variant(variant, counts_of(variant), self.replays.clock()).status.replacing(
                progress=told.progress, replayed=told.replayed
            )
        if is_asked(variant):
            told, again, captured = self.replays.look(raw, variant.replacing(status=told), key)
        if told != variant.status:
            write_status(kube, variant, told)
        self.replays.let_go(captured)
        return again
