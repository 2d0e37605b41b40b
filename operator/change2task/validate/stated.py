"""What a user states is held against the healthy base before anything is constructed for it.

A check that does not pass there can never pass, fail, pass; saying so at once names the check instead of blaming
every proposal. Pure: the runs are made by ``rounds``.
"""

from __future__ import annotations

from collections.abc import Sequence

from change2task.api.reasons import Reason
from change2task.api.taskcandidate import CheckSpec
from change2task.families.migration import DERIVED
from change2task.validate.lifecycle import REASONS, Observation, name_some, split
from change2task.validate.verdict import Verdict, passed, refused

GATE = "stated"
_AGAIN = "it must pass there on every repeat"


def judge(beside: Sequence[CheckSpec], observations: Sequence[Observation]) -> Verdict:
    """Whether each check that is no test passes on the healthy base; ``observations`` are its repeats."""
    faulty = next((o for o in observations if o.fault is not None), None)
    if faulty is not None and faulty.fault is not None:
        return refused(GATE, REASONS[faulty.fault], f"healthy base: {faulty.detail}")
    found = split((check.id for check in beside), observations)
    if found.unstable:
        return refused(GATE, Reason.UNSTABLE, f"repeats on the healthy base disagree on {name_some(found.unstable)}")
    if not found.failing:
        return passed(GATE, Reason.VALIDATED, f"{len(beside)} checks beside the tests pass on the healthy base")
    first = next(check for check in beside if check.id == found.failing[0])
    said = observations[0].signatures.get(first.id) or observations[0].outcomes.get(first.id, "missing")
    if first.id == DERIVED:
        return refused(
            GATE,
            Reason.FAMILY_NOT_APPLICABLE,
            f"the migration read from the change's imports does not hold on the base: {said}; state the APIs in"
            " spec.checks as a static check, or ask for another family",
        )
    return refused(
        GATE,
        Reason.STATED_CHECK_UNUSABLE,
        f"spec.checks: {first.kind} check {first.id!r} does not pass on the healthy base ({said}); {_AGAIN}",
        failing=list(found.failing),
    )
