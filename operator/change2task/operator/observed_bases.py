"""What a look at a base finds: frozen facts, gathered once, from which everything is decided."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from change2task.api.conditions import Conditions
from change2task.api.modernbase import ModernBase
from change2task.api.progress import BaseProgress
from change2task.cluster.engines import EngineKind
from change2task.operator import ways_out
from change2task.operator.observed import SeenWork
from change2task.operator.ways_out import WaysOut
from change2task.pipeline.keys import RETRY_ANNOTATION

BaseWork = Literal["fetch", "build", "step"]
_WAYS_OUT: Mapping[BaseWork, WaysOut] = {
    "fetch": ways_out.FETCH,
    "build": ways_out.BUILD,
    "step": ways_out.STEP,
}


class SeenModernBase(SeenWork):
    """Everything one look at a base found.

    ``progress`` is that of the present key, at its beginning where there is none yet. ``job`` is the Job of its next
    step. ``offered`` is the engine that builds drive here.
    """

    base: ModernBase
    progress: BaseProgress
    offered: EngineKind = "dind"

    @property
    def number(self) -> int:
        """See SeenWork."""
        return self.progress.step

    @property
    def what(self) -> str:
        """See SeenWork."""
        return {
            "fetch": "the fetch of the repository",
            "build": "the build of the environment",
            "step": f"step {self.progress.step + 1}, in which checks run",
        }[next_work(self.progress)]

    @property
    def ways_out(self) -> WaysOut:
        """See SeenWork."""
        return _WAYS_OUT[next_work(self.progress)]

    @property
    def conditions(self) -> Conditions:
        """See SeenWork."""
        return self.base.status.conditions


def next_work(progress: BaseProgress) -> BaseWork:
    """What the next step is."""
    if progress.history is None:
        return "fetch"
    return "build" if progress.ground is None or progress.builds else "step"


def retry_of(base: ModernBase) -> str:
    """The word by which a person asks for another try; empty where nobody does."""
    return base.metadata.annotations.get(RETRY_ANNOTATION, "")


def progress_of(base: ModernBase, key: str) -> BaseProgress:
    """How far the work under this key is; that under another is forgotten."""
    kept = base.status.progress
    return kept if kept is not None and kept.key == key else BaseProgress(key=key, retry=retry_of(base))
