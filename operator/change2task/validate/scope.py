"""Scope gate: a task patch may touch permitted source only (paper, "Lifecycle and Scope Validation").

It keeps protected checks and metadata from manufacturing validity. Which files are source is decided by
``history.roles``; this gate only compares.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from change2task.api.reasons import Reason
from change2task.validate.verdict import Verdict, passed, refused

GATE = "scope"


def judge(touched: Collection[str], permitted: Collection[str], roles: Mapping[str, str]) -> Verdict:
    """Refuse when any of the ``touched`` quoted paths is outside ``permitted``; ``roles`` explains each."""
    if not touched:
        return refused(GATE, Reason.SCOPE_COLLAPSE, "the task patch changes nothing")
    outside = sorted(set(touched) - set(permitted))
    if outside:
        named = ", ".join(f"{path} ({roles.get(path, 'unknown')})" for path in outside[:5])
        more = f" and {len(outside) - 5} more" if len(outside) > 5 else ""
        return refused(
            GATE,
            Reason.SCOPE_VIOLATION,
            f"the task patch touches {named}{more}; only source of the change is permitted",
            outside=outside,
        )
    return passed(GATE, Reason.VALIDATED, f"{len(set(touched))} permitted files", touched=sorted(set(touched)))
