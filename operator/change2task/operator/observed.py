"""What a look at a candidate finds: frozen facts, gathered once, from which everything is decided.

A candidate on a cluster is driven in steps (``pipeline.stepwise``): a step is a Job whose trusted first container lays
what is needed next and whose trusted last one says what came of it. What a step is made of is the cluster room's.
"""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field

from change2task.api.model import Model
from change2task.api.reasons import Reason
from change2task.api.taskcandidate import TaskCandidate
from change2task.cluster.failures import Failure

BasePhase = Literal["missing", "working", "stalled", "failed", "ready"]
JobPhase = Literal["pending", "running", "succeeded", "failed"]


class SeenBase(Model):
    """The candidate's base: how far it is, its key once it is ready, and its own words."""

    name: str
    phase: BasePhase
    key: str | None = None
    reason: Reason = Reason.PENDING
    message: str = ""
    isolated: bool = True


class SeenJob(Model):
    """The Job of a step. ``ours`` is false for a foreign object of its name; ``result`` is the digest of its result."""

    name: str
    attempt: int = Field(ge=1)
    ours: bool = True
    phase: JobPhase = "pending"
    since: datetime
    """When it came to this phase."""
    waits_for: Failure | None = None
    """Why a pending Job does not start, where the cluster says so."""
    failure: Failure | None = None
    result: str | None = None


class SeenCandidate(Model):
    """Everything one look found. ``step``: how many steps' results are kept; ``outcome``: digest of the last one's.

    ``attempts``: Jobs that the present step has used up, the one seen included. ``room``: whether the caps let another
    Job begin. ``verdict_key``: the key that a verdict on this base would have.
    """

    candidate: TaskCandidate
    base: SeenBase
    verdict_key: str | None = None
    step: int = Field(default=0, ge=0)
    outcome: str | None = None
    job: SeenJob | None = None
    attempts: int = Field(default=0, ge=0)
    room: bool = True
    allow_unisolated: bool = False
