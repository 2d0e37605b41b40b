"""A run's outcome as rows for people and programs; the same facts in a table, JSON and YAML."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from change2task.api.conditions import ConditionType, condition
from change2task.api.modernbase import ModernBase
from change2task.api.taskcandidate import TaskCandidate


def candidate_row(candidate: TaskCandidate) -> dict[str, Any]:
    """One candidate with its verdict, or with ``accepted: null`` while it has none."""
    status = candidate.status
    fidelity = None
    if status.fidelity is not None:
        f = status.fidelity
        fidelity = {
            "files": f.files,
            "hunks": f.hunks,
            "lines": f.lines,
            "symbols": f.symbols,
            "targetChecks": f.target_checks,
            "regressionChecks": f.regression_checks,
            "score": f.score,
        }
    ready = condition(status.conditions, ConditionType.READY)
    return {
        "name": candidate.metadata.name,
        "base": candidate.spec.base_ref.name,
        "change": candidate.spec.change.label(),
        "family": (status.family or candidate.spec.family).value,
        "accepted": status.accepted,
        "level": status.level,
        "strategy": status.strategy,
        "reason": status.reason.value if status.reason else (ready.reason.value if ready else None),
        "message": status.message or (ready.message if ready else ""),
        "fidelity": fidelity,
        "checks": None
        if status.checks is None
        else {
            "target": status.checks.target,
            "regression": status.checks.regression,
        },
        "seconds": status.seconds,
        "attempts": [attempt.document() for attempt in status.attempts],
    }


def base_row(base: ModernBase) -> dict[str, Any]:
    """One base: its revision, environment and health."""
    status = base.status
    ready = condition(status.conditions, ConditionType.READY)
    return {
        "name": base.metadata.name,
        "ready": ready is not None and ready.status == "True",
        "reason": ready.reason.value if ready else None,
        "message": ready.message if ready else "",
        "commit": status.commit,
        "key": status.base_key,
        "dated": status.environment.dated if status.environment else None,
        "checks": None
        if status.inventory is None
        else {
            "healthy": status.inventory.healthy,
            "failing": status.inventory.failing,
            "unstable": status.inventory.unstable,
            "notRun": status.inventory.not_run,
        },
        "seconds": status.seconds,
    }


def document(bases: Iterable[ModernBase], candidates: Iterable[TaskCandidate]) -> dict[str, Any]:
    """The one document ``-o json`` prints."""
    rows = [candidate_row(candidate) for candidate in candidates]
    return {
        "bases": [base_row(base) for base in bases],
        "candidates": rows,
        "accepted": sum(row["accepted"] is True for row in rows),
        "rejected": sum(row["accepted"] is False for row in rows),
        "undecided": sum(row["accepted"] is None for row in rows),
    }
