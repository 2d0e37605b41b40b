"""What a look at a base finds: frozen facts, gathered once, from which everything is decided."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from change2task.api.model import Model
from change2task.api.modernbase import ModernBase
from change2task.api.progress import BaseProgress
from change2task.operator.observed import SeenJob

BaseWork = Literal["fetch", "build", "step"]


class SeenModernBase(Model):
    """Everything one look found.

    ``progress`` is that of the present key, at its beginning where there is none yet. ``job`` is the Job of its next
    step, ``attempts`` how many it has used up, that one included. ``room``: whether the caps let another Job begin.
    """

    base: ModernBase
    progress: BaseProgress
    job: SeenJob | None = None
    attempts: int = Field(default=0, ge=0)
    room: bool = True


def next_work(progress: BaseProgress) -> BaseWork:
    """What the next step is."""
    if progress.history is None:
        return "fetch"
    return "build" if progress.ground is None or progress.builds else "step"


def progress_of(base: ModernBase, key: str) -> BaseProgress:
    """How far the work under this key is; that under another is forgotten."""
    kept = base.status.progress
    return kept if kept is not None and kept.key == key else BaseProgress(key=key)
