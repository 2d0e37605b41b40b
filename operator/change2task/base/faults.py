"""How a base comes to nothing: a fault of the repository is its outcome, a fault of the machine is never one.

It exists so that every step of this room ends in one of these, and the caller need not know the steps.
"""

from __future__ import annotations

from change2task.api.conditions import ConditionType
from change2task.api.model import Model
from change2task.api.reasons import Reason
from change2task.checks.passes import InfrastructureFault


class BaseFault(Model):
    """Why a revision, or the whole base, cannot serve: the reason, a sentence for people, the condition it denies."""

    reason: Reason
    message: str
    condition: ConditionType


class Faulted(Exception):
    """Raised within the room where a step finds a fault of the repository."""

    def __init__(self, reason: Reason, message: str, condition: ConditionType) -> None:
        super().__init__(message)
        self.fault = BaseFault(reason=reason, message=message, condition=condition)


class ToolchainMissing(InfrastructureFault):
    """This machine has no interpreter or tool that fits; another machine may. Never a verdict."""

    reason = Reason.TOOLCHAIN_MISSING


class IndexRefused(InfrastructureFault):
    """The package index does not let us in: somebody must mend its credentials. Never a verdict."""


def built_fault(reason: Reason, message: str) -> Faulted:
    """A fault of building the environment."""
    return Faulted(reason, message, ConditionType.BUILT)


def health_fault(reason: Reason, message: str) -> Faulted:
    """A fault of the checks on the base."""
    return Faulted(reason, message, ConditionType.HEALTHY)
