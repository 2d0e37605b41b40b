"""What can be done after a look, as values: one action, what status says meanwhile, and when to look again.

Pure, and common to all kinds of work. Which action is taken when is said by policies, how it is carried out by acts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Literal, TypeVar

from change2task.api.model import Model
from change2task.api.reasons import Reason
from change2task.cluster.failures import Failure

Seen = TypeVar("Seen")


class StartStep(Model):
    """Create the Job of a step; one that is there already is success after its owner and hash are checked."""

    do: Literal["startStep"] = "startStep"
    step: int
    attempt: int


class Capture(Model):
    """Keep a finished step's result where the next step finds it; only then may its Job go."""

    do: Literal["capture"] = "capture"
    job: str
    result: str


class EndJob(Model):
    """End a Job that will come to nothing; it then counts as failed for this reason."""

    do: Literal["endJob"] = "endJob"
    failure: Failure


class Conclude(Model):
    """Read the last step's outcome: publish its variant if there is one, and write the verdict to status."""

    do: Literal["conclude"] = "conclude"
    outcome: str


class Publish(Model):
    """Make the variant of an outcome anew, whose verdict status tells already."""

    do: Literal["publish"] = "publish"
    outcome: str


class Reject(Model):
    """Write a verdict that needed no step."""

    do: Literal["reject"] = "reject"
    reason: Reason
    message: str


class Tell(Model):
    """Only status says something: ``ready`` what is waited for, or ``stalled`` what a person must do."""

    do: Literal["tell"] = "tell"
    stalled: bool = False
    reason: Reason
    message: str


class Keep(Model):
    """All is as it should be."""

    do: Literal["keep"] = "keep"


Action = StartStep | Capture | EndJob | Conclude | Publish | Reject | Tell | Keep


class Decision(Model):
    """One action, what status says meanwhile, and the seconds after which to look again unasked."""

    action: Action
    reason: Reason = Reason.IN_PROGRESS
    message: str = ""
    again: float | None = None


def decided(action: Action, message: str, again: float | None = None) -> Decision:
    """An action with its words; the reason is the one that it tells, if it tells one."""
    reason = action.reason if isinstance(action, Tell) else Reason.IN_PROGRESS
    return Decision(action=action, reason=reason, message=message, again=again)


def tells(reason: Reason, message: str, again: float | None = None) -> Decision:
    """What is waited for."""
    return decided(Tell(reason=reason, message=message), message, again)


def first(policies: Iterable[Callable[[Seen, datetime], Decision | None]], seen: Seen, now: datetime) -> Decision:
    """The decision of the first policy that has one."""
    for policy in policies:
        decision = policy(seen, now)
        if decision is not None:
            return decision
    raise ValueError(f"no policy has an answer to {seen!r}"[:1000])
