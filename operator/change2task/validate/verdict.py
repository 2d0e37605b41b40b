"""The form of every gate's answer, so that the ladder can stop at the first refusal and explain it."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from change2task.api.model import Model
from change2task.api.reasons import Reason


class Verdict(Model):
    """One gate's answer: passed, or refused with a reason; the evidence either way."""

    gate: str
    passed: bool
    reason: Reason
    message: str = ""
    evidence: dict[str, Any] = Field(default_factory=dict)


def refused(gate: str, reason: Reason, message: str, **evidence: Any) -> Verdict:
    """A refusal by ``gate``."""
    return Verdict(gate=gate, passed=False, reason=reason, message=message, evidence=evidence)


def passed(gate: str, reason: Reason, message: str = "", **evidence: Any) -> Verdict:
    """A pass by ``gate``."""
    return Verdict(gate=gate, passed=True, reason=reason, message=message, evidence=evidence)
