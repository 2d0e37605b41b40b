"""One look at a task: its status follows from its spec alone, so that a crash between making and telling is mended.

A TaskVariant is immutable and nobody's: it outlives the candidate and the base that it came from.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from change2task.api.taskvariant import TaskVariant
from change2task.cluster.kube import Kube
from change2task.operator.common import refuse, write_status
from change2task.operator.reading import SpecInvalid, read
from change2task.operator.schedule import Key
from change2task.operator.world import Recorder
from change2task.pipeline.publish import counts_of
from change2task.pipeline.status import published_variant


@dataclass(frozen=True)
class VariantLook:
    """Looks at tasks; blocking."""

    kube: Kube
    clock: Callable[[], datetime]
    recorder: Recorder

    def look(self, key: Key) -> float | None:
        """Look once. Raises KubeFault."""
        raw = self.kube.get("TaskVariant", key.namespace, key.name)
        if raw is None or raw["metadata"].get("deletionTimestamp"):
            return None
        try:
            variant = read(TaskVariant, raw)
        except SpecInvalid as fault:
            refuse(self.kube, self.recorder, raw, str(fault), self.clock())
            return None
        if variant.status.conditions and variant.status.observed_generation == variant.metadata.generation:
            return None
        told = published_variant(variant, counts_of(variant), self.clock())
        write_status(self.kube, raw, told.status)
        return None
