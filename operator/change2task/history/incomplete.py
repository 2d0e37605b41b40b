"""Damage of a repository met while reading a change, as the verdict it is: the history is incomplete.

A missing, broken or unreadably large object is a property of the repository and stays one however often it is
tried, unlike a failing git or disk, which passes through as the fault it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from change2task.api.reasons import Reason
from change2task.history.models import ChangeUnusable
from change2task.vcs.errors import InvalidTree, MissingObject, ObjectTooLarge


@contextmanager
def damage_is_a_verdict(name: str) -> Iterator[None]:
    """Turn what the repository lacks into ChangeUnusable (HistoryIncomplete); ``name`` is the change in messages."""
    try:
        yield
    except MissingObject as error:
        raise ChangeUnusable(
            Reason.HISTORY_INCOMPLETE,
            f"{name}: object {error.oid} is missing from the repository or broken; fetch its whole history"
            " (spec.history.depth cuts it, a partial clone leaves objects out)",
        ) from error
    except (InvalidTree, ObjectTooLarge) as error:
        raise ChangeUnusable(
            Reason.HISTORY_INCOMPLETE, f"{name}: the repository cannot be read here: {error}"
        ) from error
