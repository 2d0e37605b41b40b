"""What a look at work finds: frozen facts, gathered once, from which everything is decided.

A candidate on a cluster is driven in steps (``pipeline.stepwise``): a step is a Job whose trusted first container lays
what is needed next and whose trusted last one says what came of it. What a step is made of is the cluster room's.
"""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field

from change2task.api.conditions import Conditions
from change2task.api.model import Model
from change2task.api.reasons import Reason
from change2task.api.taskcandidate import TaskCandidate
from change2task.cluster.failures import Failure
from change2task.operator import ways_out
from change2task.operator.ways_out import WaysOut

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
    hangs: Failure | None = None
    """Why one that goes on will come to nothing, though its kubelet does not end it."""
    ending: Failure | None = None
    """Why we have ended one that is not over yet."""
    failure: Failure | None = None
    result: str | None = None
    says: str = ""
    """What it is at, where it says that while it runs."""


class SeenWork(Model):
    """What one look found of work that is done in Jobs, whatever the work is.

    ``attempts``: Jobs that the present step has used up, the one seen included. ``room``: whether the caps let another
    Job begin. ``foreign``: an object that is not ours and has a name that we need.
    """

    job: SeenJob | None = None
    attempts: int = Field(default=0, ge=0)
    room: bool = True
    foreign: str | None = None

    @property
    def number(self) -> int:
        """How many steps' results are kept."""
        raise NotImplementedError

    @property
    def what(self) -> str:
        """The present step in words."""
        raise NotImplementedError

    @property
    def ways_out(self) -> WaysOut:
        """What can be done about its failures."""
        raise NotImplementedError

    @property
    def conditions(self) -> Conditions:
        """What status says by now."""
        raise NotImplementedError


class SeenCandidate(SeenWork):
    """Everything one look at a candidate found.

    ``step``: how many steps' results are kept; ``outcome``: digest of the last one's. ``verdict_key``: the key that a
    verdict on this base would have. ``lost``: the outcome whose variant is not there any more.
    """

    candidate: TaskCandidate
    base: SeenBase
    verdict_key: str | None = None
    step: int = Field(default=0, ge=0)
    outcome: str | None = None
    lost: str | None = None
    allow_unisolated: bool = False

    @property
    def number(self) -> int:
        """See SeenWork."""
        return self.step

    @property
    def what(self) -> str:
        """See SeenWork."""
        return f"step {self.step + 1}"

    @property
    def ways_out(self) -> WaysOut:
        """See SeenWork."""
        return ways_out.STEP

    @property
    def conditions(self) -> Conditions:
        """See SeenWork."""
        return self.candidate.status.conditions
