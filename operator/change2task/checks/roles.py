"""The role of a check that fails on the task state: did the candidate break it, or does it observe the change?

Age is a case's, not its function's: cases added since are younger than their function. A later version of an
old test may itself demand the change; then its own version at the change's parent still passes on the task
state (design, "Checks, hidden and visible"). Running that earlier version is left to ``validate``.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from change2task.api.model import Model


class Role(StrEnum):
    """What a check is for."""

    TARGET = "target"
    REGRESSION = "regression"
    OBSERVER = "observer"


class FailedCheck(Model):
    """What is known of a healthy check that is no target and fails on the task state."""

    id: str
    at_parent: Literal["absent", "passed", "failed", "same", "case", "own"]
    """Its version at the change's parent, run on the task state: ``absent`` when that version had no such test,
    ``same`` when its file has not changed since, so that there is no other version to run, ``case`` when the function
    stands and other cases of it are there: this case comes and goes with the source, ``own`` when it is a test of the
    change itself that a class inherits."""
    names_change: bool
    """Whether its code names a symbol that the change added or altered."""


class RoleVerdict(Model):
    """The role and why."""

    id: str
    role: Role
    why: str


def role_of_failed(check: FailedCheck) -> RoleVerdict:
    """A check that fails on the task state is a broken regression check, unless it observes the change."""
    if check.at_parent == "passed":
        return RoleVerdict(
            id=check.id, role=Role.OBSERVER, why="adapted since: its version at the change's parent passes"
        )
    if check.at_parent == "own":
        return RoleVerdict(id=check.id, role=Role.OBSERVER, why="a test of the change itself, inherited")
    if check.at_parent == "case":
        return RoleVerdict(id=check.id, role=Role.OBSERVER, why="a case that exists only with the change")
    if check.at_parent == "absent" and check.names_change:
        return RoleVerdict(id=check.id, role=Role.OBSERVER, why="younger than the change and names what it changed")
    why = {
        "absent": "younger than the change, and names nothing that it changed",
        "failed": "its version at the change's parent fails too",
        "same": "older than the change and unaltered since",
    }[check.at_parent]
    return RoleVerdict(id=check.id, role=Role.REGRESSION, why=why)
