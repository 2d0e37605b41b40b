"""What a case demands of its checks on each state, from the case and what screening found. Pure."""

from __future__ import annotations

from change2task.validate.case import Case
from change2task.validate.lifecycle import Demand, Expectation
from change2task.validate.qualification import Qualification


def expectation(case: Case, result: Qualification) -> Expectation:
    """The checks by which every repeat is judged."""
    return Expectation(
        targets=demanded(case, (*case.tests.ids, *result.targets), result.targets),
        required=tuple(sorted(case.stated_targets)),
        observers=result.observers,
        regression=(*result.regression, *result.hidden_regression, *beside_ids(case, "regression")),
        demand=case.demand,
    )


def demanded(case: Case, candidates: tuple[str, ...], failing: tuple[str, ...]) -> tuple[str, ...]:
    """Under ``any`` the targets are those that fail and those stated; under ``all`` every mapped one is."""
    each = tuple(dict.fromkeys(candidates))
    if case.demand is Demand.ALL or not failing:
        return each
    return tuple(check for check in each if check in failing or check in case.stated_targets)


def beside_ids(case: Case, role: str) -> tuple[str, ...]:
    """The checks of a role that are no tests."""
    return tuple(check.id for check in case.beside if check.role == role)
