"""A funnel as a file: written by ``mine``, taken further by every ``run`` of what was mined."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pydantic import ValidationError

from change2task.api.mining import MINED_FROM
from change2task.api.reasons import RejectionClass
from change2task.api.taskcandidate import TaskCandidate
from change2task.cli.failures import InputError
from change2task.history.mining.funnel import Funnel, FunnelDoesNotAddUp, with_verdicts


def read_funnel(path: Path) -> Funnel:
    """The funnel of a file; raises InputError."""
    try:
        return Funnel.model_validate_json(path.read_bytes())
    except OSError as error:
        raise InputError(f"--funnel {path}: cannot be read: {error.strerror}") from error
    except ValidationError as error:
        raise InputError(
            f"--funnel {path}: no funnel as mine --funnel writes it ({error.error_count()} faults)"
        ) from error


def write_funnel(funnel: Funnel, path: Path) -> None:
    """Write a funnel, in place of an earlier one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(funnel.model_dump_json(indent=1) + "\n", encoding="utf-8")


def completed(funnel: Funnel, candidates: Sequence[TaskCandidate], path: Path) -> Funnel:
    """The funnel with the verdicts of the mined ones among these candidates; raises InputError for those of another."""
    mined = [_verdict(one) for one in candidates if MINED_FROM in one.metadata.labels]
    try:
        return with_verdicts(funnel, mined)
    except FunnelDoesNotAddUp as error:
        raise InputError(f"--funnel {path}: it is of other candidates than these: {error}") from error


def _verdict(candidate: TaskCandidate) -> tuple[RejectionClass, str] | bool | None:
    told = candidate.status
    if told.accepted is None or told.accepted:
        return told.accepted
    if told.rejection is None or told.reason is None:
        return None
    return told.rejection, told.reason.value
